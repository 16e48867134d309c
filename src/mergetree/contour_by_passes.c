/* Nodes are sorted by key and vertex, and then, for each tree, by the branch that they are on. Node by node,
 * that gives parents: the next node on the branch, or the node where it ends. Which branches begin below a
 * node takes a tour around the tree of branches (Tarjan, Vishkin 1985). Each stop knows the next one; in
 * rounds, each looks twice as far ahead and adds up what it passes (Wyllie 1979), so branches are numbered in
 * some 25 rounds however they hang on one another. Which of the branches that end at one node comes first
 * depends on the device; no arc does.
 *
 * The host follows parents and rows, so it looks at each first: parents lie behind their node, so ways up
 * end. */
#include "mergetree/contour_by_passes.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/owned.h"
#include "base/threads.h"
#include "mergetree/passes.h"
#include "prim/passes.h"

#define NONE CONTOUR_NONE

static const char what[] = "the contour tree";

enum { NODES, FORKS, ARCS, COUNTS };

/* What a side needs at a time. */
typedef struct side {
    int which;
    uint32_t branches, forks;
    gpu_texture at, slot, low, high;           /* contour_slots.glsl */
    gpu_texture ends, row, next, head, ending; /* contour_ends.glsl */
    gpu_texture is_fork, before, fork, tour[2];
} side;

typedef struct finder {
    gpu *g;
    contour_vertices *v;
    uint32_t n, count; /* vertices, nodes */
    const contour_found *out;
    gpu_texture counts, vertex, by_vertex, items[2], branch[2], up[2];
    prim_radix_scratch radix;
    side side;
    threads_touching *touching;
    atomic_bool wrong;
} finder;

static void side_free(side *s) {
    gpu_texture *const all[] = {&s->at,     &s->slot, &s->low,     &s->high,   &s->ends,
                                &s->row,    &s->next, &s->head,    &s->ending, &s->is_fork,
                                &s->before, &s->fork, &s->tour[0], &s->tour[1]};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) gpu_texture_free(all[i]);
}

static void finder_free(finder *f) {
    gpu_texture *const all[] = {&f->counts,    &f->vertex,    &f->by_vertex, &f->items[0], &f->items[1],
                                &f->branch[0], &f->branch[1], &f->up[0],     &f->up[1]};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) gpu_texture_free(all[i]);
    prim_radix_free(&f->radix);
    side_free(&f->side);
    threads_touched(&f->touching);
}

static glshape_status is_wrong(const finder *f) {
    return fail(gpu_error(f->g), GLSHAPE_GPU_ERROR,
                "a contour tree does not come out right: the driver of %s computes something wrong; take "
                "another device (--device)",
                gpu_renderer(f->g));
}

static glshape_status new_words(finder *f, gpu_texture *t, const char *label, uint32_t count) {
    return gpu_texture_new(f->g, t, label, GPU_R32UI, count, 1);
}

static glshape_status new_pairs(finder *f, gpu_texture *t, const char *label, uint32_t count) {
    return gpu_texture_new(f->g, t, label, GPU_RG32UI, count, 1);
}

static glshape_status fill(finder *f, gpu_texture *t, uint32_t value) {
    return gpu_run(f->g, prim_fill, .filled = t, .value = value, .elements = t->elements);
}

/* ---- nodes ------------------------------------------------------------------------------------- */

static glshape_status mark_nodes(finder *f, const contour_branches sides[2]) {
    TRY(new_words(f, &f->v->number, "numbers of nodes", f->n));
    TRY(fill(f, &f->v->number, 0));
    for (int k = 0; k < 2; k++) {
        uint32_t count = (uint32_t)sides[k].count;
        TRY(new_pairs(f, &f->branch[k], "branches of both trees", count));
        TRY(gpu_upload(f->g, &f->branch[k], 0, count, sides[k].branch));
        TRY(gpu_run(f->g, mergetree_contour_mark, .branch = &f->branch[k], .number = &f->v->number,
                    .count = count, .groups = mergetree_groups(count)));
    }
    return GLSHAPE_OK;
}

/* Lists them by vertex. most: there are no more. */
static glshape_status list_nodes(finder *f, uint32_t most, gpu_texture *listed) {
    gpu *g = f->g;
    TRY(new_words(f, listed, "nodes by vertex", most));
    TRY(new_words(f, &f->counts, "counts of nodes", COUNTS));
    TRY(prim_compact(g, &f->radix.scan, &f->v->number, NULL, f->n, listed, &f->counts, NODES));
    TRY(gpu_download(g, &f->counts, NODES, 1, &f->count));
    return f->count && f->count <= most ? GLSHAPE_OK : is_wrong(f);
}

