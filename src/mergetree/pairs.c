#include "mergetree/pairs.h"

#include <string.h>

#include "base/memory.h"
#include "base/owned.h"
#include "base/threads.h"
#include "mergetree/passes.h"
#include "prim/passes.h"

#ifndef PAIRS_FEW
#define PAIRS_FEW (gpu_insists(g) ? 0 : gpu_is_software(g) ? UINT32_MAX : 200000u)
#endif
#define BLOCK 65536u
#define MUCH 4      /* edges leave room for others if they become so many times fewer */
#define MOST_RUNS 7 /* 64^6 > 2^32 steps, and one run that sees that all have arrived */

typedef struct rounds {
    gpu *g;
    basins *b;
    const order *order;
    uint32_t count, left, round; /* components at first; edges between components; rounds done */
    uint32_t mask;               /* of slots in the table of parallel edges */
    bool small;                  /* pieces and table are made so small that few edges show what many do */
    gpu_texture label, best_key, best_at, depth, rest, parallel_key, parallel;
} rounds;

static error *err_of(const rounds *r) { return gpu_error(r->g); }

uint32_t pairs_few(const gpu *g) {
    (void)g;
    return PAIRS_FEW;
}

/* ---- rounds ------------------------------------------------------------------------------------ */

/* The table of parallel edges has at least half as many slots as there are edges. */
static void fit_mask(rounds *r) {
    uint32_t most = r->small ? r->left / 8 : r->left;
    while (r->mask > most) r->mask >>= 1;
}

