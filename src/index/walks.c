/* Walks on the GPU that may take several dispatches. */
#include "index/passes.h"
#include "place/place.h"

#define MOST_DISPATCHES 1000000u

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
        return fail(run_error(run_of(w->g)), GLSHAPE_GPU_ERROR, "%u walks through the index do not end",
                    w->unfinished);
    return gpu_upload(w->g, &w->count, 0, 1, &(uint32_t){0});
}

glshape_status index_walks_after(index_walks *w) {
    w->dispatches++;
    return gpu_download(w->g, &w->count, 0, 1, &w->unfinished);
}

#define TURNS 4000u
#define UP 32u /* a walk does not stop on the way up */

/* Software renderers run several walks at once, and count the turns of the loops that any of them takes
 * (GPU_TURNS): at each turn one of them may look at a whole leaf, and a point's columns are a loop of their
 * own. */
uint32_t index_turns(const index_walks *w, const spatial_index *x) {
    uint32_t turns = w->first_turns && !w->dispatches ? w->first_turns : TURNS,
             most = place_turns(w->g) / (INDEX_LEAF * (x->columns + 1) + 3) - UP;
    return most < turns ? most : turns;
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

glshape_status index_by_passes(gpu *g, const spatial_index *x, uint32_t queries, bool doubles, run_why *why) {
    bool can = x->columns <= INDEX_PASS_COLUMNS && norm_is_whole(&x->norm);
    TRY(place_choose(g, PLACE_WALKS, queries, can, x->rows.id ? 0 : texture_bytes(x), why));
    if (!run_why_device(*why)) return GLSHAPE_OK;
    if (x->columns > place_amount(g, PLACE_AMOUNT_WALK_COLUMNS)) *why = RUN_NOT_LIMITS;
    else if (doubles && !gpu_may_be_exact(g)) *why = RUN_NOT_EXACT;
    return GLSHAPE_OK;
}
