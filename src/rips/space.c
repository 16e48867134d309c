#include "rips/space.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"

#define NO_ROOM UINT64_MAX
#define MOST_INDEX ((uint64_t)INT64_MAX)

uint64_t rips_binomial(uint64_t n, int k) {
    uint64_t c = 1;
    if (n < (uint64_t)k) return 0;
    for (uint64_t i = 1; i <= (uint64_t)k;
         i++) { /* c (n - k + i) / i, whose parts have no fraction together */
        uint64_t factor = n - (uint64_t)k + i, rest = c % i * factor / i;
        if (rest > MOST_INDEX || c / i > (MOST_INDEX - rest) / factor) return NO_ROOM;
        c = c / i * factor + rest;
    }
    return c;
}

/* Pascal's triangle up to C(n, most). */
static glshape_status fill_binomials(error *err, rips_space *s, int most) {
    size_t width = (size_t)s->n + 1;
    TRY(allocate(err, &s->binomial, times(width, (size_t)most + 1), sizeof *s->binomial, "binomial numbers"));
    for (size_t v = 0; v < width; v++) s->binomial[v] = 1;
    for (int k = 1; k <= most; k++) {
        uint64_t *row = s->binomial + (size_t)k * width, *above = row - width;
        for (size_t v = 1; v < width; v++) {
            bool fits = row[v - 1] <= MOST_INDEX && above[v - 1] <= MOST_INDEX - row[v - 1];
            row[v] = fits ? row[v - 1] + above[v - 1] : NO_ROOM;
        }
    }
    return GLSHAPE_OK;
}

/* Inverses modulo a prime: i · inverse(i) = 1 (from the inverse of the remainder of modulus by i). */
static glshape_status fill_inverses(error *err, rips_space *s) {
    TRY(allocate(err, &s->inverse, s->modulus, sizeof *s->inverse, "inverses"));
    s->inverse[1] = 1;
    for (uint32_t i = 2; i < s->modulus; i++) {
        uint64_t of_rest = s->inverse[s->modulus % i];
        s->inverse[i] = s->modulus - (uint32_t)((s->modulus / i) * of_rest % s->modulus);
    }
    return GLSHAPE_OK;
}

glshape_status rips_space_check(error *err, size_t n, int most_vertices) {
    int possible = most_vertices;
    while (rips_binomial(n, possible) == NO_ROOM) possible--;
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
    TRY(fill_binomials(err, s, most_vertices));
    return fill_inverses(err, s);
}

void rips_space_free(rips_space *s) {
    free(s->distance);
    free(s->graph.start);
    free(s->graph.point);
    free(s->graph.distance);
    free(s->binomial);
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

/* The greatest v below `end` with C(v, k) ≤ index. */
static uint32_t greatest_vertex(const rips_space *s, uint64_t index, int k, uint32_t end) {
    uint32_t low = (uint32_t)k - 1;
    while (end - low > 1) {
        uint32_t middle = low + (end - low) / 2;
        if (rips_choose(s, middle, k) <= index) low = middle;
        else end = middle;
    }
    return low;
}

void rips_vertices(const rips_space *s, uint64_t index, int vertices, uint32_t *out) {
    uint32_t end = s->n;
    for (int k = vertices; k > 0; k--) {
        end = greatest_vertex(s, index, k, end);
        *out++ = end;
        index -= rips_choose(s, end, k);
    }
}

uint64_t rips_index(const rips_space *s, const uint32_t *v, int vertices) {
    uint64_t index = 0;
    for (int i = 0; i < vertices; i++) index += rips_choose(s, v[i], vertices - i);
    return index;
}

float rips_diameter(const rips_space *s, const uint32_t *v, int vertices) {
    float most = 0;
    for (int i = 0; i < vertices; i++)
        for (int j = 0; j < i; j++) most = fmaxf(most, rips_distance(s, v[i], v[j]));
    return most;
}