static glshape_status rounds_new(rounds *r) {
    const struct {
        gpu_texture *t;
        const char *label;
    } parts[] = {{&r->label, "components"},
                 {&r->best_key, "keys of lowest edges"},
                 {&r->best_at, "vertices of lowest edges"},
                 {&r->depth, "depths of branches"}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        TRY(gpu_texture_new(r->g, parts[i].t, parts[i].label, GPU_R32UI, r->count, 1));
    uint32_t piece = r->small ? r->left / 16 + 1 : r->left / 8 + BLOCK;
    if (piece > r->left) piece = r->left;
    TRY(gpu_texture_new(r->g, &r->rest, "edges that are left", GPU_RGBA32UI, piece, 1));
    fit_mask(r);
    TRY(gpu_texture_new(r->g, &r->parallel, "parallel edges", GPU_R32UI, r->mask + 1, 1));
    TRY(gpu_texture_new(r->g, &r->parallel_key, "keys of parallel edges", GPU_R32UI, r->mask + 1, 1));
    return gpu_run(r->g, mergetree_components, .label = &r->label, .best_key = &r->best_key,
                   .best_at = &r->best_at, .depth = &r->depth, .n = r->count,
                   .groups = mergetree_groups(r->count));
}

static glshape_status clear_parallel(rounds *r) {
    fit_mask(r);
    return gpu_run(r->g, prim_fill, .filled = &r->parallel_key, .value = UINT32_MAX, .elements = r->mask + 1);
}

/* Finds the lowest edge of each component, and hooks the component to the other end of it if that is older.
 */
static glshape_status hook_components(rounds *r) {
    gpu_texture *edges = &r->b->edges;
    uint32_t groups = mergetree_groups(r->left);
    TRY(clear_parallel(r));
    TRY(gpu_run(r->g, mergetree_lowest_edge_key, .edges = edges, .best_key = &r->best_key,
                .parallel_key = &r->parallel_key, .count = r->left, .mask = r->mask, .groups = groups));
    TRY(gpu_run(r->g, mergetree_lowest_edge_at, .edges = edges, .best_key = &r->best_key,
                .best_at = &r->best_at, .parallel_key = &r->parallel_key, .parallel = &r->parallel,
                .count = r->left, .mask = r->mask, .groups = groups));
    return gpu_run(r->g, mergetree_hook, .edges = edges, .key = &r->b->field->key, .minimum = &r->b->minimum,
                   .best_key = &r->best_key, .best_at = &r->best_at, .label = &r->label, .depth = &r->depth,
                   .count = r->left, .round = ++r->round, .minima = r->b->minima, .groups = groups);
}

/* Gives the components that ended in this round the label of the one that they are part of now. */
static glshape_status arrive(rounds *r) {
    uint32_t state[2] = {0, 1};
    for (int runs = 0; state[1]; runs++) {
        if (runs == MOST_RUNS)
            return fail(err_of(r), GLSHAPE_GPU_ERROR, "components of a field hook to each other in a circle");
        TRY(gpu_upload(r->g, &r->b->state, 0, 2, (uint32_t[2]){0}));
        TRY(gpu_run(r->g, mergetree_arrive, .label = &r->label, .depth = &r->depth, .state = &r->b->state,
                    .n = r->b->minima, .round = r->round, .groups = mergetree_groups(r->b->minima)));
        TRY(gpu_download(r->g, &r->b->state, 0, 2, state));
    }
    return GLSHAPE_OK;
}

/* Relabels some edges. *kept becomes the number of those in rest. */
static glshape_status relabel_piece(rounds *r, uint32_t first, uint32_t count, uint32_t *kept) {
    TRY(gpu_upload(r->g, &r->b->state, 0, 2, (uint32_t[2]){0}));
    TRY(gpu_run(r->g, mergetree_relabel, .edges = &r->b->edges, .parallel = &r->parallel, .label = &r->label,
                .best_key = &r->best_key, .best_at = &r->best_at, .rest = &r->rest, .state = &r->b->state,
                .first = first, .count = count, .mask = r->mask, .groups = mergetree_groups(count)));
    TRY(gpu_download(r->g, &r->b->state, 0, 1, kept));
    return *kept <= count ? GLSHAPE_OK
                          : fail(err_of(r), GLSHAPE_GPU_ERROR, "%u edges are left of %u", *kept, count);
}

/* Relabels the edges and keeps those between two components. There is no room for all edges twice, so this
 * goes a piece at a time, by way of rest. An edge that the table of parallel edges names may have been
 * overwritten by then; the edge that is there now is kept, and may stand for the edges parallel to itself as
 * well. */
static glshape_status relabel_edges(rounds *r) {
    uint32_t kept = 0, piece = r->rest.elements;
    TRY(arrive(r));
    for (uint32_t first = 0, count, some; first < r->left; first += count) {
        count = r->left - first < piece ? r->left - first : piece;
        TRY(relabel_piece(r, first, count, &some));
        TRY(gpu_run(r->g, mergetree_move, .rest = &r->rest, .edges = &r->b->edges, .first = kept,
                    .count = some, .groups = mergetree_groups(some)));
        kept += some;
    }
    r->left = kept;
    return GLSHAPE_OK;
}

/* ---- what is left, on the CPU ------------------------------------------------------------------ */

/* Lists the components that the edges join in *ids; free() it. In the edges they become places in the list.
 */
static glshape_status list_components(rounds *r, radix_item *edges, uint32_t **ids, uint32_t *count) {
    OWNED uint32_t *place = NULL;
    uint32_t most = 2 * r->left < r->count ? 2 * r->left : r->count;
    TRY(allocate(err_of(r), ids, most, sizeof **ids, "the components that are left"));
    TRY(allocate(err_of(r), &place, r->count, sizeof *place, "the components that are left"));
    *count = 0;
    for (uint32_t k = 0; k < r->left; k++) {
        uint32_t *const ends[] = {&edges[k].a, &edges[k].b};
        for (int i = 0; i < 2; i++) {
            uint32_t id = *ends[i];
            if (id >= r->count)
                return fail(err_of(r), GLSHAPE_GPU_ERROR, "an edge of component %u of %u", id, r->count);
            if (!place[id]) {
                (*ids)[*count] = id;
                place[id] = ++*count;
            }
            *ends[i] = place[id] - 1;
        }
    }
    return GLSHAPE_OK;
}

/* Sets *minimum to the minima of components; free() it. */
static glshape_status fetch_minima(rounds *r, const uint32_t *ids, uint32_t count, uint32_t **minimum) {
    OWNED_BY(gpu_texture_free) gpu_texture of = {0};
    OWNED_BY(gpu_texture_free) gpu_texture found = {0};
    TRY(allocate(err_of(r), minimum, count, sizeof **minimum, "the components that are left"));
    TRY(gpu_texture_new(r->g, &of, "components that are left", GPU_R32UI, count, 1));
    TRY(gpu_texture_new(r->g, &found, "minima of components", GPU_R32UI, count, 1));
    TRY(gpu_upload(r->g, &of, 0, count, ids));
    TRY(gpu_run(r->g, mergetree_minima, .ids = &of, .minimum = &r->b->minimum, .found = &found,
                .count = count, .groups = mergetree_groups(count)));
    TRY(gpu_download(r->g, &found, 0, count, *minimum));
    for (uint32_t m = 0; m < count; m++)
        if ((*minimum)[m] >= r->b->n)
            return fail(err_of(r), GLSHAPE_GPU_ERROR, "a minimum at vertex %u of %u", (*minimum)[m], r->b->n);
    return GLSHAPE_OK;
}

/* Stores the branches of part, whose numbers are ids, in the branches on the GPU. */
static glshape_status store_branches(rounds *r, const branches *part, const uint32_t *ids) {
    OWNED uint32_t(*staging)[8] = NULL;
    OWNED_BY(gpu_texture_free) gpu_texture ends = {0};
    uint32_t room = part->count < BLOCK ? part->count : BLOCK;
    TRY(allocate(err_of(r), &staging, BLOCK, sizeof *staging, "staging of branches"));
    TRY(gpu_texture_new(r->g, &ends, "ends of branches", GPU_RGBA32UI, room, 2));
    for (uint32_t first = 0; first < part->count; first += BLOCK) {
        uint32_t count = part->count - first < BLOCK ? part->count - first : BLOCK;
        for (uint32_t k = 0, m = first; k < count; k++, m++) {
            const uint32_t end[8] = {ids[m],
                                     part->depth[m],
                                     ids[part->parent[m]],
                                     ids[part->jump[m]],
                                     (uint32_t)(part->death[m] >> 32),
                                     (uint32_t)part->death[m]};
            memcpy(staging[k], end, sizeof end);
        }
        TRY(gpu_upload(r->g, &ends, 0, count, staging));
        TRY(gpu_run(r->g, mergetree_store_branches, .ends = &ends, .branch = &r->b->branch,
                    .depth = &r->depth, .count = count, .groups = mergetree_groups(count)));
    }
    return GLSHAPE_OK;
}

/* Moves the edges that are left into a texture of their size: reading a part of a large texture can take as
 * long as reading all of it (0.5 s for 0.8 GB, NVIDIA). */
static glshape_status shrink_edges(rounds *r) {
    OWNED_BY(gpu_texture_free) gpu_texture few = {0};
    TRY(gpu_texture_new(r->g, &few, "edges that are left", GPU_RGBA32UI, r->left, 1));
    TRY(gpu_run(r->g, mergetree_move, .rest = &r->b->edges, .edges = &few, .first = 0, .count = r->left,
                .groups = mergetree_groups(r->left)));
    gpu_texture_swap(&r->b->edges, &few);
    return GLSHAPE_OK;
}

/* Applies the elder rule to the edges that are left, on the CPU. */
static glshape_status pair_rest(rounds *r) {
    OWNED uint32_t *ids = NULL, *minimum = NULL;
    OWNED radix_item *edges = NULL;
    OWNED_BY(branches_free) branches part = {0};
    uint32_t count = 0;
    TRY(basins_fetch(r->g, r->b, &edges));
    TRY(list_components(r, edges, &ids, &count));
    TRY(fetch_minima(r, ids, count, &minimum));
    TRY(branches_new(err_of(r), r->order, MOVE(minimum), count, edges, r->left, &part));
    return store_branches(r, &part, ids);
}

/* ---- the forest -------------------------------------------------------------------------------- */

static glshape_status new_branches(gpu *g, basins *b) {
    return gpu_texture_new(g, &b->branch, "branches", GPU_RGBA32UI, b->minima, 1);
}

/* Makes room for the branches in place of what is done with. */
static glshape_status make_room(rounds *r) {
    gpu_texture *const done[] = {&r->rest, &r->parallel, &r->parallel_key};
    for (size_t i = 0; i < sizeof done / sizeof *done; i++) gpu_texture_free(done[i]);
    if (!r->left) gpu_texture_free(&r->b->edges);
    else if (r->left <= r->b->edges.elements / MUCH) TRY(shrink_edges(r));
    return r->b->branch.id ? GLSHAPE_OK : new_branches(r->g, r->b);
}

/* Finds the parents of branches, from the last round to the first. A branch that ended in a round hooked to
 * one that had not ended by then, so the parent of that one is known. */
static glshape_status find_parents(rounds *r) {
    uint32_t n = r->b->minima;
    for (uint32_t k = 0; k <= r->round; k++)
        TRY(gpu_run(r->g, mergetree_parents, .label = &r->label, .best_key = &r->best_key,
                    .best_at = &r->best_at, .depth = &r->depth, .branch = &r->b->branch, .n = n,
                    .round = k ? r->round - k + 1 : 0, .groups = mergetree_groups(n)));
    return GLSHAPE_OK;
}

static void rounds_free(rounds *r) {
    gpu_texture *const all[] = {&r->label, &r->best_key, &r->best_at,     &r->depth,
                                &r->rest,  &r->parallel, &r->parallel_key};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) gpu_texture_free(all[i]);
}

