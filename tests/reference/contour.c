#include "reference/contour.h"

#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX

/* Vertices are named by their places in the order from here on. */
typedef struct graph {
    uint32_t n;
    size_t *start;
    uint32_t *to;
} graph;

typedef struct tree {
    uint32_t *parent, *children, *sum; /* sum: of the children */
} tree;

typedef struct item {
    double value;
    uint32_t v;
} item;

static int rising(const void *a, const void *b) {
    const item *x = a, *y = b;
    if (x->value != y->value) return x->value < y->value ? -1 : 1;
    return x->v < y->v ? -1 : 1;
}

static uint32_t *words(size_t count) { return calloc(count + 1, sizeof(uint32_t)); }

static uint32_t find(uint32_t *sets, uint32_t v) {
    while (sets[v] != v) v = sets[v] = sets[sets[v]];
    return v;
}

/* The parents in the join tree, or the split tree, of a graph. */
static void sweep(const graph *g, bool split, uint32_t *parent) {
    uint32_t *sets = words(g->n); /* the root of a set is the last vertex of a component */
    for (uint32_t k = 0; k < g->n; k++) {
        uint32_t v = split ? g->n - 1 - k : k;
        parent[v] = NONE;
        sets[v] = v;
        for (size_t i = g->start[v]; i < g->start[v + 1]; i++) {
            uint32_t w = g->to[i];
            if (split ? w <= v : w >= v) continue;
            uint32_t last = find(sets, w);
            if (last != v) parent[last] = sets[last] = v;
        }
    }
    free(sets);
}

static graph graph_of(uint32_t n, const uint32_t (*edges)[2], uint32_t count) {
    graph g = {n, calloc(n + 2, sizeof *g.start), words(2 * (size_t)count)};
    for (uint32_t e = 0; e < count; e++)
        for (int k = 0; k < 2; k++) g.start[edges[e][k] + 2]++;
    for (uint32_t v = 0; v < n; v++) g.start[v + 2] += g.start[v + 1];
    for (uint32_t e = 0; e < count; e++)
        for (int k = 0; k < 2; k++) g.to[g.start[edges[e][k] + 1]++] = edges[e][!k];
    return g;
}

static void graph_free(graph *g) {
    free(g->start);
    free(g->to);
}

static graph in_order(uint32_t n, const double *values, const ref_grid *grid, const size_t *start,
                      const uint32_t *to, item *items) {
    graph g = {n, calloc(n + 2, sizeof *g.start), words(grid ? 26 * (size_t)n : start[n])};
    uint32_t *place = words(n), room[26];
    for (uint32_t v = 0; v < n; v++) items[v] = (item){values[v], v};
    qsort(items, n, sizeof *items, rising);
    for (uint32_t k = 0; k < n; k++) place[items[k].v] = k;
    for (uint32_t k = 0; k < n; k++) {
        uint32_t v = items[k].v;
        size_t count = grid ? (size_t)ref_neighbours(grid, v, room) : start[v + 1] - start[v],
               used = g.start[k];
        for (size_t i = 0; i < count; i++) g.to[used++] = place[grid ? room[i] : to[start[v] + i]];
        g.start[k + 1] = used;
    }
    free(place);
    return g;
}

static tree tree_of(const graph *g, bool split) {
    tree t = {words(g->n), words(g->n), words(g->n)};
    sweep(g, split, t.parent);
    for (uint32_t v = 0; v < g->n; v++) {
        if (t.parent[v] == NONE) continue;
        t.children[t.parent[v]]++;
        t.sum[t.parent[v]] += v;
    }
    return t;
}

static void tree_free(tree *t) {
    free(t->parent);
    free(t->children);
    free(t->sum);
}

/* Takes v out of a tree, where it has a child at most. */
static void take_out(tree *t, uint32_t v) {
    uint32_t parent = t->parent[v];
    if (t->children[v]) {
        uint32_t child = t->sum[v];
        t->parent[child] = parent;
        if (parent != NONE) t->sum[parent] += child - v;
    } else if (parent != NONE) {
        t->children[parent]--;
        t->sum[parent] -= v;
    }
    t->children[v] = 0;
}

