#include "field/grid.h"

#include "base/memory.h"
#include "base/owned.h"
#include "base/threads.h"
#include "field/narrow.h"
#include "field/passes.h"

#define BLOCK 2097152u /* keys on their way to the GPU at a time */
#define PIECE ORDER_BLOCK
#define SLOTS 2

bool grid_are_neighbors(int hood, const int step[3]) {
    int along = 0, back = 0;
    for (int axis = 0; axis < 3; axis++) {
        along += step[axis] > 0;
        back += step[axis] < 0;
    }
    if (!along && !back) return false;
    return hood == 14 ? !along || !back : along + back <= (hood == 6 ? 1 : hood == 18 ? 2 : 3);
}

static uint32_t least_of(uint32_t a, uint32_t b) { return a < b ? a : b; }

typedef struct key_filler {
    const order *order;
    struct order *looks; /* NULL, or the order, whose values are looked at */
    size_t first;
    uint32_t count;
    uint32_t *keys;
} key_filler;

static bool fill_piece(void *user, uint64_t item, int thread) {
    const key_filler *f = user;
    uint32_t at = (uint32_t)item * PIECE;
    (void)thread;
    if (f->looks) order_look(f->looks, (f->first + at) / PIECE, f->keys + at);
    else order_keys(f->order, f->first + at, least_of(PIECE, f->count - at), f->keys + at);
    return true;
}

/* Threads make the keys of a block while the block before is on its way. */
static glshape_status upload_keys(gpu *g, grid_field *f, order *looks) {
    OWNED_BY(gpu_ring_free) gpu_ring ring = {0};
    OWNED_BY(threads_team_end) threads_team *team = threads_team_for((least_of(BLOCK, f->n) - 1) / PIECE + 1);
    uint32_t slot = 0;
    if (!team) return fail(run_error(run_of(g)), GLSHAPE_NO_MEMORY, "not enough memory for threads");
    TRY(gpu_ring_new(g, &ring, SLOTS, least_of(BLOCK, f->n) * sizeof(uint32_t)));
    for (uint32_t first = 0, count; first < f->n; first += count, slot = (slot + 1) % SLOTS) {
        size_t from = (f->offset + first) % f->total, up = f->total - from;
        void *memory;
        count = least_of(least_of(BLOCK, f->n - first), up < BLOCK ? (uint32_t)up : BLOCK);
        TRY(gpu_ring_map(g, &ring, (int)slot, &memory));
        key_filler filler = {f->order, looks, from, count, memory};
        threads_team_share(team, (count - 1) / PIECE + 1, fill_piece, &filler);
        TRY(gpu_ring_send(g, &ring, (int)slot, &f->key, first, count));
    }
    return GLSHAPE_OK;
}

/* ---- graphs ------------------------------------------------------------------------------------ */

glshape_status grid_count_links(error *err, const glshape_graph *graph, uint32_t *out) {
    size_t count = 0;
    for (size_t v = 0; v < graph->nodes; v++)
        for (size_t k = graph->start[v]; k < graph->start[v + 1]; k++) count += graph->to[k] > v;
    if (count >= UINT32_MAX)
        return fail(err, GLSHAPE_BAD_ARGUMENT, "%zu edges are more than can be numbered", count);
    *out = (uint32_t)count;
    return GLSHAPE_OK;
}

static glshape_status upload_links(gpu *g, grid_field *f, const glshape_graph *graph) {
    OWNED uint32_t(*links)[2] = NULL;
    uint32_t listed = 0;
    TRY(grid_count_links(run_error(run_of(g)), graph, &f->link_count));
    TRY(gpu_texture_new(g, &f->links, "the edges", GPU_RG32UI, f->link_count, 1));
    TRY(allocate(run_error(run_of(g)), &links, f->link_count, sizeof *links, "the edges"));
    for (size_t v = 0; v < graph->nodes; v++)
        for (size_t k = graph->start[v]; k < graph->start[v + 1]; k++) {
            if (graph->to[k] <= v) continue; /* each edge is there from both ends */
            links[listed][0] = (uint32_t)v;
            links[listed++][1] = graph->to[k];
        }
    return listed ? gpu_upload(g, &f->links, 0, listed, links) : GLSHAPE_OK;
}

