#include "reference/collapse.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

typedef struct matrix {
    float *distance, threshold;
    uint32_t n;
} matrix;

typedef struct edge {
    float value;
    uint32_t a, b; /* a > b */
} edge;

static float between(const matrix *m, uint32_t i, uint32_t j) { return m->distance[(size_t)i * m->n + j]; }

static bool joined(const matrix *m, uint32_t i, uint32_t j, float value) {
    return between(m, i, j) <= value && between(m, i, j) <= m->threshold;
}

static bool is_common(const matrix *m, const edge *e, uint32_t x, float value) {
    return x != e->a && x != e->b && joined(m, e->a, x, value) && joined(m, e->b, x, value);
}

static bool is_dominated(const matrix *m, const edge *e, float value) {
    for (uint32_t w = 0; w < m->n; w++) {
        bool all = is_common(m, e, w, value);
        for (uint32_t x = 0; all && x < m->n; x++)
            all = x == w || !is_common(m, e, x, value) || joined(m, w, x, value);
        if (all) return true;
    }
    return false;
}

/* The least value above this one at which the ends get a common neighbor. */
static float next_value(const matrix *m, const edge *e, float value) {
    float next = INFINITY;
    for (uint32_t x = 0; x < m->n; x++) {
        float from = fmaxf(between(m, e->a, x), between(m, e->b, x));
        if (x != e->a && x != e->b && from > value && from <= m->threshold && from < next) next = from;
    }
    return next;
}

static int in_order(const void *p, const void *q) {
    const edge *x = p, *y = q;
    if (x->value != y->value) return x->value > y->value ? -1 : 1;
    if (x->a != y->a) return x->a < y->a ? -1 : 1;
    return (x->b > y->b) - (x->b < y->b);
}

void ref_collapse(float *distance, uint32_t n, float threshold) {
    const matrix m = {distance, threshold, n};
    edge *edges = malloc(((size_t)n * n + 1) * sizeof *edges);
    size_t count = 0;
    for (uint32_t a = 0; a < n; a++)
        for (uint32_t b = 0; b < a; b++)
            if (joined(&m, a, b, INFINITY) && between(&m, a, b) < INFINITY)
                edges[count++] = (edge){between(&m, a, b), a, b};
    qsort(edges, count, sizeof *edges, in_order);
    for (size_t k = 0; k < count; k++) {
        float value = edges[k].value;
        while (value < INFINITY && is_dominated(&m, &edges[k], value))
            value = next_value(&m, &edges[k], value);
        distance[(size_t)edges[k].a * n + edges[k].b] = distance[(size_t)edges[k].b * n + edges[k].a] = value;
    }
    free(edges);
}
