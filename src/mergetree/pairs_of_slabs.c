/* What a slab decides alone: the elder rule in rounds over the graph of its basins. */
#include "mergetree/pairs.h"

#include <stdatomic.h>
#include <string.h>

#include "base/memory.h"
#include "base/owned.h"
#include "base/threads.h"
#include "mergetree/passes.h"
#include "place/place.h"
#include "prim/passes.h"

#define BLOCK 65536u
#define MOST_RUNS 7 /* 64^6 > 2^32 steps, and one run that sees that all have arrived */

typedef struct rounds {
    gpu *g;
    basins *b;
    uint32_t count, left, round; /* components at first; edges between components; rounds done */
    uint32_t mask;               /* of slots in the table of parallel edges */
    bool small;                  /* pieces and table are made so small that few edges show what many do */
    gpu_texture label, best_key, best_at, depth, rest, parallel_key, parallel;
} rounds;

static error *err_of(const rounds *r) { return run_error(run_of(r->g)); }

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
                   .groups = field_groups(r->count));
}

static glshape_status clear_parallel(rounds *r) {
    fit_mask(r);
    return gpu_run(r->g, prim_fill, .filled = &r->parallel_key, .value = UINT32_MAX, .elements = r->mask + 1);
}

/* Finds the lowest edge of each component, and hooks the component to the other end of it if that is older.
 */
static glshape_status hook_components(rounds *r) {
    gpu_texture *edges = &r->b->edges;
    uint32_t groups = field_groups(r->left);
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
                    .n = r->b->minima, .round = r->round, .groups = field_groups(r->b->minima)));
        TRY(gpu_download(r->g, &r->b->state, 0, 2, state));
    }
    return GLSHAPE_OK;
}

/* Relabels some edges. *kept becomes the number of those in rest. */
static glshape_status relabel_piece(rounds *r, uint32_t first, uint32_t count, uint32_t *kept) {
    TRY(gpu_upload(r->g, &r->b->state, 0, 2, (uint32_t[2]){0}));
    TRY(gpu_run(r->g, mergetree_relabel, .edges = &r->b->edges, .parallel = &r->parallel, .label = &r->label,
                .best_key = &r->best_key, .best_at = &r->best_at, .rest = &r->rest, .state = &r->b->state,
                .first = first, .count = count, .mask = r->mask, .groups = field_groups(count)));
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
                    .count = some, .groups = field_groups(some)));
        kept += some;
    }
    r->left = kept;
    return GLSHAPE_OK;
}

/* ---- the forest -------------------------------------------------------------------------------- */

/* Makes room for the branches in place of what is done with. */
static void make_room(rounds *r) {
    gpu_texture *const done[] = {&r->rest, &r->parallel, &r->parallel_key};
    for (size_t i = 0; i < sizeof done / sizeof *done; i++) gpu_texture_free(done[i]);
    if (!r->left) gpu_texture_free(&r->b->edges);
}

/* Finds the parents of branches, from the last round to the first. A branch that ended in a round hooked to
 * one that had not ended by then, so the parent of that one is known. */
static glshape_status find_parents(rounds *r) {
    uint32_t n = r->b->minima;
    for (uint32_t k = 0; k <= r->round; k++)
        TRY(gpu_run(r->g, mergetree_parents, .label = &r->label, .best_key = &r->best_key,
                    .best_at = &r->best_at, .depth = &r->depth, .branch = &r->b->branch, .n = n,
                    .round = k ? r->round - k + 1 : 0, .groups = field_groups(n)));
    return GLSHAPE_OK;
}

static void rounds_free(rounds *r) {
    gpu_texture *const all[] = {&r->label, &r->best_key, &r->best_at,     &r->depth,
                                &r->rest,  &r->parallel, &r->parallel_key};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) gpu_texture_free(all[i]);
}

static bool are_many(const rounds *r) {
    return r->left && run_why_device(place_by_size(r->g, PLACE_SADDLES, r->left));
}

static glshape_status run_rounds(rounds *r, double fraction) {
    for (uint32_t before = UINT32_MAX; are_many(r) && r->left < before - before / 8;) {
        before = r->left;
        TRY(hook_components(r));
        TRY(relabel_edges(r));
        TRY(run_tick(run_of(r->g), fraction));
    }
    return GLSHAPE_OK;
}

static rounds rounds_of(gpu *g, basins *b) {
    return (rounds){.g = g,
                    .b = b,
                    .count = b->minima,
                    .left = b->edge_count,
                    .mask = UINT32_MAX >> 1,
                    .small = place_is_tested(g)};
}

/* ---- what is outside --------------------------------------------------------------------------- */

/* What is outside becomes components behind the minima. */
static glshape_status add_outside(rounds *r) {
    basins *b = r->b;
    const grid_field *f = b->field;
    uint32_t plane = f->grid.extent[0] * f->grid.extent[1];
    r->count += 2 * plane;
    TRY(rounds_new(r));
    /* before edges change: nothing that follows lacks memory */
    TRY(gpu_texture_new(r->g, &b->branch, "branches", GPU_RGBA32UI, b->minima, 1));
    TRY(gpu_run(r->g, mergetree_outside, .BACK = 0, .edges = &b->edges, .count = r->left, .minima = b->minima,
                .groups = field_groups(r->left)));
    return gpu_run(r->g, mergetree_seen, .basin = &b->basin, .depth = &r->depth, .plane = plane,
                   .first = f->lo * plane, .last = (f->hi - 1) * plane, .minima = b->minima,
                   .groups = field_groups(2 * plane));
}

typedef struct spelling {
    const grid_field *field;
    radix_item *ends;
    uint32_t minima;
    atomic_bool wrong;
} spelling;

/* Makes items of the words of the forest, in their place. */
static void spell_ends(void *user, size_t first, size_t end) {
    spelling *s = user;
    for (size_t m = first; m < end; m++) {
        uint32_t words[4];
        memcpy(words, &s->ends[m], sizeof words);
        bool ends = words[0] != UINT32_MAX || words[1] != UINT32_MAX;
        uint32_t v = ends ? grid_vertex(s->field, words[1]) : 0;
        if (words[2] >= s->minima) atomic_store_explicit(&s->wrong, true, memory_order_relaxed);
        s->ends[m] = (radix_item){ends ? (uint64_t)words[0] << 32 | v : BRANCH_ESSENTIAL, words[2], v};
    }
}

glshape_status pairs_decide(gpu *g, basins *b, double fraction, radix_item **out) {
    OWNED_BY(rounds_free) rounds r = rounds_of(g, b);
    OWNED radix_item *ends = NULL;
    TRY(add_outside(&r));
    TRY(run_rounds(&r, fraction));
    make_room(&r);
    if (r.left)
        TRY(gpu_run(g, mergetree_outside, .BACK = 1, .edges = &b->edges, .count = r.left, .minima = b->minima,
                    .groups = field_groups(r.left)));
    TRY(find_parents(&r));
    TRY(memory_resize(run_error(run_of(g)), &ends, b->minima, sizeof *ends, "the branches"));
    if (b->minima) TRY(gpu_download(g, &b->branch, 0, b->minima, ends));
    gpu_texture_free(&b->branch);
    spelling s = {.field = b->field, .ends = ends, .minima = b->minima};
    threads_ranges(b->minima, spell_ends, &s);
    if (s.wrong)
        return fail(err_of(&r), GLSHAPE_GPU_ERROR, "a branch of a slab ends on none of its branches");
    b->edge_count = r.left;
    *out = MOVE(ends);
    return GLSHAPE_OK;
}
