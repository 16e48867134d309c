#include "rips/births.h"

#include <math.h>

#include "base/memory.h"

static const double *values_of(const rips_births *b) { return b->weights ? b->weights : b->births; }

static bool is_weight(double w) { return w >= 0 && 2 * (float)w < INFINITY; }
static bool is_birth(double b) { return fabsf((float)b) < INFINITY; }

glshape_status rips_births_check(error *err, const rips_births *b, size_t n) {
    if (b->weights && b->births)
        return fail(err, GLSHAPE_BAD_ARGUMENT, "weights and births do not go together");
    for (size_t i = 0; b->weights && i < n; i++)
        if (!is_weight(b->weights[i]))
            return fail(err, GLSHAPE_BAD_INPUT,
                        "the weight of row %zu is %g; it is at least 0, and single precision holds twice it",
                        i + 1, b->weights[i]);
    for (size_t i = 0; b->births && i < n; i++)
        if (!is_birth(b->births[i]))
            return fail(err, GLSHAPE_BAD_INPUT,
                        "the birth of row %zu is %g; it is a finite number that single precision holds",
                        i + 1, b->births[i]);
    return GLSHAPE_OK;
}

static uint32_t row_of(const rips_births *b, uint32_t point) { return b->row ? b->row[point] : point; }

/* Sets *value to that of the edge of two points at a distance: no less than the distance, and than their
 * births. Refuses a sum beyond single precision, unless the threshold leaves it out. */
static glshape_status find_value(error *err, const rips_births *b, const rips_space *s, uint32_t i,
                                 uint32_t j, float distance, float *value) {
    uint32_t x = row_of(b, i), y = row_of(b, j);
    float sum = b->weights ? (float)((double)distance + (b->weights[x] + b->weights[y])) : distance;
    *value = fmaxf(sum, fmaxf(s->birth[i], s->birth[j]));
    if (!isinf(sum) || isinf(distance) || s->threshold < INFINITY) return GLSHAPE_OK;
    return fail(err, GLSHAPE_BAD_INPUT,
                "rows %u and %u: their distance %g and their weights %g and %g add up to more than single "
                "precision holds; divide all by one number",
                x + 1, y + 1, (double)distance, b->weights[x], b->weights[y]);
}

static glshape_status apply_to_matrix(error *err, const rips_births *b, rips_space *s) {
    for (uint32_t i = 0; i < s->n; i++)
        for (uint32_t j = 0; j < i; j++) {
            float *d = &s->distance[(size_t)i * s->n + j];
            TRY(find_value(err, b, s, i, j, *d, d));
            s->distance[(size_t)j * s->n + i] = *d;
        }
    return GLSHAPE_OK;
}

static glshape_status apply_to_graph(error *err, const rips_births *b, rips_space *s) {
    rips_graph *g = &s->graph;
    size_t to = 0;
    for (uint32_t i = 0; i < s->n; i++) {
        size_t first = g->start[i];
        g->start[i] = to;
        for (size_t k = first; k < g->start[i + 1]; k++) {
            float value;
            TRY(find_value(err, b, s, i, g->point[k], g->distance[k], &value));
            if (!(value <= s->threshold)) continue;
            g->point[to] = g->point[k];
            g->distance[to++] = value;
        }
    }
    g->start[s->n] = to;
    return GLSHAPE_OK;
}

glshape_status rips_births_apply(error *err, const rips_births *b, rips_space *s) {
    const double *values = values_of(b);
    if (!values) return GLSHAPE_OK;
    TRY(allocate(err, &s->birth, s->n, sizeof *s->birth, "births"));
    for (uint32_t i = 0; i < s->n; i++)
        s->birth[i] = (float)((b->weights ? 2 : 1) * values[row_of(b, i)]) + 0.0f; /* no -0 */
    return s->distance ? apply_to_matrix(err, b, s) : apply_to_graph(err, b, s);
}
