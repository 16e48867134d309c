#include "mergetree/contour_tree.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/owned.h"
#include "tree/union.h"

#define NONE CONTOUR_NONE

static const char what[] = "the contour tree";

/* What is left of a tree. Of the children of a node their number is kept and the exclusive or of them all:
 * the child itself if there is one. */
typedef struct rest {
    uint32_t *parent, *children, *exclusive_or;
    uint32_t
        *covers; /* of a node that another tree took away: the child whose edge its own edge is now part of */
} rest;

typedef struct merger {
    contour_tree *t;
    rest rest[2];
    uint32_t *queue; /* nodes, as they become leaves */
    uint32_t *taken; /* of an arc: the node that was taken away with it */
} merger;

static void merger_free(merger *m) {
    for (int side = 0; side < 2; side++) {
        const rest *r = &m->rest[side];
        uint32_t *const all[] = {r->parent, r->children, r->exclusive_or, r->covers};
        for (int i = 0; i < 4; i++) free(all[i]);
    }
    free(m->queue);
    free(m->taken);
}

static glshape_status new_words(error *err, const contour_tree *t, uint32_t **out) {
    return allocate(err, out, t->count, sizeof **out, what);
}

static glshape_status begin_rest(error *err, const contour_tree *t, int side, rest *r) {
    const uint32_t *parent = t->side[side].parent;
    TRY(new_words(err, t, &r->parent));
    TRY(new_words(err, t, &r->children));
    TRY(new_words(err, t, &r->exclusive_or));
    TRY(new_words(err, t, &r->covers));
    for (uint32_t v = 0; v < t->count; v++) {
        uint32_t to = r->parent[v] = parent[v];
        r->covers[v] = NONE;
        if (to == NONE) continue;
        r->children[to]++;
        r->exclusive_or[to] ^= v;
    }
    return GLSHAPE_OK;
}

/* ---- leaf after leaf --------------------------------------------------------------------------- */

/* Takes v away, a leaf. */
static void remove_leaf(rest *r, uint32_t v) {
    uint32_t parent = r->parent[v];
    if (parent == NONE) return;
    r->children[parent]--;
    r->exclusive_or[parent] ^= v;
}

/* Takes v away, which has one child: the child takes its place. */
static void remove_inner(rest *r, uint32_t v) {
    uint32_t parent = r->parent[v], child = r->covers[v] = r->exclusive_or[v];
    r->parent[child] = parent;
    if (parent != NONE) r->exclusive_or[parent] ^= v ^ child;
}

static uint32_t degree(const merger *m, uint32_t v) {
    return m->rest[CONTOUR_JOIN].children[v] + m->rest[CONTOUR_SPLIT].children[v];
}

/* Takes away nodes that are leaves of one tree and have one child in the other. */
static void take_leaves(merger *m) {
    contour_tree *t = m->t;
    uint32_t filled = 0;
    for (uint32_t v = 0; v < t->count; v++)
        if (degree(m, v) == 1) m->queue[filled++] = v;
    for (uint32_t k = 0; k < filled; k++) {
        uint32_t v = m->queue[k], arc = t->arcs;
        if (degree(m, v) != 1) continue; /* the last of all */
        bool rises = !m->rest[CONTOUR_JOIN].children[v];
        int leaf = rises ? CONTOUR_JOIN : CONTOUR_SPLIT;
        uint32_t other = m->rest[leaf].parent[v];
        remove_leaf(&m->rest[leaf], v);
        remove_inner(&m->rest[!leaf], v);
        m->rest[!leaf].children[v] = 0;
        if (other == NONE) continue; /* no tree has both */
        t->lower[arc] = rises ? v : other;
        t->upper[arc] = rises ? other : v;
        t->rises[arc] = rises;
        t->side[leaf].arc[v] = arc;
        m->taken[arc] = v;
        t->arcs++;
        if (degree(m, other) == 1) m->queue[filled++] = other;
    }
}

/* An edge that became part of another went with that: which was later, so from the last arc to the first. */
static void name_edges(const merger *m) {
    contour_tree *t = m->t;
    for (uint32_t arc = t->arcs; arc-- > 0;) {
        uint32_t v = m->taken[arc];
        int other = t->rises[arc] ? CONTOUR_SPLIT : CONTOUR_JOIN;
        t->side[other].arc[v] = t->side[other].arc[m->rest[other].covers[v]];
    }
}

/* ---- the check --------------------------------------------------------------------------------- */

/* Arcs by one of their ends. */
typedef struct arc_lists {
    uint32_t *first, *next, *sets; /* a node's first arc; an arc's next one; of nodes */
} arc_lists;

static void lists_free(arc_lists *l) {
    free(l->first);
    free(l->next);
    free(l->sets);
}