/* ---- both -------------------------------------------------------------------------------------- */

/* looks: NULL, or the order, whose values are looked at on their way. */
static glshape_status make_field(gpu *g, const order *o, order *looks, const grid *d, grid_field *out) {
    OWNED_BY(grid_field_free)
    grid_field f = {.order = o, .grid = *d, .n = o->n, .total = o->n, .hi = d->extent[2]};
    bool narrow;
    TRY(narrow_is_for_passes(g, o->field, &narrow));
    TRY(gpu_texture_new(g, &f.key, "the field", GPU_R32UI, f.n, 1));
    narrow = narrow && gpu_memory_left(g) / sizeof(uint32_t) >= f.n;
    TRY(narrow ? narrow_send(g, o, looks, &f.key) : upload_keys(g, &f, looks));
    if (o->field->graph) TRY(upload_links(g, &f, o->field->graph));
    *out = MOVE(f);
    return GLSHAPE_OK;
}

glshape_status grid_field_new(gpu *g, const order *o, const grid *d, grid_field *out) {
    *out = (grid_field){0};
    TRY(make_field(g, o, NULL, d, out));
    out->key_bits = order_key_bits(o);
    return GLSHAPE_OK;
}

glshape_status grid_field_look(gpu *g, order *o, const grid *d, grid_field *out) {
    OWNED_BY(grid_field_free) grid_field made = {0};
    *out = (grid_field){0};
    glshape_status status = make_field(g, o, o->facts ? o : NULL, d, &made);
    if (status && status != GLSHAPE_NO_GPU_MEMORY) return status;
    TRY(order_settle(run_error(run_of(g)), o, status));
    if (status) return status;
    *out = MOVE(made);
    out->key_bits = order_key_bits(o);
    return GLSHAPE_OK;
}

glshape_status grid_slab_new(gpu *g, const order *o, const grid *d, uint32_t first, uint32_t planes,
                             grid_field *out) {
    uint32_t plane = d->extent[0] * d->extent[1], all = d->extent[2];
    bool around = d->periodic & 4, below = first > 0 || around, above = first + planes < all || around;
    OWNED_BY(grid_field_free) grid_field f = {.order = o, .grid = *d, .lo = below, .hi = below + planes};
    f.key_bits = order_key_bits(o);
    f.grid.extent[2] = below + planes + above;
    f.grid.periodic &= ~4u;
    f.n = plane * f.grid.extent[2];
    f.total = (size_t)plane * all;
    f.offset = (first + all - below) % all * (size_t)plane;
    f.order_start = below && !first ? plane : above && first + planes == all ? f.hi * plane : 0;
    *out = (grid_field){0};
    TRY(gpu_texture_new(g, &f.key, "the field", GPU_R32UI, f.n, 1));
    TRY(upload_keys(g, &f, NULL));
    *out = MOVE(f);
    return GLSHAPE_OK;
}

glshape_status grid_field_turn(gpu *g, gpu_texture *key, uint32_t key_bits, const grid *d, grid_field *out) {
    uint32_t n = key->elements;
    OWNED_BY(grid_field_free)
    grid_field f = {.grid = *d, .n = n, .key_bits = key_bits, .turned = true, .total = n, .hi = d->extent[2]};
    *out = (grid_field){0};
    TRY(gpu_texture_new(g, &f.key, "the field, turned", GPU_R32UI, n, 1));
    TRY(gpu_run(g, field_turn, .key = key, .turned = &f.key, .n = n, .groups = field_groups(n)));
    *out = MOVE(f);
    return GLSHAPE_OK;
}

void grid_field_free(grid_field *f) {
    gpu_texture_free(&f->key);
    gpu_texture_free(&f->links);
    *f = (grid_field){0};
}