static glshape_status sort_nodes(finder *f, gpu_texture *listed) {
    gpu *g = f->g;
    uint32_t groups = mergetree_groups(f->count);
    for (int k = 0; k < 2; k++)
        TRY(gpu_texture_new(g, &f->items[k], "nodes in order", GPU_RGBA32UI, f->count, 1));
    TRY(gpu_run(g, mergetree_contour_items, .listed = listed, .key = &f->v->key, .items = &f->items[0],
                .count = f->count, .groups = groups));
    TRY(prim_radix(g, &f->radix, f->items, f->count, 32, 64));
    gpu_texture_free(listed);
    TRY(new_words(f, &f->vertex, "nodes", f->count));
    TRY(new_words(f, &f->by_vertex, "places of nodes by vertex", f->count));
    return gpu_run(g, mergetree_contour_number, .items = &f->items[0], .vertex = &f->vertex,
                   .by_vertex = &f->by_vertex, .number = &f->v->number, .count = f->count, .groups = groups);
}

/* The host's memory of what is found gets its pages meanwhile. */
static glshape_status begin_results(finder *f) {
    const contour_found *o = f->out;
    error *err = gpu_error(f->g);
    size_t count = f->count;
    TRY(allocate(err, &o->nodes->vertex, count, sizeof *o->nodes->vertex, what));
    TRY(allocate(err, &o->tree->node, count, sizeof *o->tree->node, what));
    for (int k = 0; k < 2; k++)
        TRY(allocate(err, &o->tree->reach[k], count, sizeof *o->tree->reach[k], what));
    TRY(allocate(err, o->rows, count, sizeof **o->rows, what));
    o->nodes->n = f->n;
    o->nodes->count = o->tree->count = f->count;
    f->touching = threads_touch_aside((threads_block[THREADS_BLOCKS]){
        {o->tree->reach[0], count * sizeof *o->tree->reach[0]},
        {o->tree->reach[1], count * sizeof *o->tree->reach[1]},
        {o->tree->node, count * sizeof *o->tree->node},
        {*o->rows, count * sizeof **o->rows},
        {o->nodes->vertex, count * sizeof *o->nodes->vertex},
    });
    return GLSHAPE_OK;
}

static glshape_status find_nodes(finder *f, const contour_branches sides[2]) {
    OWNED_BY(gpu_texture_free) gpu_texture listed = {0};
    size_t most = 2 * (sides[0].count + sides[1].count);
    TRY(mark_nodes(f, sides));
    TRY(list_nodes(f, most < f->n ? (uint32_t)most : f->n, &listed));
    TRY(sort_nodes(f, &listed));
    return begin_results(f);
}

/* ---- a side ------------------------------------------------------------------------------------ */

static bool is_split(const side *s) { return s->which == CONTOUR_SPLIT; }

static glshape_status sort_by_branch(finder *f) {
    side *s = &f->side;
    gpu *g = f->g;
    uint32_t count = f->count, groups = mergetree_groups(count);
    TRY(gpu_run(g, mergetree_contour_branch, .vertex = &f->vertex, .key = &f->v->key, .number = &f->v->number,
                .place = &f->v->at[s->which], .items = &f->items[0], .count = count, .n = f->n,
                .split = is_split(s), .groups = groups));
    TRY(prim_radix(g, &f->radix, f->items, count, 0, prim_radix_bits(count)));
    TRY(new_pairs(f, &s->at, "nodes by branch", count));
    TRY(new_words(f, &s->slot, "slots of nodes", count));
    TRY(new_words(f, &s->low, "slots of branches", count));
    TRY(new_words(f, &s->high, "slots of branches", count));
    return gpu_run(g, mergetree_contour_slots, .items = &f->items[0], .at = &s->at, .slot = &s->slot,
                   .low = &s->low, .high = &s->high, .count = count, .groups = groups);
}

/* Finds the nodes beside regular vertices. Where memory lacks later, threads can still do the other side: of
 * the split tree, this comes last. */
static glshape_status place_vertices(finder *f) {
    side *s = &f->side;
    TRY(gpu_run(f->g, mergetree_beside, .key = &f->v->key, .number = &f->v->number, .at = &s->at,
                .low = &s->low, .high = &s->high, .place = &f->v->at[s->which], .n = f->n,
                .split = is_split(s), .groups = mergetree_groups(f->n)));
    f->v->placed[s->which] = true;
    gpu_texture_free(&s->at);
    gpu_texture_free(&s->low);
    gpu_texture_free(&s->high);
    return GLSHAPE_OK;
}

