/* Landscapes and silhouettes. A tent is the lesser of two differences; these are of two singles each, so that
 * what is large and close together loses no digits. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/threads.h"
#include "compare/vectors.h"

#define FINEST 0x1p48 /* of a unit: differences are whole multiples, so that none is subnormal */
#define ROOT_2 1.4142135623730951

void tents_free(tents *t) {
    free(t->grid);
    free(t->pairs);
}

static void set_unit(const vectors *v, tents *t) {
    double least = v->grid[0], most = v->grid[v->samples - 1];
    for (size_t k = 0; k < 2 * v->first[v->n]; k++) {
        least = fmin(least, v->pairs[k]);
        most = fmax(most, v->pairs[k]);
    }
    t->middle = least / 2 + most / 2;
    double reach = fmax(most / 2 - t->middle / 2, t->middle / 2 - least / 2);
    t->unit = reach > 0x1p-960 ? ldexp(1, ilogb(reach) + 1) : 0x1p-959; /* values are below 2 units */
}

/* Exactly, once rounded to a multiple of 1 / FINEST. */
static void split(const tents *t, double value, float out[2]) {
    double at = rint((value / t->unit - t->middle / t->unit) * FINEST) / FINEST;
    out[0] = (float)at;
    out[1] = (float)(at - out[0]);
}

typedef struct splitter {
    const vectors *v;
    tents *t;
} splitter;

static void split_pairs(void *user, size_t first, size_t end) {
    const splitter *s = user;
    for (size_t k = first; k < end; k++) {
        split(s->t, s->v->pairs[2 * k], s->t->pairs[k]);
        split(s->t, s->v->pairs[2 * k + 1], s->t->pairs[k] + 2);
    }
}

glshape_status tents_new(vectors *v, tents *out) {
    error *err = run_error(run_of(v->g));
    set_unit(v, out);
    TRY(allocate(err, &out->grid, v->samples, sizeof *out->grid, "the samples"));
    TRY(allocate(err, &out->pairs, v->first[v->n], sizeof *out->pairs, "the pairs"));
    for (uint32_t j = 0; j < v->samples; j++) split(out, v->grid[j], out->grid[j]);
    threads_ranges(v->first[v->n], split_pairs, &(splitter){v, out});
    return GLSHAPE_OK;
}

float tents_value(const vectors *v, const tents *t, uint32_t diagram, float sum) {
    double value = sum * (v->o.gudhi_scale ? ROOT_2 : 1);
    if (v->kind == GLSHAPE_VECTORS_SILHOUETTE) value = v->mass[diagram] != 0 ? value / v->mass[diagram] : 0;
    return (float)(value * t->unit);
}

/* ---- threads ------------------------------------------------------------------------------------ */

/* As glsl/compare/tent.glsl has it. */
static float tent(const float p[4], const float x[2]) {
    float rises = (x[0] - p[0]) + (x[1] - p[1]), falls = (p[2] - x[0]) + (p[3] - x[1]);
    float least = rises < falls ? rises : falls;
    return least > 0 ? least : 0;
}

/* Into a list of the greatest, in descending order. */
static void insert(float *list, uint32_t count, float value) {
    uint32_t at = count;
    while (at && list[at - 1] < value) at--;
    if (at == count) return;
    memmove(list + at + 1, list + at, (count - 1 - at) * sizeof *list);
    list[at] = value;
}

typedef struct maker {
    vectors *v;
    const tents *t;
} maker;

/* scratch: of each sample its greatest, or its sum in two parts. Only samples within a tent change. */
static glshape_status make_curve(error *err, void *user, uint64_t i, void *scratch) {
    const maker *m = user;
    const vectors *v = m->v;
    bool landscape = v->kind == GLSHAPE_VECTORS_LANDSCAPE;
    uint32_t room = landscape ? v->levels : 2;
    float *list = scratch, *out = v->values + i * v->columns;
    (void)err;
    memset(list, 0, (size_t)v->samples * room * sizeof *list);
    for (size_t k = v->first[i]; k < v->first[i + 1]; k++) {
        uint32_t end = vectors_below(v, v->pairs[2 * k + 1], false);
        for (uint32_t j = vectors_below(v, v->pairs[2 * k], true); j < end; j++) {
            float *of = list + (size_t)j * room, value = tent(m->t->pairs[k], m->t->grid[j]);
            if (landscape) insert(of, room, value);
            else vectors_add(of, of + 1, v->weight[k] * value);
        }
    }
    for (uint32_t j = 0; j < v->samples; j++)
        for (uint32_t level = 0; level < v->levels; level++) {
            const float *of = list + (size_t)j * room;
            out[(size_t)level * v->samples + j] =
                tents_value(v, m->t, (uint32_t)i, landscape ? of[level] : of[0] + of[1]);
        }
    return GLSHAPE_OK;
}

glshape_status tents_on_cpu(vectors *v, const tents *t) {
    uint32_t room = v->kind == GLSHAPE_VECTORS_LANDSCAPE ? v->levels : 2;
    maker m = {v, t};
    const threads_job job = {.work = make_curve,
                             .user = &m,
                             .blocks = v->n,
                             .scratch_bytes = times(times(v->samples, room), sizeof(float)),
                             .name = "a curve",
                             .progress = run_go_on,
                             .progress_user = run_of(v->g),
                             .to = 1};
    return threads_do(run_error(run_of(v->g)), &job);
}
