/* Walks on the GPU that may take several dispatches. */
#include "index/passes.h"

#define MOST_DISPATCHES 1000000u
#define FEW_QUERIES 20000u /* the CPU is done before a shader is compiled */

glshape_status index_walks_new(gpu *g, uint32_t most, index_walks *out) {
    *out = (index_walks){.g = g};
    TRY(gpu_texture_new(g, &out->places, "places in the index", GPU_RG32UI, most, 1));
    return gpu_texture_new(g, &out->count, "unfinished walks", GPU_R32UI, 1, 1);
}

void index_walks_free(index_walks *w) {
    gpu_texture_free(&w->places);
    gpu_texture_free(&w->count);
    *w = (index_walks){0};
}

void index_walks_begin(index_walks *w) {
    w->unfinished = 1;
    w->dispatches = 0;
}

glshape_status index_walks_before(index_walks *w) {
    if (w->dispatches == MOST_DISPATCHES)
        return fail(gpu_error(w->g), GLSHAPE_GPU_ERROR, "%u walks through the index do not end",
                    w->unfinished);
    return gpu_upload(w->g, &w->count, 0, 1, &(uint32_t){0});
}

glshape_status index_walks_after(index_walks *w) {
    w->dispatches++;
    return gpu_download(w->g, &w->count, 0, 1, &w->unfinished);
}

uint32_t index_at_once(gpu *g, size_t each, size_t room, uint32_t most) {
    size_t limit = gpu_memory_limit(g), left = limit > gpu_bytes(g) ? (limit - gpu_bytes(g)) / 2 : 0;
    size_t count = (limit && left < room ? left : room) / each;
    if (count < INDEX_LOCAL) count = INDEX_LOCAL;
    return count < most ? (uint32_t)count : most;
}

/* What index_upload takes. */
static uint64_t texture_bytes(const spatial_index *x) {
    uint64_t nodes = 2ull * x->leaves, columns = x->columns;
    return 16ull * x->n * (columns / 2 + 1) + nodes * (16 * columns + 4);
}

glshape_status index_by_passes(gpu *g, const spatial_index *x, uint32_t queries, bool *so) {
    bool eager = gpu_is_eager(g);
    *so = x->columns <= INDEX_PASS_COLUMNS && norm_is_whole(&x->norm) && (eager || queries >= FEW_QUERIES);
    if (!*so) return GLSHAPE_OK;
    TRY(gpu_find(g, x->rows.id ? 0 : texture_bytes(x), so));
    *so = *so && (eager || !gpu_is_software(g)) && gpu_is_exact(g);
    return GLSHAPE_OK;
}