static glshape_status run_rounds(rounds *r, uint32_t few, double fraction) {
    for (uint32_t before = UINT32_MAX; r->left > few && r->left < before - before / 8;) {
        before = r->left;
        TRY(hook_components(r));
        TRY(relabel_edges(r));
        TRY(gpu_tick(r->g, fraction));
    }
    return GLSHAPE_OK;
}

static rounds rounds_of(gpu *g, basins *b) {
    return (rounds){.g = g,
                    .b = b,
                    .order = b->field->order,
                    .count = b->minima,
                    .left = b->edge_count,
                    .mask = UINT32_MAX >> 1,
                    .small = gpu_is_eager(g)};
}

glshape_status pairs_find(gpu *g, basins *b, uint32_t few, bool list, branches *tree) {
    OWNED_BY(rounds_free) rounds r = rounds_of(g, b);
    OWNED uint32_t *minima = NULL;
    OWNED radix_item *items = NULL;
    *tree = (branches){0};
    TRY(rounds_new(&r));
    TRY(run_rounds(&r, few, 0.5));
    TRY(make_room(&r));
    b->edge_count = r.left;
    if (r.left) {
        OWNED_BY(gpu_end_within)
        gpu_within stage = gpu_begin_within(g, "rest", r.left > few ? GPU_NOT_FASTER : GPU_NOT_SMALL);
        TRY(pair_rest(&r));
    }
    TRY(find_parents(&r));
    if (list)
        TRY(gpu_run(g, mergetree_name_branches, .minimum = &b->minimum, .branch = &b->branch, .n = r.count,
                    .groups = mergetree_groups(r.count)));
    else TRY(basins_minima(g, b, &minima));
    TRY(allocate(gpu_error(g), &items, r.count, 2 * sizeof *items, "the branches"));
    TRY(gpu_download(g, &b->branch, 0, r.count, list ? items + r.count : items));
    return list ? branches_list_forest(gpu_error(g), r.order, r.count, MOVE(items), tree)
                : branches_of_forest(gpu_error(g), r.order, MOVE(minima), r.count, items, tree);
}

