/* The spanning forest of a list of edges on the CPU, by Kruskal's algorithm: for few edges. */
#include "base/memory.h"
#include "base/owned.h"
#include "base/radix.h"
#include "tree/tree.h"
#include "tree/union.h"

/* Lists the edges between different vertices, from their smaller ends; returns how many. */
static size_t list_edges(const tree_graph *graph, radix_item *edges) {
    size_t count = 0;
    for (size_t k = 0; k < graph->count; k++) {
        uint32_t a = graph->i[k], b = graph->j[k];
        if (a != b) edges[count++] = (radix_item){tree_edge_key(graph, k), a < b ? a : b, a < b ? b : a};
    }
    return count;
}

/* Moves the edges that join two components to the front; returns how many. */
static uint32_t keep_joining(uint32_t n, uint32_t *sets, radix_item *edges, size_t count) {
    uint32_t kept = 0;
    for (uint32_t v = 0; v < n; v++) sets[v] = v;
    for (size_t k = 0; k < count; k++) {
        uint32_t a = union_find(sets, edges[k].a), b = union_find(sets, edges[k].b);
        if (a == b) continue;
        sets[a > b ? a : b] = a > b ? b : a;
        edges[kept++] = edges[k];
    }
    return kept;
}

glshape_status tree_kruskal(error *err, const tree_graph *graph, tree_forest *out) {
    OWNED_BY(tree_forest_free) tree_forest f = {0};
    OWNED radix_item *edges = NULL;
    OWNED uint32_t *sets = NULL;
    TRY(allocate(err, &edges, graph->count, 2 * sizeof *edges, "the edges"));
    TRY(allocate(err, &sets, graph->n, sizeof *sets, "the components"));
    size_t count = list_edges(graph, edges);
    radix_sort_all(edges, edges + graph->count, count);
    f.count = keep_joining(graph->n, sets, edges, count);
    f.components = graph->n - f.count;
    TRY(allocate(err, &f.i, f.count, sizeof *f.i, "the forest"));
    TRY(allocate(err, &f.j, f.count, sizeof *f.j, "the forest"));
    if (graph->weight) TRY(allocate(err, &f.weight, f.count, sizeof *f.weight, "the forest"));
    else TRY(allocate(err, &f.rank, f.count, sizeof *f.rank, "the forest"));
    for (uint32_t k = 0; k < f.count; k++) {
        uint32_t key = (uint32_t)edges[k].at;
        f.i[k] = edges[k].a;
        f.j[k] = edges[k].b;
        if (f.rank) f.rank[k] = key;
        else f.weight[k] = tree_weight(key, graph->maximum);
    }
    *out = MOVE(f);
    return GLSHAPE_OK;
}
