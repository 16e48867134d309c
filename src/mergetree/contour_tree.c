/* Takes leaves away by threads, each of which goes on with what has become a leaf.
 *
 * A node that has no child in one tree and one child in the other is a leaf of the contour tree. Its arc
 * leads to its parent in the tree where it has none. The node is taken out of both trees: out of the first as
 * a leaf, out of the other by giving its child to its parent. Nothing is moved for that: a way up goes past
 * the nodes that are taken away, and as it does so it names the edges that become part of the leaf's edge.
 * Each edge is named once, so all ways together are as long as the trees.
 *
 * Which thread comes first does not matter. A leaf has one neighbor in what is left of the contour tree, and
 * keeps it until one of the two is taken away. The neighbor is taken away after the leaf, as it has one child
 * too many before; only the last two nodes of a component can claim each other. What lies between them in the
 * trees belongs to what was taken away toward the leaf, so it was taken away before the node became one.
 *
 * In most fields, one path is left in the end, longer than all others. So a thread gives up a path after a
 * while; then what is left is made dense, where the nodes of a path lie side by side.
 *
 * The arcs have the join tree that is given if, and only if, each arc's upper node is an ancestor of its
 * lower node in that tree, and each node has as many arcs from below as children. (As each arc leads to a
 * node that is taken away later, arcs close no circle. The nodes below a node, k of them, hold all arcs from
 * below to them; if each had as many as children, these are k - 1, so the arcs connect them, and no others.)
 * The same is true of the split tree. That a leaf's arc leads to an ancestor in the tree where it is a leaf
 * is how it is made; that it does so in the other tree is checked with numbers of branches. What is left of
 * the children of a node when it is taken away tells how many arcs it has. */
#include "mergetree/contour_tree.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/owned.h"
#include "base/threads.h"

#define NONE CONTOUR_NONE
#define BLOCK 8192u /* nodes that a thread takes at a time */
#define MOST 256u   /* nodes of a path that a thread takes at first: some 50 µs */
#define AHEAD 16u   /* nodes whose parents are asked for before they are needed */

/* contour_node.left: the children in the join tree and, from bit 31 on, in the split tree. */
#define ONE(side) (1ull << 31 * (side))
#define TAKEN (1ull << 63)
#define YIELDED (1ull << 62) /* its last neighbor had claimed it, too, and has the arc */

static const char what[] = "the contour tree";

typedef struct level {
    contour_node *node;
    uint32_t count;
    uint32_t most; /* nodes on a path, or passed on a way up, after which a thread gives up */
    contour_reach *const *reach;
    uint32_t *rest; /* of each block: nodes that are left; then of those before it */
    contour_node *to;
    atomic_bool wrong;
} level;

static uint32_t first_of(size_t block) { return (uint32_t)block * BLOCK; }

static uint32_t end_of(const level *l, size_t block) {
    uint32_t first = first_of(block);
    return l->count - first < BLOCK ? l->count : first + BLOCK;
}

static size_t blocks_of(const level *l) { return ((size_t)l->count + BLOCK - 1) / BLOCK; }

static uint64_t left_of(const level *l, uint32_t v) {
    return atomic_load_explicit(&l->node[v].left, memory_order_acquire);
}

static bool is_leaf(uint64_t left) { return left == ONE(CONTOUR_JOIN) || left == ONE(CONTOUR_SPLIT); }

/* ---- leaf after leaf --------------------------------------------------------------------------- */

/* The first ancestor of v that is not taken away. NONE: there is none, or it is too far. */
static uint32_t find_parent(const level *l, int side, uint32_t v) {
    uint32_t at = l->node[v].parent[side];
    for (uint32_t passed = 0; at != NONE && left_of(l, at) & TAKEN; at = l->node[at].parent[side])
        if (++passed > l->most) return NONE;
    return at;
}

/* Names the edges on the way from v up to `end`. */
static void name_edges(const level *l, int side, uint32_t v, uint32_t end, uint32_t name) {
    for (uint32_t at = v; at != end; at = l->node[at].parent[side])
        atomic_store_explicit(&l->node[at].edge[side], name, memory_order_relaxed);
}

/* v and `to` have claimed each other: the lower of the two keeps its arc. */
static void yield(level *l, int side, uint32_t v, uint32_t to) {
    if (side == CONTOUR_JOIN) return;
    atomic_fetch_add(&l->node[to].left, ONE(side));
    atomic_fetch_or(&l->node[v].left, YIELDED);
    name_edges(l, side, v, to, NONE);
    l->node[v].toward = NONE;
}

