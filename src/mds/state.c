#include "mds/state.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "mds/passes.h"

#define HISTORY 64
#define STAGING_ELEMENTS 16384u

/* ---- textures ---------------------------------------------------------------------------------- */

typedef struct wanted_texture {
    gpu_texture *texture;
    const char *label;
    gpu_format format;
    uint32_t elements, texels;
} wanted_texture;

enum { TEXTURES = 14 };

/* The one list of what a layout of n points needs, for making and for forecasting. */
static void list_textures(mds_state *s, wanted_texture out[TEXTURES]) {
    uint32_t n = s->n, p = (s->dim + 3) / 4;
    const wanted_texture list[TEXTURES] = {
        {&s->perm, "the permutation", GPU_R32UI, n, 1},
        {&s->place[0], "the layout", GPU_RGBA32F, n, p},
        {&s->place[1], "the next layout", GPU_RGBA32F, n, p},
        {&s->velocity[0], "the velocities", GPU_RGBA32F, n, p},
        {&s->velocity[1], "the next velocities", GPU_RGBA32F, n, p},
        {&s->near[0], "the Near sets", GPU_RGBA32UI, n, 1},
        {&s->near[1], "the next Near sets", GPU_RGBA32UI, n, 1},
        {&s->near_high[0], "the Near distances", GPU_RGBA32F, n, 1},
        {&s->near_high[1], "the next Near distances", GPU_RGBA32F, n, 1},
        {&s->drawn, "the Random sets", GPU_RGBA32UI, n, 1},
        {&s->strain[0], "the Near strains", GPU_RGBA32F, n, 1},
        {&s->strain[1], "the Random strains", GPU_RGBA32F, n, 1},
        {&s->terms, "the stress terms", GPU_RG32F, n, 1},
        {&s->history, "the stress history", GPU_RG32F, HISTORY, 1},
    };
    memcpy(out, list, sizeof list);
}

/* Refuses before any work if the textures would not fit the limit, with the size that would do. */
static glshape_status forecast(mds_state *s, size_t columns, size_t limit) {
    wanted_texture list[TEXTURES];
    list_textures(s, list);
    size_t need = gpu_texture_bytes(s->g, GPU_RGBA32F, s->n, (uint32_t)((columns + 3) / 4));
    for (int i = 0; i < TEXTURES; i++) {
        size_t bytes = gpu_texture_bytes(s->g, list[i].format, list[i].elements, list[i].texels);
        need = need > SIZE_MAX - bytes ? SIZE_MAX : need + bytes;
    }
    need = need > SIZE_MAX - (1u << 20) ? SIZE_MAX
                                        : need + (1u << 20); /* partial sums of reductions and stress */
    if (need == SIZE_MAX)
        return fail(
            gpu_error(s->g), GLSHAPE_BAD_ARGUMENT,
            "%u points of %zu columns in %u dimensions do not fit the textures of %s (%d × %d texels)", s->n,
            columns, s->dim, gpu_renderer(s->g), gpu_get_limits(s->g)->texture_size,
            gpu_get_limits(s->g)->texture_size);
    if (!limit || need <= limit) return GLSHAPE_OK;
    return fail(
        gpu_error(s->g), GLSHAPE_NO_GPU_MEMORY,
        "a layout of %u points of %zu columns in %u dimensions needs %zu MiB of GPU memory, but the limit is "
        "%.3g MiB; raise it to %zuM",
        s->n, columns, s->dim, (need >> 20) + 1, (double)limit / (1 << 20), (need >> 20) + 1);
}

static glshape_status make_textures(mds_state *s) {
    wanted_texture list[TEXTURES];
    list_textures(s, list);
    for (int i = 0; i < TEXTURES; i++)
        TRY(gpu_texture_new(s->g, list[i].texture, list[i].label, list[i].format, list[i].elements,
                            list[i].texels));
    return GLSHAPE_OK;
}

/* ---- beginnings -------------------------------------------------------------------------------- */

/* Uniform in a cube as wide as the data. */
glshape_status mds_scatter(mds_state *s) {
    uint32_t width = s->place[0].texels * 4, block = s->n < STAGING_ELEMENTS ? s->n : STAGING_ELEMENTS;
    float *staging = NULL;
    TRY(allocate(gpu_error(s->g), &staging, block, width * sizeof *staging, "staging of the layout"));
    glshape_status status = GLSHAPE_OK;
    for (uint32_t first = 0; first < s->n && !status; first += block) {
        uint32_t count = s->n - first < block ? s->n - first : block;
        for (uint32_t i = 0; i < count; i++)
            for (uint32_t c = 0; c < s->dim; c++)
                staging[(size_t)i * width + c] =
                    (float)(s->points.radius * (2 * random_unit(&s->random) - 1));
        status = gpu_upload(s->g, &s->place[0], first, count, staging);
    }
    free(staging);
    return status;
}

glshape_status mds_shuffle(mds_state *s, uint32_t m) {
    uint32_t *numbers = NULL;
    TRY(allocate(gpu_error(s->g), &numbers, m, sizeof *numbers, "a permutation"));
    random_permutation(&s->random, m, numbers);
    glshape_status status = gpu_upload(s->g, &s->perm, 0, m, numbers);
    free(numbers);
    return status;
}

static glshape_status begin(mds_state *s, const glshape_matrix *m, const glshape_mds_options *o) {
    TRY(allocate(gpu_error(s->g), &s->order, s->n, sizeof *s->order, "the order of the points"));
    random_permutation(&s->random, s->n, s->order);
    TRY(dist_points_new(s->g, m, o->metric, s->order, &s->points));
    TRY(make_textures(s));
    int used = snprintf(s->defines, sizeof s->defines, "%s PLACE_TEXELS=%uu DIM=%uu", s->points.defines,
                        s->place[0].texels, s->dim);
    if (used >= (int)sizeof s->defines)
        return fail(gpu_error(s->g), GLSHAPE_GPU_ERROR, "defines of mds are too long");
    return GLSHAPE_OK;
}

glshape_status mds_state_new(gpu *g, const glshape_matrix *m, const glshape_mds_options *o, mds_state *s) {
    int dim = o->dim ? o->dim : 2;
    *s = (mds_state){.g = g, .n = (uint32_t)m->rows, .dim = (uint32_t)dim, .random = {o->seed}};
    if (dim < 1) return fail(gpu_error(g), GLSHAPE_BAD_ARGUMENT, "dim is %d; it must be at least 1", dim);
    if ((int)o->metric < 0 || o->metric > GLSHAPE_CORRELATION)
        return fail(gpu_error(g), GLSHAPE_BAD_ARGUMENT, "there is no metric %d", (int)o->metric);
    TRY(dist_points_check(gpu_error(g), m));
    TRY(forecast(s, m->cols, gpu_memory_limit(g)));
    glshape_status status = begin(s, m, o);
    if (status) mds_state_free(s);
    return status;
}

/* ---- endings ----------------------------------------------------------------------------------- */

void mds_state_free(mds_state *s) {
    wanted_texture list[TEXTURES];
    list_textures(s, list);
    for (int i = 0; i < TEXTURES; i++) gpu_texture_free(s->g, list[i].texture);
    prim_scratch_free(s->g, &s->scratch);
    dist_points_free(s->g, &s->points);
    free(s->order);
    s->order = NULL;
}

glshape_status mds_progress(mds_state *s, double point_iterations) {
    s->work_done += point_iterations;
    return gpu_tick(s->g, s->work_done < s->work ? s->work_done / s->work : 1);
}
