#include <stdlib.h>

#include "base/memory.h"
#include "base/owned.h"
#include "compare/compare.h"
#include "compare/passes.h"

typedef struct stairs {
    gpu_texture steps, first, sum;
} stairs;

static void stairs_free(stairs *t) {
    gpu_texture_free(&t->steps);
    gpu_texture_free(&t->first);
    gpu_texture_free(&t->sum);
}

/* Lines at a time: so many that loops stay below GPU_TURNS. */
static int lines_at_a_time(const slices *s) {
    uint32_t turns = 2 * s->longest + 4;
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

/* Sums of tiles from, from + 1, ...; steps are made once if there is room for all lines. */
static glshape_status add_tiles(gpu *g, const diagrams *d, slices *s, stairs *t, uint32_t from,
                                uint32_t tiles, uint64_t *sum) {
    bool begun = false, all = s->lines == s->directions;
    for (int begin = 0; begin < s->directions; begin += s->lines) {
        int lines = s->directions - begin < s->lines ? s->directions - begin : s->lines;
        if (!all || !from) {
            slices_make(d, s, begin);
            if (s->stride) TRY(gpu_upload(g, &t->steps, 0, (uint32_t)lines * s->stride, s->steps));
        }
        TRY(add_lines(g, s, t, lines, from, tiles, &begun));
        TRY(run_tick(run_of(g), (from + (double)tiles * (begin + lines) / s->directions) /
                                    (double)(slices_places(s->n) / SLICES_TILE)));
    }
    return gpu_download(g, &t->sum, 0, tiles * SLICES_TILE, sum); /* the low word comes first, as here */
}

glshape_status slices_add_by_passes(gpu *g, const diagrams *d, slices *s, slices_taker *take, void *user) {
    OWNED_BY(stairs_free) stairs t = {0};
    OWNED uint64_t *sum = NULL;
    uint32_t all = (uint32_t)(slices_places(s->n) / SLICES_TILE), most = slices_tiles(s);
    TRY(allocate(run_error(run_of(g)), &sum, (size_t)most * SLICES_TILE, sizeof *sum, "the sums of slices"));
    TRY(gpu_texture_new(g, &t.steps, "steps", GPU_R32UI, (uint32_t)s->lines * s->stride, 1));
    TRY(gpu_texture_new(g, &t.first, "first steps", GPU_R32UI, s->n + 1, 1));
    TRY(gpu_texture_new(g, &t.sum, "sums", GPU_RG32UI, most * SLICES_TILE, 1));
    TRY(gpu_upload(g, &t.first, 0, s->n + 1, s->first));
    for (uint32_t from = 0, tiles; from < all; from += tiles) {
        tiles = all - from < most ? all - from : most;
        TRY(add_tiles(g, d, s, &t, from, tiles, sum));
        take(user, from, tiles, sum, NULL);
    }
    return GLSHAPE_OK;
}
