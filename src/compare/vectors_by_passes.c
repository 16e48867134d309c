#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/owned.h"
#include "base/threads.h"
#include "compare/passes.h"
#include "compare/vectors.h"

enum { LOCAL = 256 };

/* Textures of a batch of diagrams. */
typedef struct batch {
    vectors *v;
    const tents *t;
    uint32_t from, count; /* diagrams */
    gpu_texture first, pairs, weight, grid, out;
    uint32_t *numbers; /* where the diagrams' pairs begin among those of the batch */
    float *factors, *sums;
} batch;

static void batch_free(batch *b) {
    gpu_texture_free(&b->first);
    gpu_texture_free(&b->pairs);
    gpu_texture_free(&b->weight);
    gpu_texture_free(&b->grid);
    gpu_texture_free(&b->out);
    free(b->numbers);
    free(b->factors);
    free(b->sums);
}

static uint32_t pairs_of(const batch *b) {
    return (uint32_t)(b->v->first[b->from + b->count] - b->v->first[b->from]);
}

static uint32_t groups_for(uint64_t items) { return (uint32_t)((items + LOCAL - 1) / LOCAL); }

/* Where the pairs of each diagram begin, and room for the sums: `floats` of each diagram. */
static glshape_status begin(batch *b, size_t floats) {
    gpu *g = b->v->g;
    const size_t *first = b->v->first + b->from;
    TRY(allocate(run_error(run_of(g)), &b->numbers, b->count + 1, sizeof *b->numbers, "the diagrams"));
    TRY(allocate(run_error(run_of(g)), &b->sums, times(b->count, floats), sizeof *b->sums, "the vectors"));
    for (uint32_t i = 0; i <= b->count; i++) b->numbers[i] = (uint32_t)(first[i] - first[0]);
    TRY(gpu_texture_new(g, &b->first, "first pairs", GPU_R32UI, b->count + 1, 1));
    return gpu_upload(g, &b->first, 0, b->count + 1, b->numbers);
}

/* ---- images ------------------------------------------------------------------------------------- */

static void make_factors(void *user, size_t first, size_t end) {
    const batch *b = user;
    for (size_t k = first; k < end; k++)
        image_factors(b->v, b->v->first[b->from] + k, b->factors + 4 * k * image_texels(b->v));
}

static glshape_status send_factors(batch *b) {
    gpu *g = b->v->g;
    uint32_t texels = image_texels(b->v), count = pairs_of(b);
    TRY(allocate(run_error(run_of(g)), &b->factors, times(count, 4 * (size_t)texels), sizeof *b->factors,
                 "factors"));
    threads_ranges(count, make_factors, b);
    TRY(gpu_texture_new(g, &b->pairs, "factors", GPU_RGBA32F, count, texels));
    return count ? gpu_upload(g, &b->pairs, 0, count, b->factors) : GLSHAPE_OK;
}

/* Sums are in rows of whole fours, and their number is a multiple of four, too. */
static void finish_image(void *user, size_t i) {
    const batch *b = user;
    const vectors *v = b->v;
    size_t width = 4 * (size_t)vectors_fours(v->samples);
    const float *sums = b->sums + i * width * 4 * vectors_fours(v->levels);
    float *out = v->values + (b->from + i) * v->columns;
    for (uint32_t y = 0; y < v->levels; y++)
        for (uint32_t x = 0; x < v->samples; x++)
            out[(size_t)y * v->samples + x] = image_value(v, sums[y * width + x]);
}

