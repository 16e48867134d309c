/* Simplices from lists of neighbors. Each is found once, from the first of its longest edges (the one with
 * the smallest index), by adding common neighbors of the edge's ends in descending order. */
#include <stdatomic.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/owned.h"
#include "base/threads.h"
#include "rips/enumerate.h"

#define ROWS 16u /* points that a thread takes at a time */

typedef struct search {
    const rips_space *s;
    int vertices;
    rips_columns *blocks;
    size_t block_count;
    atomic_bool failed;
} search;

/* One edge a > b, and the points that can be added to it. */
typedef struct growth {
    const rips_space *s;
    rips_columns *out;
    uint32_t a, b;
    float diameter; /* of (a, b), and so of the simplices */
    uint32_t *lune; /* admissible points, ascending, and whether they are far: glsl/rips/lune.glsl */
    bool *far;
    size_t count;
    int wanted; /* points to add */
    uint32_t added[RIPS_MOST_VERTICES];
} growth;

/* Returns true if (a, b) stays the first of the longest edges when (i, j) joins the simplex. */
static bool admits(const growth *g, uint32_t i, uint32_t j, float distance) {
    uint32_t high = i > j ? i : j, low = i > j ? j : i;
    return distance < g->diameter ||
           (distance == g->diameter && (high > g->a || (high == g->a && low > g->b)));
}

/* Marks the points that are far from the greatest one of the lune. */
static void mark_far(growth *g, uint32_t top) {
    bool above_a = top > g->a, above_b = top > g->b;
    bool prunes = (above_a || rips_distance(g->s, g->b, top) < g->diameter) &&
                  (above_b || rips_distance(g->s, g->a, top) < g->diameter);
    for (size_t k = 0; k < g->count; k++) {
        float d = rips_distance(g->s, g->lune[k], top);
        g->far[k] = !prunes || !(above_a ? d <= g->diameter : d < g->diameter);
    }
    if (g->count && g->lune[g->count - 1] == top) g->count--;
}

#define FEW_STEPS 8 /* in a list, before steps get longer */

/* Finds the lune. A long list is passed in steps that double, so that a hub costs its neighbors little. */
static void find_lune(growth *g) {
    const rips_graph *of = &g->s->graph;
    size_t x = of->start[g->a], y = of->start[g->b], x_end = of->start[g->a + 1], y_end = of->start[g->b + 1];
    uint32_t top = UINT32_MAX;
    g->count = 0;
    for (int steps = 0; x < x_end && y < y_end; steps++) {
        uint32_t p = of->point[x], q = of->point[y];
        if (p == q && of->distance[x] <= g->diameter && of->distance[y] <= g->diameter) {
            top = p;
            if (admits(g, g->a, p, of->distance[x]) && admits(g, g->b, p, of->distance[y]))
                g->lune[g->count++] = p;
        }
        if (p == q) steps = 0;
        x += p <= q;
        y += q <= p;
        if (steps < FEW_STEPS) continue;
        if (p < q && x < x_end) x = rips_skip_up(of->point, x, x_end, q);
        if (q < p && y < y_end) y = rips_skip_up(of->point, y, y_end, p);
        steps = 0;
    }
    if (top != UINT32_MAX) mark_far(g, top);
}

/* Appends the simplex of the edge and the points added, unless it is in an apparent pair. False: not enough
 * memory. */
static bool add_simplex(growth *g) {
    uint32_t v[RIPS_MOST_VERTICES], extra = 0;
    int count = 0;
    bool a_done = false, b_done = false;
    rips_columns *out = g->out;
    do { /* added and the edge, merged */
        uint32_t next = (int)extra < g->wanted ? g->added[extra] : 0;
        bool none = (int)extra == g->wanted;
        if (!a_done && (none || g->a > next)) v[count++] = g->a, a_done = true;
        else if (a_done && !b_done && (none || g->b > next)) v[count++] = g->b, b_done = true;
        else v[count++] = next, extra++;
    } while (count < g->wanted + 2);
    out->examined++;
    if (rips_is_apparent(g->s, v, count, g->diameter)) return true;
    cell e = {simplex_table_index(&g->s->simplices, v, count), g->diameter, 1};
    if (memory_reserve(NULL, &out->items, &out->room, out->count + 1, sizeof e, NULL)) return false;
    out->items[out->count++] = e;
    return true;
}

/* Adds points of the lune below place `end` to the `have` points added so far, in all ways in which one point
 * is far (far: one is already). False: not enough memory. */
static bool add_points(growth *g, int have, size_t end, bool far) {
    if (have == g->wanted) return !far || add_simplex(g);
    while (end-- > 0) {
        bool fits = far || g->far[end] || have + 1 < g->wanted;
        for (int i = 0; i < have && fits; i++)
            fits = admits(g, g->added[i], g->lune[end], rips_distance(g->s, g->added[i], g->lune[end]));
        g->added[have] = g->lune[end];
        if (fits && !add_points(g, have + 1, end, far || g->far[end])) return false;
    }
    return true;
}

