/* Nodes sorted by the branch that they are on give the parents: the parent of a node is the next one on its
 * branch; of the last one, the node where the branch ends. All but sorting is done for many nodes at a time,
 * in any order; two steps need that of the branches, and wait for nobody either:
 *
 *   sizes    the branches in each branch's subtree. A thread goes on with a branch once the last of its
 *            children is done.
 *   numbers  a branch's number is that of its parent and an offset. Threads take branches in the order in
 *            which they begin, in which parents come first. Where the parent's number is not there yet, the
 *            thread adds up offsets to the first ancestor that has one. */
#include "mergetree/contour_side.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/owned.h"
#include "base/threads.h"

#define NONE CONTOUR_NONE
#define BLOCK 65536u /* slots, or branches, that a thread takes at a time */

static const char what[] = "the contour tree";

static uint32_t block_end(uint32_t n, uint32_t first) { return n - first < BLOCK ? n : first + BLOCK; }
static size_t blocks_of(uint32_t n) { return (n - 1) / BLOCK + 1; }

/* NONE: no vertex. */
static uint32_t node_at(const contour_nodes *n, uint32_t v) {
    return v == GLSHAPE_NO_VERTEX ? NONE : n->number[v] - 1;
}

/* ---- nodes by branch --------------------------------------------------------------------------- */

/* Branches are numbered in the order of the nodes where they begin. The nodes on a branch are in consecutive
 * slots, in order. */
typedef struct maker {
    const contour_nodes *nodes;
    int side;
    const contour_branches *list;
    const uint32_t *birth;
    uint32_t branches;
    radix_item *items;
    uint32_t *low;    /* of a branch, and one more: its first slot */
    uint32_t *node;   /* of a slot */
    uint32_t *owner;  /* of a slot: its branch */
    uint32_t *lookup; /* of a node where a branch begins, that; then of every node its slot */
    uint64_t *at;     /* of a slot, as order_of() */
    uint32_t *rest;   /* of blocks of slots: branches that begin there; then those before */
    uint32_t *parent; /* of a node */
    contour_reach *reach;
    uint32_t
        *ends; /* of a slot: branches that end there; then those that end before; then … there or before */
    uint32_t *above; /* of a branch: the one where it ends */
    uint32_t *place; /* of a branch: its place among those sorted by the slot where they end */
    uint32_t *sizes; /* of all in that order, the sum of the sizes before */
    _Atomic uint64_t
        *size; /* of a branch: the branches in its subtree; from bit 32 on, children that are not done */
    _Atomic uint32_t *number; /* of a branch, in reach; NONE: it is not known yet */
} maker;

static void maker_free(maker *m) {
    void *const all[] = {m->items, m->low,   m->node,   m->owner,        m->lookup,
                         m->at,    m->rest,  m->parent, m->reach,        m->ends,
                         m->above, m->place, m->sizes,  (void *)m->size, (void *)m->number};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
}

static void name_branches(void *user, size_t first, size_t end) {
    const maker *m = user;
    for (size_t k = first; k < end; k++) {
        m->items[k] =
            (radix_item){(uint64_t)node_at(m->nodes, m->birth[k]) << 32, (uint32_t)k, m->nodes->vertex[k]};
    }
}

static bool begins(const maker *m, uint32_t slot) {
    return !slot || m->items[slot].at >> 32 != m->items[slot - 1].at >> 32;
}

static void count_branches(void *user, size_t block) {
    const maker *m = user;
    uint32_t first = (uint32_t)block * BLOCK, count = 0;
    for (uint32_t slot = first; slot < block_end(m->nodes->count, first); slot++) count += begins(m, slot);
    m->rest[block] = count;
}

static void fill_slots(void *user, size_t block) {
    const maker *m = user;
    uint32_t first = (uint32_t)block * BLOCK, branch = m->rest[block] - 1;
    for (uint32_t slot = first; slot < block_end(m->nodes->count, first); slot++) {
        uint32_t here = m->node[slot] = m->items[slot].a;
        m->at[slot] = order_of(m->nodes->order, m->items[slot].b);
        if (begins(m, slot)) {
            m->low[++branch] = slot;
            m->lookup[m->items[slot].at >> 32] = branch;
        } else {
            uint32_t before = m->items[slot - 1].a;
            if (m->side == CONTOUR_JOIN) m->parent[before] = here;
            else m->parent[here] = before;
        }
        m->owner[slot] = branch;
    }
}

