#include "rips/sample.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/matrix.h"
#include "base/memory.h"
#include "base/noise.h"
#include "base/owned.h"
#include "base/threads.h"
#include "dist/source.h"
#include "rips/points.h"

#define BLOCK 16384u  /* points that a thread takes at a time */
#define ASKED 64u     /* points of the sample after which the caller is asked whether to go on */
#define TAKEN (-1.0f) /* a distance below that of every point which may be taken */

typedef struct greedy {
    const glshape_source *from;
    rips_points points; /* or a reader's */
    float *read;        /* its row of the latest point */
    uint32_t n, latest;
    float *nearest;     /* of each point: its distance to the sample, or TAKEN */
    uint32_t *farthest; /* of each block: the point of the greatest of these, the first of equal ones */
} greedy;

static void greedy_free(greedy *w) {
    rips_points_free(&w->points);
    free(w->read);
    free(w->nearest);
    free(w->farthest);
}

/* ---- the permutation --------------------------------------------------------------------------- */

static float distance_to_latest(const greedy *w, uint32_t i) {
    uint32_t j = w->latest;
    if (w->read) return w->read[i];
    return i > j ? rips_points_distance(&w->points, i, j) : rips_points_distance(&w->points, j, i);
}

static void update_block(void *of, size_t which) {
    greedy *w = of;
    uint32_t first = (uint32_t)which * BLOCK, end = w->n - first < BLOCK ? w->n : first + BLOCK;
    uint32_t farthest = first;
    for (uint32_t i = first; i < end; i++) {
        if (w->nearest[i] != TAKEN) w->nearest[i] = fminf(w->nearest[i], distance_to_latest(w, i));
        if (w->nearest[i] > w->nearest[farthest]) farthest = i;
    }
    w->farthest[which] = farthest;
}

/* Reads the row of the latest point, and checks it. */
static glshape_status read_latest(error *err, greedy *w) {
    char message[512] = "";
    if (!w->from->reader(w->from->user, w->latest, 1, w->read, message, sizeof message))
        return fail(err, GLSHAPE_IO_ERROR, "%s", dist_reason(message, sizeof message));
    noise_clear(w->read, w->n, w->latest, 1, NOISE_TOLERANCE);
    for (uint32_t j = 0; j < w->n; j++)
        if (j != w->latest && !(w->read[j] >= 0))
            return fail(err, GLSHAPE_BAD_INPUT, "row %u, column %u: %g is no distance", w->latest + 1, j + 1,
                        (double)w->read[j]);
    return GLSHAPE_OK;
}

/* Takes the latest point into the sample, and makes the one after it the latest. */
static glshape_status take_latest(error *err, greedy *w, int threads, rips_sample *s) {
    size_t blocks = (w->n - 1) / BLOCK + 1;
    uint32_t farthest = 0;
    if (w->read) TRY(read_latest(err, w));
    s->row[s->count] = w->latest;
    for (uint32_t k = 0; w->read && k < s->count; k++) {
        float d = w->read[s->row[k]];
        s->distance[(size_t)s->count * s->source.n + k] = s->distance[k * s->source.n + s->count] = d;
    }
    s->count++;
    w->nearest[w->latest] = TAKEN;
    threads_run(threads, blocks, update_block, w);
    for (size_t b = 0; b < blocks; b++)
        if (w->nearest[w->farthest[b]] > w->nearest[farthest]) farthest = w->farthest[b];
    w->latest = farthest;
    s->cover = fmaxf(0, w->nearest[farthest]);
    return GLSHAPE_OK;
}

/* ---- the sample as a source -------------------------------------------------------------------- */

static bool read_rows(void *user, uint32_t first, uint32_t count, float *out, char *message, size_t size) {
    const rips_sample *s = user;
    (void)message, (void)size;
    memcpy(out, s->distance + (size_t)first * s->count, (size_t)count * s->count * sizeof *out);
    return true;
}

static glshape_status copy_points(error *err, const glshape_matrix *from, rips_sample *s) {
    size_t bytes = from->cols * matrix_value_size(from->type);
    char *rows;
    TRY(allocate(err, &rows, s->count, bytes, "the points of the sample"));
    s->points = (glshape_matrix){from->type, s->count, from->cols, rows};
    for (uint32_t k = 0; k < s->count; k++)
        memcpy(rows + k * bytes, (const char *)from->data + s->row[k] * bytes, bytes);
    return GLSHAPE_OK;
}

static glshape_status begin(error *err, greedy *w, uint32_t count, rips_sample *s) {
    const char *what = "the greedy permutation";
    TRY(allocate(err, &s->row, count, sizeof *s->row, what));
    TRY(allocate(err, &w->nearest, w->n, sizeof *w->nearest, what));
    TRY(allocate(err, &w->farthest, w->n / BLOCK + 1, sizeof *w->farthest, what));
    for (uint32_t i = 0; i < w->n; i++) w->nearest[i] = INFINITY;
    if (w->from->points) return rips_points_new(err, w->from, &w->points);
    TRY(allocate(err, &w->read, w->n, sizeof *w->read, what));
    return allocate(err, &s->distance, times(count, count), sizeof *s->distance, "the matrix of distances");
}

glshape_status rips_sample_new(run *r, const glshape_source *from, uint32_t count, int threads,
                               rips_sample *out) {
    error *err = run_error(r);
    size_t n = from->points ? from->points->rows : from->n;
    OWNED_BY(greedy_free) greedy w = {.from = from, .n = (uint32_t)n};
    *out = (rips_sample){.source = *from};
    out->source.n = count;
    TRY(begin(err, &w, count, out));
    while (out->count < count) {
        TRY(take_latest(err, &w, threads, out));
        if (out->count % ASKED == 0) TRY(run_tick(r, 0));
    }
    if (!from->points) {
        out->source.reader = read_rows;
        out->source.user = out;
        return GLSHAPE_OK;
    }
    out->source.points = &out->points;
    return copy_points(err, from->points, out);
}

void rips_sample_free(rips_sample *s) {
    free((void *)s->points.data);
    free(s->distance);
    free(s->row);
    *s = (rips_sample){0};
}