/* Takes v away if it is a leaf. Returns the node that has become one by this, or NONE. */
static uint32_t take_leaf(level *l, uint32_t v) {
    uint64_t left = left_of(l, v);
    if (!is_leaf(left)) return NONE;
    int side = left == ONE(CONTOUR_JOIN) ? CONTOUR_SPLIT : CONTOUR_JOIN;
    uint32_t to = find_parent(l, side, v);
    if (to == NONE) return NONE;
    if (!atomic_compare_exchange_strong(&l->node[v].left, &left, left | TAKEN)) return NONE;
    l->node[v].toward = to;
    name_edges(l, side, v, to, v);
    uint64_t before = atomic_fetch_sub(&l->node[to].left, ONE(side));
    if (before & TAKEN) yield(l, side, v, to);
    return is_leaf(before - ONE(side)) ? to : NONE;
}

/* Asks for the parents of a node that will be done soon. */
static void prefetch_parents(const level *l, const contour_node *n) {
    for (int side = 0; side < 2; side++)
        if (n->parent[side] != NONE) __builtin_prefetch(&l->node[n->parent[side]]);
}

static void take_block(void *user, size_t block) {
    level *l = user;
    for (uint32_t v = first_of(block); v < end_of(l, block); v++) {
        if (v + AHEAD < l->count && is_leaf(left_of(l, v + AHEAD))) prefetch_parents(l, &l->node[v + AHEAD]);
        for (uint32_t at = v, steps = 0; at != NONE && steps < l->most; steps++) at = take_leaf(l, at);
    }
}

/* ---- what is left ------------------------------------------------------------------------------ */

static void count_rest(void *user, size_t block) {
    const level *l = user;
    uint32_t rest = 0;
    for (uint32_t v = first_of(block); v < end_of(l, block); v++) rest += !(left_of(l, v) & TAKEN);
    l->rest[block] = rest;
}

/* A node that is left gets its number among these; no arc does so from here on. */
static void number_rest(void *user, size_t block) {
    const level *l = user;
    uint32_t next = l->rest[block];
    for (uint32_t v = first_of(block); v < end_of(l, block); v++)
        if (!(left_of(l, v) & TAKEN)) l->node[v].toward = next++;
}

/* What is passed on the way up goes with the edge of v. */
static uint32_t parent_in_rest(const level *l, int side, uint32_t v) {
    uint32_t at = v;
    do {
        atomic_store_explicit(&l->node[at].edge[side], v, memory_order_relaxed);
        at = l->node[at].parent[side];
    } while (at != NONE && left_of(l, at) & TAKEN);
    return at == NONE ? NONE : l->node[at].toward;
}

static void copy_rest(void *user, size_t block) {
    const level *l = user;
    for (uint32_t v = first_of(block); v < end_of(l, block); v++) {
        const contour_node *n = &l->node[v];
        uint64_t left = left_of(l, v);
        if (v + AHEAD < l->count && !(left_of(l, v + AHEAD) & TAKEN)) prefetch_parents(l, n + AHEAD);
        if (left & TAKEN) continue;
        contour_node *to = &l->to[n->toward];
        atomic_init(&to->left, left);
        to->toward = NONE;
        to->origin = n->origin;
        for (int side = 0; side < 2; side++) {
            to->parent[side] = parent_in_rest(l, side, v);
            atomic_init(&to->edge[side], NONE);
        }
    }
}

/* Makes `next` of the nodes that are left. */
static glshape_status make_dense(error *err, level *l, level *next) {
    uint32_t sum = 0;
    TRY(allocate(err, &l->rest, blocks_of(l), sizeof *l->rest, what));
    threads_run(0, blocks_of(l), count_rest, l);
    for (size_t k = 0; k < blocks_of(l); k++) {
        uint32_t here = l->rest[k];
        l->rest[k] = sum;
        sum += here;
    }
    next->count = sum;
    TRY(allocate(err, &next->node, sum, sizeof *next->node, what));
    l->to = next->node;
    threads_run(0, blocks_of(l), number_rest, l);
    threads_run(0, blocks_of(l), copy_rest, l);
    return GLSHAPE_OK;
}

