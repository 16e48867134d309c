/* New points beside a layout, all of them: by threads, each row by itself, or by passes, which try places and
 * go downhill for many rows at once. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/owned.h"
#include "base/threads.h"
#include "mds/attach.h"
#include "mds/passes.h"
#include "place/place.h"

#define STARTS 4u              /* of the places tried; glsl/mds/attach.glsl goes downhill from these */
#define DIMS 4u                /* of a texel */
#define MOST_POINTS (1u << 20) /* attach_try meets each 19 times: turns stay below GPU_TURNS */
#define MOST_STEPS 200u
#define LOCAL 128u
#define BLOCK_BYTES (256u << 20) /* of rows on the device */
#define SPARE_BYTES (1u << 20)
#define MOST_RANGE 1e15 /* of distances, relative to the layout: their squares must be floats */

typedef struct attaching {
    gpu *g;
    const mds_anchors *a;
    const mds_new_rows *rows;
    float *out;
    /* By passes: */
    double unit;    /* of the layout: its largest coordinate */
    uint32_t block; /* rows on the device */
    size_t first;   /* of these */
    bool *far;      /* of each of them: its distances are out of range, and threads do it */
    gpu_texture place, other, around, wanted, found;
    float *states; /* of found */
} attaching;

static void attaching_free(attaching *s) {
    gpu_texture_free(&s->place);
    gpu_texture_free(&s->other);
    gpu_texture_free(&s->around);
    gpu_texture_free(&s->wanted);
    gpu_texture_free(&s->found);
    free(s->far);
    free(s->states);
}

/* ---- by threads -------------------------------------------------------------------------------- */

static glshape_status place_row(error *err, void *user, uint64_t r, void *scratch) {
    attaching *s = user;
    size_t dim = s->a->dim;
    double *distance = scratch, *place = distance + s->a->n, *room = place + dim;
    if (s->far && !s->far[r]) return GLSHAPE_OK;
    TRY(s->rows->distances(err, s->rows->user, s->first + r, room, distance));
    mds_attach(s->a, distance, room + s->rows->room, place);
    for (size_t k = 0; k < dim; k++) s->out[(s->first + r) * dim + k] = (float)(place[k] + 0.0); /* not -0 */
    return GLSHAPE_OK;
}

/* Places so many rows; of those on the device the far ones. */
static glshape_status attach_by_threads(attaching *s, size_t count) {
    size_t values = s->a->n + s->a->dim + s->rows->room + mds_attach_scratch(s->a);
    return threads_do(run_error(run_of(s->g)), &(threads_job){.work = place_row,
                                                              .user = s,
                                                              .blocks = count,
                                                              .scratch_bytes = times(values, sizeof(double)),
                                                              .name = "distances of new rows",
                                                              .progress = s->far ? NULL : run_go_on,
                                                              .progress_user = run_of(s->g),
                                                              .to = 1});
}

/* ---- by passes --------------------------------------------------------------------------------- */

static uint32_t texels_of(const attaching *s) { return ((uint32_t)s->a->n + 3) / 4; }

static double unit_of(const mds_anchors *a) {
    double most = 0;
    for (size_t k = 0; k < a->n * a->dim; k++) most = fmax(most, fabs(a->x[k]));
    return most;
}

static glshape_status send_layout(attaching *s) {
    OWNED float *x = NULL;
    const mds_anchors *a = s->a;
    TRY(allocate(run_error(run_of(s->g)), &x, a->n, DIMS * sizeof *x, "the layout"));
    for (size_t i = 0; i < a->n; i++)
        for (size_t c = 0; c < a->dim; c++) x[i * DIMS + c] = (float)(a->x[i * a->dim + c] / s->unit);
    TRY(gpu_texture_new(s->g, &s->place, "the layout", GPU_RGBA32F, (uint32_t)a->n, 1));
    return gpu_upload(s->g, &s->place, 0, (uint32_t)a->n, x);
}

static glshape_status send_others(attaching *s) {
    float around[MDS_OTHERS * DIMS] = {0};
    const mds_anchors *a = s->a;
    for (size_t i = 0; i < MDS_OTHERS; i++)
        for (size_t c = 0; c < a->dim; c++) around[i * DIMS + c] = (float)a->around[i * a->dim + c];
    TRY(gpu_texture_new(s->g, &s->other, "points", GPU_R32UI, MDS_OTHERS, 1));
    TRY(gpu_texture_new(s->g, &s->around, "directions", GPU_RGBA32F, MDS_OTHERS, 1));
    TRY(gpu_upload(s->g, &s->other, 0, MDS_OTHERS, a->other));
    return gpu_upload(s->g, &s->around, 0, MDS_OTHERS, around);
}

/* Bytes of textures for so many rows: with few points, their places take more than their distances. */
static double block_bytes(const attaching *s, uint32_t rows) {
    return (double)gpu_texture_bytes(s->g, GPU_RGBA32F, rows, texels_of(s)) +
           (double)gpu_texture_bytes(s->g, GPU_RGBA32F, rows * STARTS, 2);
}