/* Returns true if the edge is the facet of an apparent pair: with the greatest point of its lune, which is
 * found from the ends of both lists (glsl/rips/list_edges.glsl). */
static bool edge_is_apparent(const growth *g) {
    const rips_graph *of = &g->s->graph;
    size_t a_first = of->start[g->a], b_first = of->start[g->b], x = of->start[g->a + 1],
           y = of->start[g->b + 1];
    for (int steps = 0; x > a_first && y > b_first; steps++) {
        uint32_t p = of->point[x - 1], q = of->point[y - 1];
        float to_a = of->distance[x - 1], to_b = of->distance[y - 1];
        if (p == q && to_a <= g->diameter && to_b <= g->diameter)
            return (p > g->a || to_b != g->diameter) && (p > g->b || to_a != g->diameter);
        x -= p >= q;
        y -= q >= p;
        if (p == q) steps = 0;
        if (steps < FEW_STEPS) continue;
        if (p > q) x = rips_skip_down(of->point, a_first, x, q);
        if (q > p) y = rips_skip_down(of->point, b_first, y, p);
        steps = 0;
    }
    return false;
}

/* Appends the edge, unless it is in an apparent pair. False: not enough memory. */
static bool add_edge(growth *g) {
    rips_columns *out = g->out;
    out->examined++;
    if (edge_is_apparent(g)) return true;
    if (memory_reserve(NULL, &out->items, &out->room, out->count + 1, sizeof *out->items, NULL)) return false;
    uint64_t index = (uint64_t)g->a * (g->a - 1) / 2 + g->b;
    out->items[out->count++] = (cell){index, g->diameter, 1};
    return true;
}

static bool search_edges(growth *g, uint32_t a) {
    const rips_graph *of = &g->s->graph;
    for (size_t k = of->start[a]; k < of->start[a + 1] && of->point[k] < a; k++) {
        g->a = a;
        g->b = of->point[k];
        g->diameter = of->distance[k];
        if (!(g->diameter <= g->s->threshold)) continue;
        if (g->wanted) find_lune(g);
        if (!(g->wanted ? add_points(g, 0, g->count, false) : add_edge(g))) return false;
    }
    return true;
}

/* Of ROWS points from `first` on: the most neighbors that one has. */
static size_t longest_of_block(const rips_space *s, uint32_t first) {
    size_t most = 0;
    for (uint32_t a = first; a < s->n && a - first < ROWS; a++) {
        size_t count = s->graph.start[a + 1] - s->graph.start[a];
        most = count > most ? count : most;
    }
    return most;
}

static void search_block(void *of, size_t which) {
    OWNED uint32_t *lune = NULL;
    OWNED bool *far = NULL;
    search *w = of;
    size_t most = longest_of_block(w->s, (uint32_t)which * ROWS);
    bool fine = !allocate(NULL, &lune, most, sizeof *lune, "common neighbors") &&
                !allocate(NULL, &far, most, sizeof *far, "common neighbors");
    growth g = {.s = w->s, .out = &w->blocks[which], .wanted = w->vertices - 2, .lune = lune, .far = far};
    for (uint32_t a = (uint32_t)which * ROWS; fine && a < w->s->n && a < (which + 1) * ROWS; a++)
        fine = search_edges(&g, a);
    if (!fine) atomic_store(&w->failed, true);
}

static void search_free(search *w) {
    for (size_t k = 0; w->blocks && k < w->block_count; k++) free(w->blocks[k].items);
    free(w->blocks);
}

glshape_status rips_enumerate_sparse(error *err, const rips_space *s, int vertices, int threads,
                                     rips_columns *out) {
    OWNED_BY(search_free) search w = {.s = s, .vertices = vertices, .block_count = (s->n + ROWS - 1) / ROWS};
    *out = (rips_columns){0};
    TRY(allocate(err, &w.blocks, w.block_count, sizeof *w.blocks, "columns"));
    threads_run(threads, w.block_count, search_block, &w);
    if (atomic_load(&w.failed))
        return fail(err, GLSHAPE_NO_MEMORY, "not enough memory for the columns of dimension %d",
                    vertices - 1);
    for (size_t k = 0; k < w.block_count; k++) out->room += w.blocks[k].count;
    TRY(allocate(err, &out->items, out->room, sizeof *out->items, "columns"));
    for (size_t k = 0; k < w.block_count; k++) {
        for (size_t i = 0; i < w.blocks[k].count; i++) out->items[out->count++] = w.blocks[k].items[i];
        out->examined += w.blocks[k].examined;
    }
    return rips_sort_columns(err, out);
}