/* What became of the nodes that were left, by their numbers among all nodes. */
static void copy_back(void *user, size_t block) {
    const level *l = user;
    for (uint32_t k = first_of(block); k < end_of(l, block); k++) {
        const contour_node *n = &l->node[k];
        contour_node *to = &l->to[n->origin];
        to->toward = n->toward == NONE ? NONE : l->node[n->toward].origin;
        atomic_store(&to->left, left_of(l, k));
        for (int side = 0; side < 2; side++) {
            uint32_t name = atomic_load_explicit(&n->edge[side], memory_order_relaxed);
            atomic_store_explicit(&to->edge[side], name == NONE ? NONE : l->node[name].origin,
                                  memory_order_relaxed);
        }
    }
}

/* ---- the check --------------------------------------------------------------------------------- */

/* An edge that went with the edge of a node that was left gets the name of that one. */
static void end_names(const level *l, uint32_t v) {
    for (int side = 0; side < 2; side++) {
        uint32_t name = atomic_load_explicit(&l->node[v].edge[side], memory_order_relaxed);
        if (name == NONE) continue;
        uint32_t end = atomic_load_explicit(&l->node[name].edge[side], memory_order_relaxed);
        atomic_store_explicit(&l->node[v].edge[side], end, memory_order_relaxed);
    }
}

/* Returns true if v has as many arcs from below and from above as it has children in the trees, and the arc
 * that it was taken away with leads to an ancestor, or from one. */
static bool is_right(const level *l, uint32_t v) {
    uint64_t left = left_of(l, v);
    uint32_t to = l->node[v].toward;
    if (left & YIELDED) return to == NONE && !(left & ~(TAKEN | YIELDED));
    if (to == NONE) return !left;
    int other = to > v ? CONTOUR_SPLIT : CONTOUR_JOIN;
    return left == (TAKEN | ONE(other)) &&
           (!l->reach[other] || contour_is_within(l->reach[other][v], l->reach[other][to].branch));
}

static void check_block(void *user, size_t block) {
    level *l = user;
    for (uint32_t v = first_of(block); v < end_of(l, block); v++) {
        end_names(l, v);
        if (!is_right(l, v)) atomic_store_explicit(&l->wrong, true, memory_order_relaxed);
    }
}

/* ---- all of it --------------------------------------------------------------------------------- */

static void start_nodes(void *user, size_t first, size_t end) {
    const contour_tree *t = user;
    for (size_t v = first; v < end; v++) {
        contour_node *n = &t->node[v];
        n->toward = NONE;
        n->origin = (uint32_t)v;
        for (int side = 0; side < 2; side++) {
            uint32_t up = n->parent[side] = t->parent[side][v];
            atomic_init(&n->edge[side], NONE);
            if (up != NONE) atomic_fetch_add_explicit(&t->node[up].left, ONE(side), memory_order_relaxed);
        }
    }
}

glshape_status contour_tree_begin(error *err, contour_tree *t) {
    TRY(allocate(err, &t->node, t->count, sizeof *t->node, what));
    threads_ranges(t->count, start_nodes, t);
    for (int side = 0; side < 2; side++) {
        free(t->parent[side]);
        t->parent[side] = NULL;
    }
    return GLSHAPE_OK;
}

static void level_free(level *l) {
    free(l->node);
    free(l->rest);
}

static glshape_status merge_rest(error *err, level *all) {
    OWNED_BY(level_free) level rest = {.most = UINT32_MAX};
    OWNED uint32_t *counts = NULL;
    glshape_status status = make_dense(err, all, &rest);
    counts = all->rest;
    all->rest = NULL;
    TRY(status);
    threads_run(0, blocks_of(&rest), take_block, &rest);
    rest.to = all->node;
    threads_run(0, blocks_of(&rest), copy_back, &rest);
    return GLSHAPE_OK;
}

glshape_status contour_tree_merge(error *err, contour_tree *t, bool *good) {
    level l = {.node = t->node, .count = t->count, .most = MOST, .reach = t->reach};
    threads_run(0, blocks_of(&l), take_block, &l);
    TRY(merge_rest(err, &l));
    threads_run(0, blocks_of(&l), check_block, &l);
    *good = !atomic_load(&l.wrong);
    return GLSHAPE_OK;
}

void contour_tree_free(contour_tree *t) {
    free(t->node);
    for (int side = 0; side < 2; side++) {
        free(t->parent[side]);
        free(t->reach[side]);
    }
    *t = (contour_tree){0};
}
