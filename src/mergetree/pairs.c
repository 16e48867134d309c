#include "mergetree/pairs.h"

#include <string.h>

#include "base/memory.h"
#include "base/owned.h"
#include "mergetree/passes.h"
#include "prim/passes.h"

#define BLOCK 65536u
#define MOST_FOLLOWS 7 /* 64^6 > 2^32 steps, and one to see that all have arrived */

typedef struct rounds {
    gpu *g;
    basins *b;
    const order *order;
    uint32_t count, left, round; /* minima; edges between components; rounds done */
    uint32_t mask;               /* of places in the table of twins */
    gpu_texture label, best_key, best_at, depth, rest, twin_key, twin;
} rounds;

static error *err_of(const rounds *r) { return gpu_error(r->g); }

/* ---- rounds ------------------------------------------------------------------------------------ */

static glshape_status begin(rounds *r) {
    const struct {
        gpu_texture *t;
        const char *label;
    } parts[] = {{&r->label, "components"},
                 {&r->best_key, "keys of lowest edges"},
                 {&r->best_at, "vertices of lowest edges"},
                 {&r->depth, "depths of branches"}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        TRY(gpu_texture_new(r->g, parts[i].t, parts[i].label, GPU_R32UI, r->count, 1));
    uint32_t piece = r->left / 8 + BLOCK;
    if (piece > r->left) piece = r->left;
    TRY(gpu_texture_new(r->g, &r->rest, "edges that are left", GPU_RGBA32UI, piece, 1));
    return gpu_run(r->g, mergetree_born, .label = &r->label, .best_key = &r->best_key, .best_at = &r->best_at,
                   .depth = &r->depth, .n = r->count, .groups = mergetree_groups(r->count));
}

/* A table of twins with half as many places as there are edges, or more. */
static glshape_status begin_twins(rounds *r) {
    while (r->mask > r->left && r->mask) r->mask >>= 1;
    if (!r->twin.id) TRY(gpu_texture_new(r->g, &r->twin, "twins of edges", GPU_R32UI, r->mask + 1, 1));
    if (!r->twin_key.id) TRY(gpu_texture_new(r->g, &r->twin_key, "keys of twins", GPU_R32UI, r->mask + 1, 1));
    return gpu_run(r->g, prim_fill, .filled = &r->twin_key, .value = UINT32_MAX, .elements = r->mask + 1);
}

static glshape_status hook(rounds *r) {
    gpu_texture *edges = &r->b->edges;
    uint32_t groups = mergetree_groups(r->left);
    TRY(begin_twins(r));
    TRY(gpu_run(r->g, mergetree_offer_key, .edges = edges, .best_key = &r->best_key, .twin_key = &r->twin_key,
                .count = r->left, .mask = r->mask, .groups = groups));
    TRY(gpu_run(r->g, mergetree_offer_at, .edges = edges, .best_key = &r->best_key, .best_at = &r->best_at,
                .twin_key = &r->twin_key, .twin = &r->twin, .count = r->left, .mask = r->mask,
                .groups = groups));
    return gpu_run(r->g, mergetree_hook, .edges = edges, .key = &r->b->field->key, .minimum = &r->b->minimum,
                   .best_key = &r->best_key, .best_at = &r->best_at, .label = &r->label, .depth = &r->depth,
                   .count = r->left, .round = ++r->round, .groups = groups);
}

/* state[0]: edges in rest; state[1]: somebody has not arrived. */
static glshape_status relabel_once(rounds *r, uint32_t first, uint32_t count, uint32_t state[2]) {
    state[0] = state[1] = 0;
    TRY(gpu_upload(r->g, &r->b->state, 0, 2, state));
    TRY(gpu_run(r->g, mergetree_relabel, .edges = &r->b->edges, .twin = &r->twin, .label = &r->label,
                .best_key = &r->best_key, .best_at = &r->best_at, .rest = &r->rest, .state = &r->b->state,
                .first = first, .count = count, .mask = r->mask, .groups = mergetree_groups(count)));
    return gpu_download(r->g, &r->b->state, 0, 2, state);
}

/* A piece at a time, by way of rest, as there is no room for all edges twice. An edge that the table of twins
 * names may have been moved over by then; what is there now is kept, and may stand for its twins as well. */
static glshape_status relabel(rounds *r) {
    uint32_t kept = 0, piece = r->rest.elements, state[2];
    for (uint32_t first = 0, count; first < r->left; first += count) {
        count = r->left - first < piece ? r->left - first : piece;
        int follow = 0;
        do {
            if (++follow > MOST_FOLLOWS)
                return fail(err_of(r), GLSHAPE_GPU_ERROR,
                            "components of a field hook to each other in a circle");
            TRY(relabel_once(r, first, count, state));
        } while (state[1]);
        TRY(gpu_run(r->g, mergetree_move, .rest = &r->rest, .edges = &r->b->edges, .first = kept,
                    .count = state[0], .groups = mergetree_groups(state[0])));
        kept += state[0];
    }
    r->left = kept;
    return GLSHAPE_OK;
}

/* ---- what is left, on the CPU ------------------------------------------------------------------ */

/* Lists the components that the edges join in *ids, and their minima in *minimum; free() both. In the edges
 * they become places in these lists. */
static glshape_status number(rounds *r, const uint32_t *minima, radix_item *edges, uint32_t **ids,
                             uint32_t **minimum, uint32_t *count) {
    OWNED uint32_t *place = NULL;
    uint32_t most = 2 * r->left < r->count ? 2 * r->left : r->count;
    TRY(allocate(err_of(r), ids, most, sizeof **ids, "the components that are left"));
    TRY(allocate(err_of(r), minimum, most, sizeof **minimum, "the components that are left"));
    TRY(allocate(err_of(r), &place, r->count, sizeof *place, "the components that are left"));
    *count = 0;
    for (uint32_t k = 0; k < r->left; k++) {
        uint32_t *const ends[] = {&edges[k].a, &edges[k].b};
        for (int i = 0; i < 2; i++) {
            uint32_t id = *ends[i];
            if (!place[id]) {
                (*ids)[*count] = id;
                (*minimum)[*count] = minima[id];
                place[id] = ++*count;
            }
            *ends[i] = place[id] - 1;
        }
    }
    return GLSHAPE_OK;
}

static glshape_status scatter(rounds *r, const branches *part, const uint32_t *ids) {
    OWNED uint32_t(*staging)[8] = NULL;
    OWNED_BY(gpu_texture_free) gpu_texture fates = {0};
    uint32_t room = part->count < BLOCK ? part->count : BLOCK;
    TRY(allocate(err_of(r), &staging, BLOCK, sizeof *staging, "staging of branches"));
    TRY(gpu_texture_new(r->g, &fates, "fates of branches", GPU_RGBA32UI, room, 2));
    for (uint32_t first = 0; first < part->count; first += BLOCK) {
        uint32_t count = part->count - first < BLOCK ? part->count - first : BLOCK;
        for (uint32_t k = 0, m = first; k < count; k++, m++) {
            const uint32_t fate[8] = {ids[m],
                                      part->depth[m],
                                      ids[part->parent[m]],
                                      ids[part->jump[m]],
                                      (uint32_t)(part->death[m] >> 32),
                                      (uint32_t)part->death[m]};
            memcpy(staging[k], fate, sizeof fate);
        }
        TRY(gpu_upload(r->g, &fates, 0, count, staging));
        TRY(gpu_run(r->g, mergetree_scatter, .fates = &fates, .branch = &r->b->branch, .depth = &r->depth,
                    .count = count, .groups = mergetree_groups(count)));
    }
    return GLSHAPE_OK;
}

/* Puts the edges that are left into a texture of their size: to read a part of a large texture can take as
 * long as to read all of it (0.5 s of 0.8 GB, NVIDIA). */
static glshape_status shrink(rounds *r) {
    OWNED_BY(gpu_texture_free) gpu_texture few = {0};
    TRY(gpu_texture_new(r->g, &few, "edges that are left", GPU_RGBA32UI, r->left, 1));
    TRY(gpu_run(r->g, mergetree_move, .rest = &r->b->edges, .edges = &few, .first = 0, .count = r->left,
                .groups = mergetree_groups(r->left)));
    gpu_texture_swap(&r->b->edges, &few);
    return GLSHAPE_OK;
}

static glshape_status finish(rounds *r, const uint32_t *minima) {
    OWNED uint32_t *ids = NULL, *minimum = NULL;
    OWNED radix_item *edges = NULL;
    OWNED_BY(branches_free) branches part = {0};
    uint32_t count = 0;
    r->b->edge_count = r->left;
    TRY(shrink(r));
    TRY(basins_fetch(r->g, r->b, &edges));
    TRY(number(r, minima, edges, &ids, &minimum, &count));
    TRY(branches_new(err_of(r), r->order, MOVE(minimum), count, edges, r->left, &part));
    return scatter(r, &part, ids);
}

/* ---- the forest -------------------------------------------------------------------------------- */

/* Finds the parents of branches, from the last round to the first: a branch that ended in one round hooked to
 * one that had not ended by then, whose parent is known. */
static glshape_status settle(rounds *r, const uint32_t *minima) {
    basins *b = r->b;
    gpu_texture *const done[] = {&r->rest, &r->twin, &r->twin_key};
    for (size_t i = 0; i < sizeof done / sizeof *done; i++) gpu_texture_free(done[i]);
    if (!r->left) gpu_texture_free(&b->edges);
    TRY(gpu_texture_new(r->g, &b->branch, "branches", GPU_RGBA32UI, r->count, 1));
    if (r->left) TRY(finish(r, minima));
    for (uint32_t k = 0; k <= r->round; k++)
        TRY(gpu_run(r->g, mergetree_settle, .label = &r->label, .best_key = &r->best_key,
                    .best_at = &r->best_at, .depth = &r->depth, .branch = &b->branch, .n = r->count,
                    .round = k ? r->round - k + 1 : 0, .groups = mergetree_groups(r->count)));
    return GLSHAPE_OK;
}

static void rounds_free(rounds *r) {
    gpu_texture *const all[] = {&r->label, &r->best_key, &r->best_at, &r->depth,
                                &r->rest,  &r->twin,     &r->twin_key};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) gpu_texture_free(all[i]);
}

glshape_status pairs_find(gpu *g, basins *b, uint32_t few, branches *tree) {
    OWNED_BY(rounds_free)
    rounds r = {.g = g,
                .b = b,
                .order = b->field->order,
                .count = b->minima,
                .left = b->edge_count,
                .mask = UINT32_MAX >> 1};
    OWNED uint32_t *minima = NULL;
    OWNED radix_item *items = NULL;
    *tree = (branches){0};
    TRY(begin(&r));
    for (uint32_t before = UINT32_MAX; r.left > few && r.left < before - before / 8;) {
        before = r.left;
        TRY(hook(&r));
        TRY(relabel(&r));
        TRY(gpu_tick(g, 0.5));
    }
    TRY(basins_minima(g, b, &minima));
    TRY(settle(&r, minima));
    TRY(allocate(gpu_error(g), &items, r.count, 2 * sizeof *items, "the branches"));
    TRY(gpu_download(g, &b->branch, 0, r.count, items));
    return branches_of_forest(gpu_error(g), r.order, MOVE(minima), r.count, items, tree);
}