static glshape_status new_words(error *err, uint32_t **out, size_t count) {
    return allocate(err, out, count, sizeof **out, what);
}

static glshape_status sort_by_branch(error *err, maker *m) {
    uint32_t count = m->nodes->count;
    TRY(allocate(err, &m->items, count, 2 * sizeof *m->items, what));
    threads_ranges(count, name_branches, m);
    radix_sort_upper(m->items, m->items + count, count); /* they come by node */
    TRY(new_words(err, &m->rest, blocks_of(count)));
    threads_run(0, blocks_of(count), count_branches, m);
    TRY(contour_add_up(err, m->rest, (uint32_t)blocks_of(count), &m->branches));
    TRY(new_words(err, &m->low, (size_t)m->branches + 1));
    TRY(new_words(err, &m->node, count));
    TRY(new_words(err, &m->owner, count));
    TRY(new_words(err, &m->lookup, count));
    TRY(new_words(err, &m->parent, count));
    TRY(allocate(err, &m->at, count, sizeof *m->at, what));
    threads_run(0, blocks_of(count), fill_slots, m);
    m->low[m->branches] = count;
    free(m->items);
    m->items = NULL;
    return GLSHAPE_OK;
}

/* ---- branches that end ------------------------------------------------------------------------- */

static void find_slots(void *user, size_t first, size_t end) {
    const maker *m = user;
    for (size_t slot = first; slot < end; slot++) m->lookup[m->node[slot]] = (uint32_t)slot;
}

/* Fills the parent of the last node on each branch, the parent of the branch and, as its place, the slot
 * where it ends. */
static void end_branches(void *user, size_t first, size_t end) {
    const maker *m = user;
    for (size_t k = first; k < end; k++) {
        contour_branch b = m->list->branch[k];
        uint32_t branch = m->owner[m->lookup[node_at(m->nodes, b.birth)]], to = node_at(m->nodes, b.death);
        uint32_t last = m->side == CONTOUR_JOIN ? m->low[branch + 1] - 1 : m->low[branch];
        m->parent[m->node[last]] = to;
        m->above[branch] = m->place[branch] = NONE;
        if (to == NONE) continue;
        uint32_t slot = m->place[branch] = m->lookup[to];
        m->above[branch] = m->owner[slot];
        atomic_fetch_add_explicit((_Atomic uint32_t *)&m->ends[slot], 1, memory_order_relaxed);
    }
}

/* Sorts them: which of those that end at one node comes first does not matter. */
static void place_children(void *user, size_t first, size_t end) {
    const maker *m = user;
    for (size_t b = first; b < end; b++)
        if (m->place[b] != NONE)
            m->place[b] =
                atomic_fetch_add_explicit((_Atomic uint32_t *)&m->ends[m->place[b]], 1, memory_order_relaxed);
}

/* Places of the branches that end on slots from `low` up to before `high`. */
static uint32_t first_place(const maker *m, uint32_t low) { return low ? m->ends[low - 1] : 0; }

static void begin_sizes(void *user, size_t first, size_t end) {
    const maker *m = user;
    for (size_t b = first; b < end; b++) {
        uint32_t children = first_place(m, m->low[b + 1]) - first_place(m, m->low[b]);
        atomic_init(&m->size[b], (uint64_t)children << 32 | 1);
        atomic_init(&m->number[b], NONE);
    }
}

static bool has_children(const maker *m, size_t b) {
    return first_place(m, m->low[b + 1]) != first_place(m, m->low[b]);
}

static void find_sizes(void *user, size_t first, size_t end) {
    const maker *m = user;
    for (size_t b = first; b < end; b++) {
        if (has_children(m, b)) continue;
        uint64_t size = 1;
        for (uint32_t at = m->above[b]; at != NONE; at = m->above[at]) {
            uint64_t before = atomic_fetch_add(&m->size[at], size - (1ull << 32));
            if (before >> 32 != 1) break;
            size += (uint32_t)before;
        }
    }
}

static uint32_t size_of(const maker *m, uint32_t branch) {
    return (uint32_t)atomic_load_explicit(&m->size[branch], memory_order_relaxed);
}

static void list_sizes(void *user, size_t first, size_t end) {
    const maker *m = user;
    for (size_t b = first; b < end; b++)
        if (m->above[b] != NONE) m->sizes[m->place[b]] = size_of(m, (uint32_t)b);
}

