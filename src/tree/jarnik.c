/* The spanning forest of a complete graph on the CPU, by Jarník's algorithm (also called Prim's). It is for
 * matrices in memory where the GPU is only emulated: it reads each distance once, and needs 12 bytes a
 * vertex beside the matrix. */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/owned.h"
#include "tree/tree.h"

#define NO_EDGE INFINITY

typedef struct reached {
    float weight; /* of the best edge into the tree; NO_EDGE if there is none */
    uint32_t from;
    bool inside;
} reached;

/* Returns true if edge {v, a} comes before {v, b}: by the smaller end, then by the larger one. */
static bool ends_before(uint32_t v, uint32_t a, uint32_t b) {
    uint32_t low_a = a < v ? a : v, low_b = b < v ? b : v;
    return low_a != low_b ? low_a < low_b : a < b;
}

static bool is_better(uint32_t v, float weight, uint32_t from, const reached *other) {
    return weight < other->weight || (weight == other->weight && ends_before(v, from, other->from));
}

/* Returns true if the best edge of u comes before that of v: by weight, smaller end, larger end. */
static bool comes_before(const reached *r, uint32_t u, uint32_t v) {
    if (r[u].weight != r[v].weight) return r[u].weight < r[v].weight;
    uint32_t low_u = u < r[u].from ? u : r[u].from, low_v = v < r[v].from ? v : r[v].from;
    return low_u != low_v ? low_u < low_v : u + r[u].from - low_u < v + r[v].from - low_v;
}

/* Adds v to the tree. Returns the vertex to add next; n if no other vertex can be reached. */
static uint32_t add_vertex(const float *matrix, ptrdiff_t step, uint32_t n, uint32_t v, reached *r) {
    uint32_t next = n;
    r[v].inside = true;
    const float *row = matrix + step * ((ptrdiff_t)v * n);
    for (uint32_t u = 0; u < n; u++, row += step) {
        if (r[u].inside) continue;
        if (is_better(u, *row, v, &r[u])) r[u] = (reached){*row, v, false};
        if (r[u].weight < NO_EDGE && (next == n || comes_before(r, u, next))) next = u;
    }
    return next;
}

typedef struct edge {
    float weight;
    uint32_t i, j;
} edge;

static int by_order(const void *a, const void *b) {
    const edge *x = a, *y = b;
    if (x->weight != y->weight) return x->weight < y->weight ? -1 : 1;
    if (x->i != y->i) return x->i < y->i ? -1 : 1;
    return (x->j > y->j) - (x->j < y->j);
}

static uint32_t grow_forest(const float *matrix, ptrdiff_t step, uint32_t n, reached *r, edge *edges) {
    uint32_t count = 0;
    for (uint32_t v = 0; v < n; v++) r[v] = (reached){NO_EDGE, UINT32_MAX, false};
    for (uint32_t first = 0; first < n; first++) {
        if (r[first].inside) continue;
        for (uint32_t v = first; (v = add_vertex(matrix, step, n, v, r)) < n;) {
            uint32_t low = v < r[v].from ? v : r[v].from;
            edges[count++] = (edge){r[v].weight + 0.0f, low, v + r[v].from - low};
        }
    }
    qsort(edges, count, sizeof *edges, by_order);
    return count;
}

glshape_status tree_mst_rows(error *err, const float *matrix, uint32_t n, bool backwards, tree_forest *out) {
    OWNED reached *r = NULL;
    OWNED edge *edges = NULL;
    OWNED_BY(tree_forest_free) tree_forest f = {0};
    const float *first = backwards && n ? matrix + (size_t)n * n - 1 : matrix;
    *out = (tree_forest){0};
    TRY(allocate(err, &r, n, sizeof *r, "the points reached"));
    TRY(allocate(err, &edges, n, sizeof *edges, "the edges of the forest"));
    f.count = grow_forest(first, backwards ? -1 : 1, n, r, edges);
    f.components = n - f.count;
    TRY(allocate(err, &f.i, f.count, sizeof *f.i, "the forest"));
    TRY(allocate(err, &f.j, f.count, sizeof *f.j, "the forest"));
    TRY(allocate(err, &f.weight, f.count, sizeof *f.weight, "the forest"));
    for (uint32_t k = 0; k < f.count; k++) {
        f.i[k] = edges[k].i;
        f.j[k] = edges[k].j;
        f.weight[k] = edges[k].weight;
    }
    *out = MOVE(f);
    return GLSHAPE_OK;
}