/* Each arc goes to its upper node; of the split tree, to its lower one. */
static void list_arcs(const contour_tree *t, int side, arc_lists *l) {
    const uint32_t *at = side == CONTOUR_JOIN ? t->upper : t->lower;
    for (uint32_t v = 0; v < t->count; v++) l->first[v] = NONE, l->sets[v] = v;
    for (uint32_t e = 0; e < t->arcs; e++) {
        l->next[e] = l->first[at[e]];
        l->first[at[e]] = e;
    }
}

/* Returns true if the arcs' own join tree, or split tree, has these parents: where an arc joins a node to a
 * component of nodes before it, the node is the parent of the last node of that component, which is the root
 * of its set. */
static bool has_tree(const contour_tree *t, int side, arc_lists *l) {
    const uint32_t *parent = t->side[side].parent, *from = side == CONTOUR_JOIN ? t->lower : t->upper;
    uint32_t missing = 0;
    list_arcs(t, side, l);
    for (uint32_t v = 0; v < t->count; v++) missing += parent[v] != NONE;
    for (uint32_t k = 0; k < t->count; k++) {
        uint32_t v = side == CONTOUR_JOIN ? k : t->count - 1 - k;
        for (uint32_t e = l->first[v]; e != NONE; e = l->next[e], missing--) {
            uint32_t last = union_find(l->sets, from[e]);
            if (parent[last] != v) return false;
            l->sets[last] = v;
        }
    }
    return !missing;
}

/* Returns true if every arc leads up. */
static bool all_rise(const contour_tree *t) {
    for (uint32_t e = 0; e < t->arcs; e++)
        if (t->lower[e] >= t->upper[e]) return false;
    return true;
}

static glshape_status check(error *err, const contour_tree *t, bool *good) {
    OWNED_BY(lists_free) arc_lists l = {0};
    TRY(new_words(err, t, &l.first));
    TRY(new_words(err, t, &l.next));
    TRY(new_words(err, t, &l.sets));
    *good = all_rise(t) && has_tree(t, CONTOUR_JOIN, &l) && has_tree(t, CONTOUR_SPLIT, &l);
    return GLSHAPE_OK;
}

/* ---- ancestors --------------------------------------------------------------------------------- */

/* The node that comes k-th, parents first. */
static uint32_t from_the_top(const contour_tree *t, int side, uint32_t k) {
    return side == CONTOUR_JOIN ? t->count - 1 - k : k;
}

/* Numbers the nodes so that those below a node follow it. */
static void number_nodes(contour_tree *t, int side, uint32_t *next) {
    contour_side *s = &t->side[side];
    uint32_t roots = 0;
    for (uint32_t v = 0; v < t->count; v++) s->beyond[v] = 1; /* nodes below, and itself */
    for (uint32_t k = t->count; k-- > 0;) {
        uint32_t v = from_the_top(t, side, k);
        if (s->parent[v] != NONE) s->beyond[s->parent[v]] += s->beyond[v];
    }
    for (uint32_t k = 0; k < t->count; k++) {
        uint32_t v = from_the_top(t, side, k), *from = s->parent[v] == NONE ? &roots : &next[s->parent[v]];
        s->begin[v] = *from;
        *from += s->beyond[v];
        next[v] = s->begin[v] + 1;
        s->beyond[v] += s->begin[v];
    }
}

/* ---- all of it --------------------------------------------------------------------------------- */

glshape_status contour_tree_new(error *err, uint32_t count, contour_tree *out) {
    *out = (contour_tree){.count = count};
    for (int side = 0; side < 2; side++) {
        contour_side *s = &out->side[side];
        TRY(new_words(err, out, &s->parent));
        TRY(new_words(err, out, &s->arc));
        TRY(new_words(err, out, &s->begin));
        TRY(new_words(err, out, &s->beyond));
    }
    TRY(new_words(err, out, &out->lower));
    TRY(new_words(err, out, &out->upper));
    return allocate(err, &out->rises, count, sizeof *out->rises, what);
}

glshape_status contour_tree_merge(error *err, contour_tree *t, bool *good) {
    OWNED_BY(merger_free) merger m = {.t = t};
    TRY(new_words(err, t, &m.queue));
    TRY(new_words(err, t, &m.taken));
    for (int side = 0; side < 2; side++) {
        TRY(begin_rest(err, t, side, &m.rest[side]));
        memset(t->side[side].arc, 0xff, t->count * sizeof *t->side[side].arc);
    }
    take_leaves(&m);
    name_edges(&m);
    TRY(check(err, t, good));
    for (int side = 0; side < 2; side++) number_nodes(t, side, m.queue);
    return GLSHAPE_OK;
}

void contour_tree_free(contour_tree *t) {
    for (int side = 0; side < 2; side++) {
        const contour_side *s = &t->side[side];
        uint32_t *const all[] = {s->parent, s->arc, s->begin, s->beyond};
        for (int i = 0; i < 4; i++) free(all[i]);
    }
    free(t->lower);
    free(t->upper);
    free(t->rises);
    *t = (contour_tree){0};
}