/* ---- of a slab --------------------------------------------------------------------------------- */

/* What is outside becomes components behind the minima. */
static glshape_status add_outside(rounds *r) {
    basins *b = r->b;
    const grid_field *f = b->field;
    uint32_t plane = f->grid.extent[0] * f->grid.extent[1];
    r->count += 2 * plane;
    TRY(rounds_new(r));
    TRY(new_branches(r->g, b)); /* before edges change: nothing that follows lacks memory */
    TRY(gpu_run(r->g, mergetree_outside, .BACK = 0, .edges = &b->edges, .count = r->left, .minima = b->minima,
                .groups = mergetree_groups(r->left)));
    return gpu_run(r->g, mergetree_seen, .basin = &b->basin, .depth = &r->depth, .plane = plane,
                   .first = f->lo * plane, .last = (f->hi - 1) * plane, .minima = b->minima,
                   .groups = mergetree_groups(2 * plane));
}

typedef struct spelling {
    const grid_field *field;
    radix_item *ends;
} spelling;

/* Makes items of the words of the forest, in their place. */
static void spell_ends(void *user, size_t first, size_t end) {
    const spelling *s = user;
    for (size_t m = first; m < end; m++) {
        uint32_t words[4];
        memcpy(words, &s->ends[m], sizeof words);
        bool ends = words[0] != UINT32_MAX || words[1] != UINT32_MAX;
        uint32_t v = ends ? grid_vertex(s->field, words[1]) : 0;
        s->ends[m] = (radix_item){ends ? (uint64_t)words[0] << 32 | v : BRANCH_ESSENTIAL, words[2], v};
    }
}

glshape_status pairs_decide(gpu *g, basins *b, uint32_t few, double fraction, radix_item **out) {
    OWNED_BY(rounds_free) rounds r = rounds_of(g, b);
    OWNED radix_item *ends = NULL;
    TRY(add_outside(&r));
    TRY(run_rounds(&r, few, fraction));
    TRY(make_room(&r));
    if (r.left)
        TRY(gpu_run(g, mergetree_outside, .BACK = 1, .edges = &b->edges, .count = r.left, .minima = b->minima,
                    .groups = mergetree_groups(r.left)));
    TRY(find_parents(&r));
    TRY(memory_resize(gpu_error(g), &ends, b->minima, sizeof *ends, "the branches"));
    if (b->minima) TRY(gpu_download(g, &b->branch, 0, b->minima, ends));
    gpu_texture_free(&b->branch);
    threads_ranges(b->minima, spell_ends, &(spelling){b->field, ends});
    b->edge_count = r.left;
    *out = MOVE(ends);
    return GLSHAPE_OK;
}
