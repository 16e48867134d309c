#include "rips/space.h"

#include <math.h>
#include <stdlib.h>

#include "persistence/reduce.h"

#define MOST_INDEX ((uint64_t)INT64_MAX)

glshape_status rips_space_check(error *err, size_t n, int most_vertices) {
    int possible = most_vertices;
    while (simplex_binomial(n, possible) > MOST_INDEX) possible--;
    if (possible == most_vertices) return GLSHAPE_OK;
    return fail(err, GLSHAPE_BAD_ARGUMENT,
                "simplices of %d vertices among %zu points are more than 63-bit indices can name; dimension "
                "%d can be done",
                most_vertices, n, possible - 2);
}

glshape_status rips_space_prepare(error *err, rips_space *s, int most_vertices, uint32_t modulus) {
    s->most_vertices = most_vertices;
    s->modulus = modulus;
    TRY(rips_space_check(err, s->n, most_vertices));
    TRY(simplex_table_new(err, s->n, most_vertices, &s->simplices));
    return persistence_inverses(err, modulus, &s->inverse);
}

void rips_space_free(rips_space *s) {
    free(s->distance);
    free(s->birth);
    free(s->graph.start);
    free(s->graph.point);
    free(s->graph.distance);
    simplex_table_free(&s->simplices);
    free(s->inverse);
    *s = (rips_space){0};
}

float rips_distance(const rips_space *s, uint32_t i, uint32_t j) {
    if (s->distance) return s->distance[(size_t)i * s->n + j];
    if (i == j) return 0;
    size_t low = s->graph.start[i], high = s->graph.start[i + 1];
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (s->graph.point[middle] < j) low = middle + 1;
        else high = middle;
    }
    return low < s->graph.start[i + 1] && s->graph.point[low] == j ? s->graph.distance[low] : INFINITY;
}

float rips_diameter(const rips_space *s, const uint32_t *v, int vertices) {
    float most = 0;
    for (int i = 0; i < vertices; i++)
        for (int j = 0; j < i; j++) most = fmaxf(most, rips_distance(s, v[i], v[j]));
    return most;
}