/* ---- numbers of branches ----------------------------------------------------------------------- */

/* A branch's number less that of its parent: children that end nearer to where the parent begins come first.
 */
static uint32_t offset_of(const maker *m, uint32_t branch) {
    uint32_t above = m->above[branch], place = m->place[branch];
    if (m->side == CONTOUR_JOIN) return 1 + m->sizes[place] - m->sizes[first_place(m, m->low[above])];
    return 1 + m->sizes[first_place(m, m->low[above + 1])] - m->sizes[place + 1];
}

static void number_roots(const maker *m) {
    uint32_t next = 0;
    for (uint32_t b = 0; b < m->branches; b++)
        if (m->above[b] == NONE) {
            atomic_store_explicit(&m->number[b], next, memory_order_relaxed);
            next += size_of(m, b);
        }
}

static void number_block(void *user, size_t block) {
    const maker *m = user;
    uint32_t first = (uint32_t)block * BLOCK;
    for (uint32_t k = first; k < block_end(m->branches, first); k++) {
        uint32_t branch = m->side == CONTOUR_JOIN ? k : m->branches - 1 - k, at = branch, sum = 0, known;
        while ((known = atomic_load_explicit(&m->number[at], memory_order_relaxed)) == NONE) {
            sum += offset_of(m, at);
            at = m->above[at];
        }
        atomic_store_explicit(&m->number[branch], known + sum, memory_order_relaxed);
    }
}

static void find_reach(void *user, size_t first, size_t end) {
    const maker *m = user;
    for (size_t k = first; k < end; k++) {
        uint32_t slot = (uint32_t)k, branch = m->owner[slot], low = m->low[branch], high = m->low[branch + 1];
        uint32_t from = first_place(m, m->side == CONTOUR_JOIN ? low : slot);
        uint32_t to = first_place(m, m->side == CONTOUR_JOIN ? slot + 1 : high);
        uint32_t number = atomic_load_explicit(&m->number[branch], memory_order_relaxed);
        m->reach[m->node[slot]] = (contour_reach){number, number + 1 + m->sizes[to] - m->sizes[from]};
    }
}

/* ---- all of it --------------------------------------------------------------------------------- */

static glshape_status end_all(error *err, maker *m) {
    TRY(new_words(err, &m->ends, m->nodes->count));
    TRY(new_words(err, &m->above, m->branches));
    TRY(new_words(err, &m->place, m->branches));
    threads_ranges(m->nodes->count, find_slots, m);
    threads_ranges(m->list->count, end_branches, m);
    TRY(contour_add_up(err, m->ends, m->nodes->count, NULL));
    threads_ranges(m->branches, place_children, m);
    return GLSHAPE_OK;
}

static glshape_status number_all(error *err, maker *m) {
    TRY(new_words(err, &m->sizes, (size_t)m->branches + 1));
    TRY(allocate(err, &m->size, m->branches, sizeof *m->size, what));
    TRY(allocate(err, &m->number, m->branches, sizeof *m->number, what));
    threads_ranges(m->branches, begin_sizes, m);
    threads_ranges(m->branches, find_sizes, m);
    threads_ranges(m->branches, list_sizes, m);
    TRY(contour_add_up(err, m->sizes, m->branches + 1, NULL));
    number_roots(m);
    threads_run(0, blocks_of(m->branches), number_block, m);
    TRY(allocate(err, &m->reach, m->nodes->count, sizeof *m->reach, what));
    threads_ranges(m->nodes->count, find_reach, m);
    return GLSHAPE_OK;
}

glshape_status contour_side_make(contour_vertices *v, int side, const contour_branches *branches,
                                 const uint32_t *birth, contour_tree *out) {
    error *err = run_error(run_of(v->g));
    OWNED_BY(maker_free) maker m = {.nodes = v->nodes, .side = side, .list = branches, .birth = birth};
    TRY(sort_by_branch(err, &m));
    contour_vertices_place(v, side, &(contour_slots){m.low, m.lookup, m.node, m.at});
    free(m.at);
    m.at = NULL;
    TRY(end_all(err, &m));
    TRY(number_all(err, &m));
    out->count = v->nodes->count;
    out->parent[side] = MOVE(m.parent);
    out->reach[side] = MOVE(m.reach);
    return GLSHAPE_OK;
}
