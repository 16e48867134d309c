#include "rips/births.h"

#include <math.h>

#include "base/memory.h"

static const double *values_of(const rips_births *b) { return b->weights ? b->weights : b->births; }

glshape_status rips_births_check(error *err, const rips_births *b, size_t n) {
    const double *values = values_of(b);
    const char *name = b->weights ? "weight" : "birth";
    if (b->weights && b->births)
        return fail(err, GLSHAPE_BAD_ARGUMENT, "weights and births do not go together");
    for (size_t i = 0; values && i < n; i++)
        if (!(values[i] >= 0 && 2 * (float)values[i] < INFINITY))
            return fail(err, GLSHAPE_BAD_INPUT, "%s %zu: %g; it is a finite number of at least 0", name,
                        i + 1, values[i]);
    return GLSHAPE_OK;
}

/* The value of the edge of two points at a distance: no less than the distance, and than their births. */
static float edge_value(const rips_births *b, const rips_space *s, uint32_t i, uint32_t j, float distance) {
    float value = distance;
    if (b->weights)
        value = (float)((double)distance +
                        (b->weights[b->row ? b->row[i] : i] + b->weights[b->row ? b->row[j] : j]));
    return fmaxf(value, fmaxf(s->birth[i], s->birth[j]));
}

static void apply_to_matrix(const rips_births *b, rips_space *s) {
    for (uint32_t i = 0; i < s->n; i++)
        for (uint32_t j = 0; j < i; j++) {
            float *d = &s->distance[(size_t)i * s->n + j];
            *d = s->distance[(size_t)j * s->n + i] = edge_value(b, s, i, j, *d);
        }
}

static void apply_to_graph(const rips_births *b, rips_space *s) {
    rips_graph *g = &s->graph;
    size_t to = 0;
    for (uint32_t i = 0; i < s->n; i++) {
        size_t first = g->start[i];
        g->start[i] = to;
        for (size_t k = first; k < g->start[i + 1]; k++) {
            float value = edge_value(b, s, i, g->point[k], g->distance[k]);
            if (!(value <= s->threshold)) continue;
            g->point[to] = g->point[k];
            g->distance[to++] = value;
        }
    }
    g->start[s->n] = to;
}

glshape_status rips_births_apply(error *err, const rips_births *b, rips_space *s) {
    const double *values = values_of(b);
    if (!values) return GLSHAPE_OK;
    TRY(allocate(err, &s->birth, s->n, sizeof *s->birth, "births"));
    for (uint32_t i = 0; i < s->n; i++)
        s->birth[i] = (float)((b->weights ? 2 : 1) * values[b->row ? b->row[i] : i]);
    if (s->distance) apply_to_matrix(b, s);
    else apply_to_graph(b, s);
    return GLSHAPE_OK;
}
