#include "rips/lists.h"

#include <string.h>

#include "base/owned.h"

static glshape_status fill_starts(gpu *g, void *user, uint32_t first, uint32_t count, void *memory) {
    const rips_graph *of = user;
    uint32_t *start = memory;
    (void)g;
    for (uint32_t i = 0; i < count; i++) start[i] = (uint32_t)of->start[first + i];
    return GLSHAPE_OK;
}

static glshape_status fill_neighbors(gpu *g, void *user, uint32_t first, uint32_t count, void *memory) {
    (void)g;
    memcpy(memory, ((const rips_graph *)user)->point + first, count * sizeof(uint32_t));
    return GLSHAPE_OK;
}

/* -0 becomes 0: passes compare the bits of values. */
static glshape_status fill_lengths(gpu *g, void *user, uint32_t first, uint32_t count, void *memory) {
    const float *from = ((const rips_graph *)user)->distance + first;
    float *to = memory;
    (void)g;
    for (uint32_t i = 0; i < count; i++) to[i] = from[i] + 0.0f;
    return GLSHAPE_OK;
}

glshape_status rips_lists_lengths(gpu *g, const rips_space *s, gpu_texture *t) {
    rips_graph of = s->graph;
    return gpu_fill(g, t, rips_lists_places(s), fill_lengths, &of);
}

glshape_status rips_lists_new(gpu *g, const rips_space *s, rips_lists *out) {
    OWNED_BY(rips_lists_free) rips_lists l = {0};
    rips_graph of = s->graph;
    uint32_t places = rips_lists_places(s);
    *out = (rips_lists){0};
    TRY(gpu_texture_new(g, &l.start, "starts of lists", GPU_R32UI, s->n + 1, 1));
    TRY(gpu_texture_new(g, &l.neighbors, "neighbors", GPU_R32UI, places, 1));
    TRY(gpu_texture_new(g, &l.lengths, "distances", GPU_R32F, places, 1));
    TRY(gpu_fill(g, &l.start, s->n + 1, fill_starts, &of));
    TRY(gpu_fill(g, &l.neighbors, places, fill_neighbors, &of));
    TRY(rips_lists_lengths(g, s, &l.lengths));
    *out = MOVE(l);
    return GLSHAPE_OK;
}

void rips_lists_free(rips_lists *l) {
    gpu_texture_free(&l->start);
    gpu_texture_free(&l->neighbors);
    gpu_texture_free(&l->lengths);
}

size_t rips_lists_bytes(const gpu *g, uint32_t n, size_t places) {
    if (places > UINT32_MAX) return SIZE_MAX;
    size_t starts = gpu_texture_bytes(g, GPU_R32UI, n + 1, 1),
           all = gpu_texture_bytes(g, GPU_R32UI, (uint32_t)places, 1);
    return starts == SIZE_MAX || all == SIZE_MAX ? SIZE_MAX : starts + 2 * all;
}
