#include "mds/checked.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

#include "base/memory.h"
#include "base/noise.h"
#include "base/owned.h"
#include "dist/source.h"

#define LANES 16u /* values that a processor may look at together */

/* Whether a value is negative or infinite: found without a branch for each. */
static bool has_none(const float *x, size_t count) {
    int found[LANES] = {0}, any = 0;
    size_t k = 0;
    for (; k + LANES <= count; k += LANES)
        for (size_t l = 0; l < LANES; l++) found[l] |= (x[k + l] < 0) | (x[k + l] > FLT_MAX);
    for (; k < count; k++) any |= (x[k] < 0) | (x[k] > FLT_MAX);
    for (size_t l = 0; l < LANES; l++) any |= found[l];
    return any;
}

static bool read_checked(void *user, uint32_t first, uint32_t count, float *out, char *message, size_t size) {
    mds_checked *c = user;
    bool noise = false;
    if (!c->reader(c->user, first, count, out, message, size)) return false;
    for (size_t k = 0; k < count; k++) noise |= out[k * c->n + first + k] != 0;
    if (!has_none(out, (size_t)count * c->n) && !noise) return true; /* one look at what is as it should be */
    noise_clear(out, c->n, first, count, NOISE_TOLERANCE);
    if (!has_none(out, (size_t)count * c->n)) return true;
    for (size_t k = 0, end = (size_t)count * c->n; k < end; k++) {
        if (!(out[k] < 0 || out[k] == INFINITY)) continue;
        snprintf(message, size, "row %zu, column %zu: %g is no distance", first + k / c->n + 1, k % c->n + 1,
                 (double)out[k]);
        c->refused = true;
        return false;
    }
    return true;
}

void mds_check_reader(mds_checked *c, glshape_source *source) {
    *c = (mds_checked){.reader = source->reader, .user = source->user, .n = (uint32_t)source->n};
    if (!source->reader) return;
    source->reader = read_checked;
    source->user = c;
}

/* The points met so far, in the order in which they were met, and those left. */
typedef struct walk {
    uint32_t *queue, *left;
    uint32_t met, rest;
} walk;

/* Meets those left that a row has a distance to. */
static void meet(walk *w, const float *row) {
    uint32_t kept = 0;
    for (uint32_t k = 0; k < w->rest; k++) {
        uint32_t j = w->left[k];
        if (isnan(row[j])) w->left[kept++] = j;
        else w->queue[w->met++] = j;
    }
    w->rest = kept;
}

glshape_status mds_check_joined(error *err, const glshape_source *source) {
    OWNED uint32_t *queue = NULL, *left = NULL;
    OWNED float *row = NULL;
    uint32_t n = (uint32_t)source->n;
    dist_reader reader = {.read = source->reader, .user = source->user, .n = n, .unit = 1};
    TRY(allocate(err, &queue, n, sizeof *queue, "the pieces"));
    TRY(allocate(err, &left, n, sizeof *left, "the pieces"));
    TRY(allocate(err, &row, n, sizeof *row, "a row of distances"));
    walk w = {queue, left, 1, n - 1};
    for (uint32_t k = 0; k + 1 < n; k++) left[k] = k + 1;
    for (uint32_t at = 0; w.rest && at < w.met; at++) {
        TRY(dist_read_raw(err, &reader, queue[at], 1, row));
        meet(&w, row);
    }
    if (!w.rest) return GLSHAPE_OK;
    return fail(err, GLSHAPE_BAD_INPUT,
                "no distance joins rows 1 and %u, nor the %u and %u points around them: all between them are "
                "missing; lay out each piece by itself, or give a distance between them",
                left[0] + 1, w.met, w.rest);
}
