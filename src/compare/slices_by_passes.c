#include <stdlib.h>

#include "base/memory.h"
#include "base/owned.h"
#include "compare/compare.h"
#include "compare/passes.h"

enum { SORTED = 4096 }; /* steps that a group sorts (glsl/compare/steps.glsl); threads sort longer lists */

typedef struct stairs {
    gpu_texture points, turns, steps, first, sum;
} stairs;

static void stairs_free(stairs *t) {
    gpu_texture_free(&t->points);
    gpu_texture_free(&t->turns);
    gpu_texture_free(&t->steps);
    gpu_texture_free(&t->first);
    gpu_texture_free(&t->sum);
}

/* Lines at a time: so many that loops stay below GPU_TURNS. Two lists of steps are merged, and each window
 * that a group reads ends one that is 60 steps long, of 32 lists. */
static int lines_at_a_time(const slices *s) {
    uint32_t turns = 3 * s->longest + 16;
    return turns > GPU_TURNS / 2 ? 1 : (int)(GPU_TURNS / turns);
}

/* Runs the pass for lines that are in the texture, of tiles from, from + 1, ... */
static glshape_status add_lines(gpu *g, const slices *s, stairs *t, int lines, uint32_t from, uint32_t tiles,
                                bool *begun) {
    int most = lines_at_a_time(s);
    for (int line = 0; line < lines; line += most) {
        int now = lines - line < most ? lines - line : most;
        TRY(gpu_run(g, compare_slices, .steps = &t->steps, .first = &t->first, .sum = &t->sum, .n = s->n,
                    .lines = (uint32_t)now, .stride = s->stride, .origin = (uint32_t)line * s->stride,
                    .begun = *begun, .from = from, .groups = tiles));
        *begun = true;
    }
    return GLSHAPE_OK;
}

static glshape_status make_lines(gpu *g, slices *s, stairs *t, int begin, int lines) {
    if (!s->stride) return GLSHAPE_OK;
    if (s->longest <= SORTED)
        return gpu_run(g, compare_steps, .first = &t->first, .points = &t->points, .turns = &t->turns,
                       .steps = &t->steps, .n = s->n, .stride = s->stride, .from = (uint32_t)begin,
                       .groups = s->n * (uint32_t)lines);
    TRY(slices_make(run_error(run_of(g)), s, begin));
    return gpu_upload(g, &t->steps, 0, (uint32_t)lines * s->stride, s->steps);
}

/* Sums of tiles from, from + 1, ...; steps are made once if there is room for all lines. */
static glshape_status add_tiles(gpu *g, slices *s, stairs *t, uint32_t from, uint32_t tiles, uint64_t *sum) {
    bool begun = false, all = s->lines == s->directions;
    for (int begin = 0; begin < s->directions; begin += s->lines) {
        int lines = s->directions - begin < s->lines ? s->directions - begin : s->lines;
        if (!all || !from) TRY(make_lines(g, s, t, begin, lines));
        TRY(add_lines(g, s, t, lines, from, tiles, &begun));
        TRY(run_tick(run_of(g), (from + (double)tiles * (begin + lines) / s->directions) /
                                    (double)(compare_places(s->n) / COMPARE_TILE)));
    }
    return gpu_download(g, &t->sum, 0, tiles * COMPARE_TILE, sum); /* the low word comes first, as here */
}

static glshape_status upload(gpu *g, const slices *s, stairs *t) {
    uint32_t pairs = s->stride / 2, lines = (uint32_t)s->directions;
    TRY(gpu_texture_new(g, &t->points, "points", GPU_RG32UI, pairs, 1));
    TRY(gpu_texture_new(g, &t->turns, "turns", GPU_RG32UI, lines, 1));
    TRY(gpu_texture_new(g, &t->first, "first steps", GPU_R32UI, s->n + 1, 1));
    TRY(gpu_upload(g, &t->points, 0, pairs, s->points));
    TRY(gpu_upload(g, &t->turns, 0, lines, s->turns));
    return gpu_upload(g, &t->first, 0, s->n + 1, s->first);
}

glshape_status slices_add_by_passes(gpu *g, slices *s, slices_taker *take, void *user) {
    OWNED_BY(stairs_free) stairs t = {0};
    OWNED uint64_t *sum = NULL;
    uint32_t all = (uint32_t)(compare_places(s->n) / COMPARE_TILE), most = slices_tiles(s);
    TRY(allocate(run_error(run_of(g)), &sum, (size_t)most * COMPARE_TILE, sizeof *sum, "the sums of slices"));
    TRY(gpu_texture_new(g, &t.steps, "steps", GPU_R32UI, (uint32_t)s->lines * s->stride, 1));
    TRY(gpu_texture_new(g, &t.sum, "sums", GPU_RG32UI, most * COMPARE_TILE, 1));
    TRY(upload(g, s, &t));
    for (uint32_t from = 0, tiles; from < all; from += tiles) {
        tiles = all - from < most ? all - from : most;
        TRY(add_tiles(g, s, &t, from, tiles, sum));
        take(user, from, tiles, sum, NULL);
    }
    return GLSHAPE_OK;
}