static glshape_status passes_new(attaching *s) {
    error *err = run_error(run_of(s->g));
    uint32_t texels = texels_of(s);
    TRY(send_layout(s));
    TRY(send_others(s));
    double left = (double)gpu_memory_left(s->g) / 2;
    s->block = (uint32_t)fmin((double)s->rows->count, BLOCK_BYTES / (16.0 * texels + 32 * STARTS) + 1);
    while (s->block > 1 && block_bytes(s, s->block) > left) s->block /= 2;
    TRY(gpu_texture_new(s->g, &s->wanted, "distances of new rows", GPU_RGBA32F, s->block, texels));
    TRY(gpu_texture_new(s->g, &s->found, "places", GPU_RGBA32F, s->block * STARTS, 2));
    TRY(allocate(err, &s->states, times(s->block, STARTS), 8 * sizeof *s->states, "places"));
    return allocate(err, &s->far, s->block, sizeof *s->far, "new rows");
}

/* Rows on their way to the device, from this one of the block on. */
typedef struct filling {
    attaching *s;
    uint32_t from;
    float *to;
} filling;

static glshape_status fill_row(error *err, void *user, uint64_t item, void *scratch) {
    const filling *f = user;
    attaching *s = f->s;
    size_t n = s->a->n, padded = 4 * (size_t)texels_of(s);
    double *distance = scratch, most = 0, scale = 1 / s->unit;
    float *to = f->to + item * padded;
    TRY(s->rows->distances(err, s->rows->user, s->first + f->from + item, distance + n, distance));
    for (size_t j = 0; j < n; j++) {
        double d = distance[j] * scale;
        most = fmax(most, d);
        to[j] = isnan(d) || d > MOST_RANGE ? DIST_NONE : (float)d;
    }
    for (size_t j = n; j < padded; j++) to[j] = DIST_NONE;
    s->far[f->from + item] = most > MOST_RANGE;
    return GLSHAPE_OK;
}

static glshape_status fill(gpu *g, void *user, uint32_t first, uint32_t count, void *memory) {
    attaching *s = user;
    filling f = {s, first, memory};
    return threads_do(run_error(run_of(g)),
                      &(threads_job){.work = fill_row,
                                     .user = &f,
                                     .blocks = count,
                                     .scratch_bytes = times(s->a->n + s->rows->room, sizeof(double)),
                                     .name = "distances of new rows"});
}

/* All steps of a block of rows. */
static glshape_status descend(attaching *s, uint32_t count) {
    uint32_t texels = texels_of(s), each = GPU_TURNS / 3 / ((texels - 1) / LOCAL + 1);
    TRY(gpu_run(s->g, mds_attach_try, .place_in = &s->place, .wanted = &s->wanted, .other = &s->other,
                .around = &s->around, .found = &s->found, .texels = texels, .dim = (uint32_t)s->a->dim,
                .starts = STARTS, .groups = count));
    for (uint32_t steps = 0; steps < MOST_STEPS; steps += each)
        TRY(gpu_run(s->g, mds_attach, .place_in = &s->place, .wanted = &s->wanted, .found = &s->found,
                    .texels = texels, .dim = (uint32_t)s->a->dim, .starts = STARTS,
                    .steps = each < MOST_STEPS ? each : MOST_STEPS, .groups = count * STARTS));
    return GLSHAPE_OK;
}

/* Of the places that a row's steps led to, the one of least stress. */
static void take_places(attaching *s, uint32_t count) {
    size_t dim = s->a->dim;
    for (size_t r = 0; r < count; r++) {
        const float *of = s->states + r * STARTS * 8, *best = of;
        for (size_t k = 1; k < STARTS; k++)
            if (of[k * 8 + 4] < best[4]) best = of + k * 8;
        for (size_t c = 0; c < dim; c++)
            s->out[(s->first + r) * dim + c] = (float)((double)best[c] * s->unit + 0.0);
    }
}

static glshape_status attach_by_passes(attaching *s) {
    TRY(passes_new(s));
    for (s->first = 0; s->first < s->rows->count; s->first += s->block) {
        size_t left = s->rows->count - s->first;
        uint32_t count = left < s->block ? (uint32_t)left : s->block;
        TRY(gpu_fill(s->g, &s->wanted, count, fill, s));
        TRY(descend(s, count));
        TRY(gpu_download(s->g, &s->found, 0, count * STARTS, s->states));
        take_places(s, count);
        TRY(attach_by_threads(s, count));
        TRY(run_tick(run_of(s->g), (double)(s->first + count) / (double)s->rows->count));
    }
    return GLSHAPE_OK;
}

glshape_status mds_attach_all(gpu *g, const mds_anchors *a, const mds_new_rows *rows, float *out) {
    OWNED_BY(attaching_free) attaching s = {.g = g, .a = a, .rows = rows, .out = out, .unit = unit_of(a)};
    run_why why;
    uint64_t bytes = SPARE_BYTES + 24 * (uint64_t)a->n; /* the layout, and twice a row */
    bool can = a->dim <= DIMS && a->n <= MOST_POINTS && s.unit > 0;
    TRY(place_choose(g, PLACE_NEW_ROWS, (double)a->n * (double)rows->count, can, bytes, &why));
    run_begin_stage(run_of(g), "places", why);
    return run_why_device(why) ? attach_by_passes(&s) : attach_by_threads(&s, rows->count);
}