static glshape_status end_branches(finder *f) {
    side *s = &f->side;
    uint32_t count = s->branches;
    TRY(new_pairs(f, &s->ends, "nodes where branches end", count));
    TRY(new_words(f, &s->row, "branches of nodes", f->count));
    TRY(new_words(f, &s->next, "branches that end beside", count));
    TRY(new_words(f, &s->head, "branches that end", f->count + 1));
    TRY(new_words(f, &s->ending, "how many branches end", f->count + 1));
    TRY(fill(f, &s->head, NONE));
    TRY(fill(f, &s->ending, 0));
    return gpu_run(f->g, mergetree_contour_ends, .branch = &f->branch[s->which], .number = &f->v->number,
                   .ends = &s->ends, .row = &s->row, .next = &s->next, .head = &s->head, .ending = &s->ending,
                   .count = count, .nodes = f->count, .groups = mergetree_groups(count));
}

static glshape_status find_parents(finder *f) {
    side *s = &f->side;
    gpu *g = f->g;
    uint32_t count = f->count;
    TRY(new_pairs(f, &f->up[s->which], "parents of nodes", count));
    TRY(new_words(f, &s->is_fork, "whether branches end", count));
    TRY(gpu_run(g, mergetree_contour_up, .items = &f->items[0], .ends = &s->ends, .row = &s->row,
                .ending = &s->ending, .up = &f->up[s->which], .forks = &s->is_fork, .count = count,
                .split = is_split(s), .groups = mergetree_groups(count)));
    gpu_texture_free(&s->ending);
    TRY(new_words(f, &s->before, "forks before", count));
    TRY(new_words(f, &s->fork, "forks", s->branches));
    TRY(prim_scan(g, &f->radix.scan, &s->is_fork, count, &s->before, &f->counts, FORKS));
    TRY(prim_compact(g, &f->radix.scan, &s->is_fork, NULL, count, &s->fork, &f->counts, FORKS));
    TRY(gpu_download(g, &f->counts, FORKS, 1, &s->forks));
    return s->forks <= s->branches ? GLSHAPE_OK : is_wrong(f);
}

static glshape_status number_branches(finder *f) {
    side *s = &f->side;
    gpu *g = f->g;
    uint32_t stops = s->branches + s->forks;
    for (int k = 0; k < 2; k++) TRY(new_pairs(f, &s->tour[k], "a tour of branches", stops));
    TRY(gpu_run(g, mergetree_contour_tour, .items = &f->items[0], .ends = &s->ends, .row = &s->row,
                .slot = &s->slot, .next = &s->next, .head = &s->head, .before = &s->before, .fork = &s->fork,
                .tour = &s->tour[0], .count = f->count, .branches = s->branches, .forks = s->forks,
                .split = is_split(s), .groups = mergetree_groups(stops)));
    for (uint32_t ahead = 1; ahead && ahead < stops; ahead *= 2) {
        TRY(gpu_run(g, mergetree_contour_jump, .tour = &s->tour[0], .further = &s->tour[1], .count = stops,
                    .groups = mergetree_groups(stops)));
        gpu_texture_swap(&s->tour[0], &s->tour[1]);
    }
    return GLSHAPE_OK;
}

static glshape_status find_reach(finder *f) {
    side *s = &f->side;
    _Static_assert(sizeof(contour_reach) == 2 * sizeof(uint32_t), "a reach fills a texel");
    OWNED_BY(gpu_texture_free) gpu_texture reach = {0};
    TRY(new_pairs(f, &reach, "branches below nodes", f->count));
    TRY(gpu_run(f->g, mergetree_contour_reach, .items = &f->items[0], .row = &s->row, .before = &s->before,
                .forks = &s->is_fork, .fork = &s->fork, .tour = &s->tour[0], .reach = &reach,
                .count = f->count, .branches = s->branches, .split = is_split(s),
                .groups = mergetree_groups(f->count)));
    return gpu_download(f->g, &reach, 0, f->count, f->out->tree->reach[s->which]);
}

/* Leaves what place_vertices() needs. */
static void free_tour(side *s) {
    side left = {.which = s->which};
    gpu_texture_swap(&left.at, &s->at);
    gpu_texture_swap(&left.low, &s->low);
    gpu_texture_swap(&left.high, &s->high);
    side_free(s);
    *s = left;
}

static glshape_status find_side(finder *f, int which, uint32_t branches) {
    side_free(&f->side);
    f->side = (side){.which = which, .branches = branches};
    TRY(sort_by_branch(f));
    if (which == CONTOUR_JOIN) TRY(place_vertices(f));
    TRY(end_branches(f));
    gpu_texture_free(&f->branch[which]);
    TRY(find_parents(f));
    TRY(number_branches(f));
    threads_touched(&f->touching);
    TRY(find_reach(f));
    if (which == CONTOUR_SPLIT) free_tour(&f->side);
    return GLSHAPE_OK;
}

