#include "rips/space.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/owned.h"
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

size_t rips_longest_list(const rips_space *s) {
    size_t most = 0;
    for (size_t a = 0; a < s->n; a++) {
        size_t count = s->graph.start[a + 1] - s->graph.start[a];
        most = count > most ? count : most;
    }
    return most;
}

void rips_graph_free(rips_graph *g) {
    free(g->start);
    free(g->point);
    free(g->distance);
    *g = (rips_graph){0};
}

void rips_space_free(rips_space *s) {
    free(s->distance);
    free(s->birth);
    rips_graph_free(&s->graph);
    simplex_table_free(&s->simplices);
    free(s->inverse);
    *s = (rips_space){0};
}

/* Simplices of each dimension, no fewer than there are. */
typedef struct simplex_counts {
    int dim;
    uint64_t most, of[RIPS_MOST_DIM + 1];
} simplex_counts;

/* Counts those whose greatest two points have so many smaller common neighbors. False: there are too many. */
static bool count_with(simplex_counts *c, size_t common) {
    bool few = true;
    for (int dim = 1; dim <= c->dim; dim++) {
        c->of[dim] += simplex_binomial(common, dim - 1);
        few = few && c->of[dim] <= c->most;
    }
    return few;
}

/* The same for those whose greatest point has these smaller neighbors. */
static bool count_below(simplex_counts *c, const rips_space *s, const uint32_t *lower, size_t count) {
    for (size_t k = 0; k < count; k++) {
        const float *row = s->distance + (size_t)lower[k] * s->n;
        size_t common = 0;
        for (size_t i = 0; i < k; i++) common += row[lower[i]] <= s->threshold && row[lower[i]] < INFINITY;
        if (!count_with(c, common)) return false;
    }
    return true;
}

glshape_status rips_has_at_most(error *err, const rips_space *s, int dim, uint64_t most, bool *few) {
    OWNED uint32_t *lower = NULL;
    simplex_counts c = {.dim = dim, .most = most};
    TRY(allocate(err, &lower, s->n, sizeof *lower, "neighbors"));
    *few = true;
    for (uint32_t a = 0; a < s->n && *few; a++) {
        const float *row = s->distance + (size_t)a * s->n;
        size_t count = 0;
        for (uint32_t b = 0; b < a; b++)
            if (row[b] <= s->threshold && row[b] < INFINITY) lower[count++] = b;
        *few = count_below(&c, s, lower, count);
    }
    return GLSHAPE_OK;
}

float rips_graph_distance(const rips_graph *g, uint32_t i, uint32_t j) {
    if (i == j) return 0;
    size_t low = g->start[i], high = g->start[i + 1];
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (g->point[middle] < j) low = middle + 1;
        else high = middle;
    }
    return low < g->start[i + 1] && g->point[low] == j ? g->distance[low] : INFINITY;
}
