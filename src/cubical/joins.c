/* Rounds, as passes do them (mergetree/pairs.h): every component looks at its first edge. If that leads to an
 * older component, it ends there, and its edges become those of that one; otherwise it waits. A component is
 * alone until its first edge, so it ends there indeed, whatever the older one has joined by then. What is
 * left after a few rounds is joined by one thread, edge after edge. */
#include "cubical/joins.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/owned.h"
#include "base/threads.h"
#include "tree/union.h"

#define FEW ((size_t)1 << 15) /* edges that one thread joins */
#define REST 3                /* rounds end where this part of the edges is left: later ones join fewer */
#define THREADS 4             /* so few take as long for all rounds as one does without */
#define BLOCK ((size_t)1 << 15)

typedef struct rounds {
    const uint64_t *birth;
    joins_edge *edges, *rest;
    size_t count, *start;    /* edges; of each block, the place of what it leaves */
    _Atomic uint32_t *first; /* of each component: its first edge */
    uint32_t *parent, *label, *ended;
    atomic_bool moved;
} rounds;

static void rounds_free(rounds *r) {
    free(r->rest);
    free(r->start);
    free(r->first);
    free(r->parent);
    free(r->label);
}

static void forget_first(void *user, size_t begin, size_t end) {
    const rounds *r = user;
    for (size_t m = begin; m < end; m++)
        atomic_store_explicit(&r->first[m], JOINS_NEVER, memory_order_relaxed);
}

static void lower(_Atomic uint32_t *least, uint32_t k) {
    uint32_t now = atomic_load_explicit(least, memory_order_relaxed);
    while (k < now && !atomic_compare_exchange_weak_explicit(least, &now, k, memory_order_relaxed,
                                                             memory_order_relaxed)) {}
}

static void find_first(void *user, size_t begin, size_t end) {
    const rounds *r = user;
    for (size_t k = begin; k < end; k++) {
        const joins_edge *e = &r->edges[k];
        if (e->end[0] == e->end[1]) continue;
        for (int side = 0; side < 2; side++) lower(&r->first[e->end[side]], (uint32_t)k);
    }
}

static void choose(void *user, size_t begin, size_t end) {
    const rounds *r = user;
    for (size_t m = begin; m < end; m++) {
        uint32_t k = atomic_load_explicit(&r->first[m], memory_order_relaxed);
        if (k == JOINS_NEVER) continue;
        const joins_edge *e = &r->edges[k];
        uint32_t other = e->end[0] ^ e->end[1] ^ (uint32_t)m;
        if (r->birth[other] > r->birth[m]) continue;
        r->parent[m] = other;
        r->ended[m] = e->place;
    }
}

/* Ancestors become ever older, so ways up end. Each jump doubles what they are cut by. */
static void jump(void *user, size_t begin, size_t end) {
    rounds *r = user;
    bool moved = false;
    for (size_t m = begin; m < end; m++) {
        uint32_t parent = r->parent[m];
        r->label[m] = r->parent[parent];
        moved |= r->label[m] != parent;
    }
    if (moved) atomic_store(&r->moved, true);
}

/* Makes the parent of each component the end of its way up. */
static void climb(rounds *r, uint32_t components) {
    do {
        atomic_store(&r->moved, false);
        threads_ranges(components, jump, r);
        uint32_t *label = r->label;
        r->label = r->parent;
        r->parent = label;
    } while (atomic_load(&r->moved));
}

static size_t block_end(const rounds *r, size_t block) {
    return r->count - block * BLOCK < BLOCK ? r->count : (block + 1) * BLOCK;
}

/* Counts the edges of a block that are left. */
static void relabel(void *user, size_t block) {
    const rounds *r = user;
    size_t left = 0;
    for (size_t k = block * BLOCK; k < block_end(r, block); k++) {
        joins_edge *e = &r->edges[k];
        for (int side = 0; side < 2; side++) e->end[side] = r->parent[e->end[side]];
        left += e->end[0] != e->end[1];
    }
    r->start[block + 1] = left;
}

static void move(void *user, size_t block) {
    const rounds *r = user;
    joins_edge *to = r->rest + r->start[block];
    for (size_t k = block * BLOCK; k < block_end(r, block); k++)
        if (r->edges[k].end[0] != r->edges[k].end[1]) *to++ = r->edges[k];
}

static void do_round(rounds *r, uint32_t components) {
    size_t blocks = (r->count + BLOCK - 1) / BLOCK;
    threads_ranges(components, forget_first, r);
    threads_ranges(r->count, find_first, r);
    threads_ranges(components, choose, r);
    climb(r, components);
    threads_run(0, blocks, relabel, r);
    for (size_t k = 0; k < blocks; k++) r->start[k + 1] += r->start[k];
    threads_run(0, blocks, move, r);
    joins_edge *moved = r->rest;
    r->rest = r->edges;
    r->edges = moved;
    r->count = r->start[blocks];
}

static void join_rest(rounds *r) {
    for (size_t k = 0; k < r->count; k++) {
        const joins_edge *e = &r->edges[k];
        uint32_t x = union_find(r->parent, e->end[0]), y = union_find(r->parent, e->end[1]);
        if (x == y) continue;
        uint32_t younger = r->birth[x] < r->birth[y] ? y : x;
        r->parent[younger] = x ^ y ^ younger;
        r->ended[younger] = e->place;
    }
}

bool joins_in_rounds(size_t edge_count) { return edge_count > FEW && threads_count(0) > THREADS; }

glshape_status joins_end(error *err, const uint64_t *birth, uint32_t count, joins_edge *edges,
                         size_t edge_count, bool in_rounds, uint32_t *ended) {
    OWNED_BY(rounds_free) rounds r = {.birth = birth, .edges = edges, .count = edge_count, .ended = ended};
    joins_edge *given = edges;
    TRY(allocate(err, &r.start, edge_count / BLOCK + 2, sizeof *r.start, "the components"));
    TRY(allocate(err, &r.parent, count, sizeof *r.parent, "the components"));
    for (uint32_t m = 0; m < count; m++) {
        r.parent[m] = m;
        ended[m] = JOINS_NEVER;
    }
    if (in_rounds) {
        TRY(allocate(err, &r.rest, edge_count, sizeof *r.rest, "the edges between components"));
        TRY(allocate(err, &r.first, count, sizeof *r.first, "the components"));
        TRY(allocate(err, &r.label, count, sizeof *r.label, "the components"));
    }
    for (size_t before = SIZE_MAX;
         in_rounds && r.count > edge_count / REST && r.count < before - before / 8;) {
        before = r.count;
        do_round(&r, count);
    }
    join_rest(&r);
    if (r.rest == given) r.rest = r.edges; /* the caller has the other one */
    return GLSHAPE_OK;
}
