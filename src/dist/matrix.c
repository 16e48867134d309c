/* A matrix of dissimilarities, whole on the GPU, in the order of the elements. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/noise.h"
#include "base/owned.h"
#include "base/threads.h"
#include "dist/source.h"

const char *dist_reason(char *message, size_t size) {
    message[size - 1] = 0;
    return message[0] ? message : "it gives no reason";
}

static glshape_status refuse_rows(error *err, uint32_t first, uint32_t count, const char *reason) {
    return fail(err, GLSHAPE_IO_ERROR, "rows %u to %u could not be read: %s", first + 1, first + count,
                reason);
}

glshape_status dist_read_raw(error *err, const dist_reader *r, uint32_t first, uint32_t count, float *out) {
    char message[512] = "";
    if (r->read(r->user, first, count, out, message, sizeof message)) return GLSHAPE_OK;
    return refuse_rows(err, first, count, dist_reason(message, sizeof message));
}

glshape_status dist_read_doubles(error *err, const dist_reader *r, uint32_t first, uint32_t count,
                                 double *out) {
    char message[512] = "";
    if (dist_ask_doubles(r, first, count, out, message, sizeof message)) return GLSHAPE_OK;
    return refuse_rows(err, first, count, dist_reason(message, sizeof message));
}

bool dist_ask_doubles(const dist_reader *r, uint32_t first, uint32_t count, double *out, char *message,
                      size_t size) {
    if (r->read_double) return r->read_double(r->user, first, count, out, message, size);
    OWNED float *single = NULL;
    error err = {0};
    size_t values = (size_t)count * r->n;
    if (allocate(&err, &single, values, sizeof *single, "rows of distances")) {
        snprintf(message, size, "%s", err.text);
        return false;
    }
    if (!r->read(r->user, first, count, single, message, size)) return false;
    for (size_t k = 0; k < values; k++) out[k] = (double)single[k];
    return true;
}

glshape_status dist_ask_feeder(error *err, const glshape_source *s, size_t count, const uint32_t *i,
                               const uint32_t *j, float *out) {
    char message[512] = "";
    if (!s->feeder(s->user, count, i, j, out, message, sizeof message))
        return fail(err, GLSHAPE_IO_ERROR, "the feeder failed: %s", dist_reason(message, sizeof message));
    for (size_t k = 0; k < count; k++)
        if (out[k] < 0 || isinf(out[k]))
            return fail(err, GLSHAPE_BAD_INPUT,
                        "the feeder says that points %u and %u (counted from 0) are %g apart", i[k], j[k],
                        (double)out[k]);
    return GLSHAPE_OK;
}

glshape_status dist_read_rows(error *err, const dist_reader *r, uint32_t first, uint32_t count, float *out,
                              uint64_t *missing) {
    uint64_t found = 0;
    TRY(dist_read_raw(err, r, first, count, out));
    noise_clear(out, r->n, first, count, NOISE_TOLERANCE);
    for (size_t i = 0, end = (size_t)count * r->n; i < end; i++) {
        bool none = isnan(out[i]);
        found += none;
        out[i] = none ? DIST_NONE : (float)(out[i] / r->unit);
    }
    if (missing) *missing += found;
    return GLSHAPE_OK;
}

/* ---- to the device ------------------------------------------------------------------------------ */

#define MANY_VALUES ((size_t)1 << 18) /* threads share the reading of more than these */

/* Rows on their way to the device: item k is row order[first + k], or first + k. */
typedef struct sending {
    const dist_reader *reader;
    const uint32_t *order; /* NULL: as they are */
    dist_row_finish *finish;
    uint32_t first, width; /* values of a row, padded to whole texels */
    float *to;
    uint64_t *missing; /* of each item; NULL: nobody asks */
} sending;

static glshape_status send_row(error *err, void *user, uint64_t item, void *scratch) {
    const sending *s = user;
    uint32_t n = s->reader->n, e = s->first + (uint32_t)item;
    float *row = scratch, *to = s->to + item * s->width, *made = s->order ? row + n : row;
    uint64_t missing = 0;
    TRY(dist_read_rows(err, s->reader, s->order ? s->order[e] : e, 1, row, &missing));
    for (uint32_t j = 0; s->order && j < n; j++) made[j] = row[s->order[j]];
    if (s->finish) s->finish(e, n, made);
    memcpy(to, made, n * sizeof *to);
    for (uint32_t j = n; j < s->width; j++) to[j] = 0;
    if (s->missing) s->missing[item] = missing;
    return GLSHAPE_OK;
}

static glshape_status send_rows(error *err, const sending *s, uint32_t count) {
    bool many = !s->reader->alone && (size_t)count * s->width > MANY_VALUES;
    const threads_job job = {.work = send_row,
                             .user = (void *)(uintptr_t)s,
                             .blocks = count,
                             .scratch_bytes = 2 * (size_t)s->reader->n * sizeof(float),
                             .name = "rows of distances",
                             .threads = many ? 0 : 1};
    return threads_do(err, &job);
}

glshape_status dist_make_rows(error *err, const dist_reader *r, uint32_t first, uint32_t count,
                              uint32_t width, float *out, uint64_t *missing) {
    const sending s = {.reader = r, .first = first, .width = width, .to = out, .missing = missing};
    return send_rows(err, &s, count);
}

static glshape_status fill_rows(gpu *g, void *user, uint32_t first, uint32_t count, void *memory) {
    sending *s = user;
    s->first = first;
    s->to = memory;
    TRY(send_rows(run_error(run_of(g)), s, count));
    return run_tick(run_of(g), 0);
}

glshape_status dist_upload_matrix(gpu *g, const dist_reader *r, const uint32_t *order, const char *label,
                                  dist_row_finish *finish, gpu_texture *out) {
    OWNED_BY(gpu_texture_free) gpu_texture matrix = {0};
    uint32_t texels = (r->n + 3) / 4;
    sending s = {.reader = r, .order = order, .finish = finish, .width = 4 * texels};
    TRY(gpu_texture_new(g, &matrix, label, GPU_RGBA32F, r->n, texels));
    TRY(gpu_fill(g, &matrix, r->n, fill_rows, &s));
    *out = MOVE(matrix);
    return GLSHAPE_OK;
}

glshape_status dist_matrix_new(gpu *g, const dist_reader *r, const uint32_t *order, dist_source *out) {
    OWNED_BY(dist_source_free) dist_source s = {.n = r->n, .unit = r->unit, .kind = DIST_MATRIX};
    *out = (dist_source){0};
    TRY(dist_upload_matrix(g, r, order, "the distance matrix", NULL, &s.values));
    *out = MOVE(s);
    return GLSHAPE_OK;
}