/* ---- what the host needs ----------------------------------------------------------------------- */

static glshape_status bring_rows(finder *f) {
    OWNED_BY(gpu_texture_free) gpu_texture rows = {0};
    OWNED_BY(gpu_texture_free) gpu_texture start = {0};
    OWNED_BY(gpu_texture_free) gpu_texture first = {0};
    gpu *g = f->g;
    uint32_t count = f->count, groups = mergetree_groups(count);
    _Static_assert(sizeof(contour_rows) == 2 * sizeof(uint32_t), "rows fill a texel");
    TRY(new_words(f, &rows, "arcs up from nodes", count));
    TRY(new_words(f, &start, "arcs before nodes", count));
    TRY(new_pairs(f, &first, "first arcs of nodes", count));
    TRY(gpu_run(g, mergetree_contour_count, .by_vertex = &f->by_vertex, .split = &f->up[CONTOUR_SPLIT],
                .rows = &rows, .count = count, .groups = groups));
    TRY(prim_scan(g, &f->radix.scan, &rows, count, &start, &f->counts, ARCS));
    TRY(gpu_run(g, mergetree_contour_first, .by_vertex = &f->by_vertex, .start = &start, .first = &first,
                .count = count, .groups = groups));
    TRY(gpu_download(g, &f->counts, ARCS, 1, f->out->arcs));
    return gpu_download(g, &first, 0, count, *f->out->rows);
}

static glshape_status bring_nodes(finder *f) {
    OWNED_BY(gpu_texture_free) gpu_texture node = {0};
    gpu *g = f->g;
    uint32_t count = f->count;
    _Static_assert(sizeof(contour_node) == 8 * sizeof(uint32_t), "a node fills two texels");
    TRY(gpu_texture_new(g, &node, "nodes of the contour tree", GPU_RGBA32UI, count, 2));
    TRY(gpu_run(g, mergetree_contour_record, .join = &f->up[CONTOUR_JOIN], .split = &f->up[CONTOUR_SPLIT],
                .node = &node, .count = count, .groups = mergetree_groups(count)));
    TRY(gpu_download(g, &f->vertex, 0, count, f->out->nodes->vertex));
    return gpu_download(g, &node, 0, count, f->out->tree->node);
}

/* Whether a node is what the host may follow. */
static bool is_sound(const finder *f, uint32_t k) {
    const contour_node *node = &f->out->tree->node[k];
    uint32_t join = node->parent[CONTOUR_JOIN], split = node->parent[CONTOUR_SPLIT], arcs = *f->out->arcs;
    uint32_t first = (*f->out->rows)[k].first;
    uint64_t up = atomic_load_explicit(&node->left, memory_order_relaxed) >> 31;
    return f->out->nodes->vertex[k] < f->n && (join == NONE || (join > k && join < f->count)) &&
           (split == NONE || split < k) && first <= arcs && up <= arcs - first;
}

static void look_at_nodes(void *user, size_t first, size_t end) {
    finder *f = user;
    for (size_t k = first; k < end; k++)
        if (!is_sound(f, (uint32_t)k)) atomic_store_explicit(&f->wrong, true, memory_order_relaxed);
}

/* ---- all of it --------------------------------------------------------------------------------- */

static glshape_status find_all(finder *f, const contour_branches sides[2]) {
    TRY(find_nodes(f, sides));
    for (int k = 0; k < 2; k++) TRY(find_side(f, k, (uint32_t)sides[k].count));
    for (int k = 0; k < 2; k++) gpu_texture_free(&f->items[k]);
    TRY(bring_rows(f));
    TRY(bring_nodes(f));
    TRY(place_vertices(f));
    threads_ranges(f->count, look_at_nodes, f);
    return atomic_load(&f->wrong) ? is_wrong(f) : GLSHAPE_OK;
}

glshape_status contour_by_passes(contour_vertices *v, uint32_t n, const contour_branches sides[2],
                                 const contour_found *out) {
    OWNED_BY(finder_free) finder f = {.g = v->g, .v = v, .n = n, .out = out};
    glshape_status status = find_all(&f, sides);
    threads_touched(&f.touching);
    if (status != GLSHAPE_NO_GPU_MEMORY) return status;
    free(*out->rows);
    *out->rows = NULL;
    contour_nodes_free(out->nodes);
    contour_tree_free(out->tree);
    return status;
}