/* The arcs between all vertices; how many. */
static uint32_t take_leaves(uint32_t n, tree *join, tree *split, uint32_t (*arcs)[2]) {
    uint32_t *queue = words(2 * (size_t)n), filled = 0, count = 0;
#define LEAF(v) (join->children[v] + split->children[v] == 1)
    for (uint32_t v = 0; v < n; v++)
        if (LEAF(v)) queue[filled++] = v;
    for (uint32_t k = 0; k < filled; k++) {
        uint32_t v = queue[k];
        if (!LEAF(v)) continue;
        bool rises = !join->children[v];
        uint32_t other = (rises ? join : split)->parent[v];
        take_out(join, v);
        take_out(split, v);
        if (other == NONE) continue;
        arcs[count][0] = rises ? v : other, arcs[count++][1] = rises ? other : v;
        if (LEAF(other)) queue[filled++] = other;
    }
    free(queue);
    return count;
}

static bool has_trees(const graph *g, const uint32_t (*arcs)[2], uint32_t count) {
    graph made = graph_of(g->n, arcs, count);
    bool same = true;
    uint32_t *want = words(g->n), *got = words(g->n);
    for (uint32_t k = 0; k < count; k++) same = same && arcs[k][0] < arcs[k][1];
    for (int split = 0; split < 2 && same; split++) {
        sweep(g, split, want);
        sweep(&made, split, got);
        same = !memcmp(want, got, g->n * sizeof *want);
    }
    free(want);
    free(got);
    graph_free(&made);
    return same;
}

static int by_ends(const void *a, const void *b) {
    const ref_arc *x = a, *y = b;
    if (x->lower != y->lower) return x->lower < y->lower ? -1 : 1;
    return x->upper < y->upper ? -1 : x->upper > y->upper;
}

/* Joins what meets at regular vertices. up: of a regular vertex, the one above it. */
static long join_arcs(const item *items, uint32_t n, const uint32_t (*all)[2], uint32_t count, ref_arc *arcs,
                      uint32_t *arc) {
    uint32_t *above = words(n), *below = words(n), *up = words(n);
    long found = 0;
    for (uint32_t k = 0; k < count; k++) above[all[k][0]]++, below[all[k][1]]++, up[all[k][0]] = all[k][1];
#define REGULAR(v) (above[v] == 1 && below[v] == 1)
    for (uint32_t k = 0; k < count; k++) {
        if (REGULAR(all[k][0])) continue;
        uint32_t top = all[k][1], regular = 0;
        for (; REGULAR(top); top = up[top]) regular++;
        arcs[found++] = (ref_arc){items[all[k][0]].v, items[top].v, regular};
    }
    qsort(arcs, (size_t)found, sizeof *arcs, by_ends);
    for (uint32_t v = 0; v < n; v++) arc[v] = NONE;
    for (uint32_t k = 0; k < count; k++) {
        if (REGULAR(all[k][0])) continue;
        uint32_t top = all[k][1];
        for (; REGULAR(top); top = up[top]) {}
        const ref_arc key = {items[all[k][0]].v, items[top].v, 0};
        const ref_arc *at = bsearch(&key, arcs, (size_t)found, sizeof key, by_ends);
        for (uint32_t v = all[k][1]; v != top; v = up[v]) arc[items[v].v] = (uint32_t)(at - arcs);
    }
    free(above);
    free(below);
    free(up);
    return found;
}

long ref_contour(uint32_t n, const double *values, const ref_grid *grid, const size_t *start,
                 const uint32_t *to, ref_arc *arcs, uint32_t *arc) {
    item *items = malloc((n + 1) * sizeof *items);
    uint32_t(*all)[2] = malloc((n + 1) * sizeof *all);
    graph g = in_order(n, values, grid, start, to, items);
    tree join = tree_of(&g, false), split = tree_of(&g, true);
    uint32_t count = take_leaves(n, &join, &split, all);
    long found = -1;
    if (has_trees(&g, (const uint32_t(*)[2])all, count))
        found = join_arcs(items, n, (const uint32_t(*)[2])all, count, arcs, arc);
    tree_free(&join);
    tree_free(&split);
    graph_free(&g);
    free(all);
    free(items);
    return found;
}