static glshape_status image_batch(vectors *v, uint32_t from, uint32_t count) {
    OWNED_BY(batch_free) batch b = {.v = v, .from = from, .count = count};
    uint32_t columns = vectors_fours(v->samples), rows = vectors_fours(v->levels);
    TRY(begin(&b, 16ull * columns * rows));
    TRY(send_factors(&b));
    TRY(gpu_texture_new(v->g, &b.out, "pixels", GPU_RGBA32F, count * rows * 4, columns));
    TRY(gpu_run(v->g, compare_image, .first = &b.first, .factors = &b.pairs, .pixels = &b.out,
                .diagrams = count, .columns = columns, .rows = rows,
                .groups = groups_for((uint64_t)count * columns * rows)));
    TRY(gpu_download(v->g, &b.out, 0, count * rows * 4, b.sums));
    threads_run(0, count, finish_image, &b);
    return GLSHAPE_OK;
}

glshape_status image_by_passes(vectors *v) {
    for (uint32_t from = 0, count; from < v->n; from += count) {
        count = vectors_batch(v, from);
        TRY(run_tick(run_of(v->g), (double)from / v->n));
        TRY(image_batch(v, from, count));
    }
    return GLSHAPE_OK;
}

/* ---- tents -------------------------------------------------------------------------------------- */

static void finish_curve(void *user, size_t i) {
    const batch *b = user;
    const vectors *v = b->v;
    for (size_t c = 0; c < v->columns; c++)
        v->values[(b->from + i) * v->columns + c] =
            tents_value(v, b->t, b->from + (uint32_t)i, b->sums[i * v->columns + c]);
}

static glshape_status send_tents(batch *b) {
    gpu *g = b->v->g;
    uint32_t count = pairs_of(b);
    size_t first = b->v->first[b->from];
    TRY(gpu_texture_new(g, &b->pairs, "tents", GPU_RGBA32F, count, 1));
    if (count) TRY(gpu_upload(g, &b->pairs, 0, count, b->t->pairs + first));
    TRY(gpu_texture_new(g, &b->grid, "samples", GPU_RG32F, b->v->samples, 1));
    TRY(gpu_upload(g, &b->grid, 0, b->v->samples, b->t->grid));
    if (b->v->kind != GLSHAPE_VECTORS_SILHOUETTE) return GLSHAPE_OK;
    TRY(gpu_texture_new(g, &b->weight, "weights", GPU_R32F, count, 1));
    return count ? gpu_upload(g, &b->weight, 0, count, b->v->weight + first) : GLSHAPE_OK;
}

static glshape_status run_tents(batch *b) {
    vectors *v = b->v;
    uint32_t groups = groups_for((uint64_t)b->count * v->samples);
    return v->kind == GLSHAPE_VECTORS_LANDSCAPE
               ? gpu_run(v->g, compare_landscape, .first = &b->first, .pairs = &b->pairs, .grid = &b->grid,
                         .curves = &b->out, .diagrams = b->count, .samples = v->samples, .levels = v->levels,
                         .groups = groups)
               : gpu_run(v->g, compare_silhouette, .first = &b->first, .pairs = &b->pairs,
                         .weight = &b->weight, .grid = &b->grid, .curves = &b->out, .diagrams = b->count,
                         .samples = v->samples, .groups = groups);
}

static glshape_status tents_batch(vectors *v, const tents *t, uint32_t from, uint32_t count) {
    OWNED_BY(batch_free) batch b = {.v = v, .t = t, .from = from, .count = count};
    TRY(begin(&b, v->columns));
    TRY(send_tents(&b));
    TRY(gpu_texture_new(v->g, &b.out, "curves", GPU_R32F, (uint32_t)(count * v->columns), 1));
    TRY(run_tents(&b));
    TRY(gpu_download(v->g, &b.out, 0, (uint32_t)(count * v->columns), b.sums));
    threads_run(0, count, finish_curve, &b);
    return GLSHAPE_OK;
}

glshape_status tents_by_passes(vectors *v, const tents *t) {
    for (uint32_t from = 0, count; from < v->n; from += count) {
        count = vectors_batch(v, from);
        TRY(run_tick(run_of(v->g), (double)from / v->n));
        TRY(tents_batch(v, t, from, count));
    }
    return GLSHAPE_OK;
}
