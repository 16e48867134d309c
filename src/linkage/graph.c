/* The tree of a graph: of its own lengths, or of the points that its edges join. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/owned.h"
#include "base/radix.h"
#include "linkage/linkage.h"
#include "tree/tree.h"
#include "tree/union.h"

/* Each edge once, from its smaller end. */
typedef struct edge_list {
    size_t count;
    uint32_t *i, *j, *rank;
    float *weight; /* lengths, if single precision has them */
    double *sum;   /* else lengths in double, or sums between points */
} edge_list;       /* with sums, edges ascend by (sum, i, j), and rank is the place in that order */

static void edge_list_free(edge_list *l) {
    free(l->i);
    free(l->j);
    free(l->rank);
    free(l->weight);
    free(l->sum);
}

static glshape_status list_edges(error *err, const glshape_graph *graph, const double *length, edge_list *l) {
    size_t most = graph->start[graph->nodes] / 2 + 1;
    TRY(allocate(err, &l->i, most, sizeof *l->i, "the edges"));
    TRY(allocate(err, &l->j, most, sizeof *l->j, "the edges"));
    TRY(allocate(err, &l->weight, most, sizeof *l->weight, "the edges"));
    if (length) TRY(allocate(err, &l->sum, most, sizeof *l->sum, "the edges"));
    for (uint32_t v = 0; v < graph->nodes; v++)
        for (size_t k = graph->start[v]; k < graph->start[v + 1]; k++) {
            if (graph->to[k] <= v) continue;
            if (l->count == most)
                return fail(err, GLSHAPE_BAD_ARGUMENT,
                            "the graph has edges that are not there from both ends");
            l->i[l->count] = v;
            l->j[l->count] = graph->to[k];
            if (length) l->sum[l->count] = length[k];
            l->weight[l->count++] = graph->weight ? graph->weight[k] : 1;
        }
    return GLSHAPE_OK;
}

static glshape_status check_lengths(error *err, const edge_list *l) {
    for (size_t k = 0; k < l->count; k++) {
        double length = l->sum ? l->sum[k] : (double)l->weight[k];
        if (!(length >= 0 && length < INFINITY))
            return fail(err, GLSHAPE_BAD_INPUT,
                        "the edge from node %u to node %u (counted from 0) has length %g; lengths are not "
                        "negative, and finite",
                        l->i[k], l->j[k], length);
    }
    return GLSHAPE_OK;
}

glshape_status linkage_join_components(error *err, linkage_tree *tree) {
    OWNED uint32_t *parent = NULL;
    TRY(allocate(err, &parent, tree->n, sizeof *parent, "components"));
    for (uint32_t v = 0; v < tree->n; v++) parent[v] = v;
    for (uint32_t k = 0; k < tree->count; k++)
        parent[union_find(parent, tree->i[k])] = union_find(parent, tree->j[k]);
    for (uint32_t v = 1; v < tree->n; v++) {
        uint32_t a = union_find(parent, 0), b = union_find(parent, v), k = tree->count;
        if (a == b) continue;
        parent[b] = a;
        tree->i[k] = 0;
        tree->j[k] = v;
        tree->height[k] = INFINITY;
        tree->count++;
    }
    return GLSHAPE_OK;
}

/* Fills tree with the spanning forest of the edges. Heights are weights, or sums if edges have ranks. */
static glshape_status span_edges(gpu *g, const edge_list *l, linkage_tree *tree, size_t *components) {
    tree_graph graph = {.n = tree->n, .count = l->count, .i = l->i, .j = l->j};
    OWNED_BY(tree_forest_free) tree_forest f = {0};
    if (l->rank) graph.rank = l->rank;
    else graph.weight = l->weight;
    TRY(tree_mst(g, &graph, &f));
    for (uint32_t k = 0; k < f.count; k++) {
        tree->i[k] = f.i[k];
        tree->j[k] = f.j[k];
        tree->height[k] = l->rank ? l->sum[f.rank[k]] : (double)f.weight[k];
    }
    tree->count = f.count;
    *components = f.components;
    if (f.rounds) run_fact(run_of(g), f.rounds, "rounds");
    return GLSHAPE_OK;
}

/* Sorts the edges by (sum, i, j); their places become their ranks. */
static glshape_status rank_edges(error *err, edge_list *l) {
    OWNED radix_item *items = NULL, *spare = NULL;
    TRY(allocate(err, &l->rank, l->count, sizeof *l->rank, "the edges"));
    TRY(allocate(err, &items, l->count, sizeof *items, "the edges"));
    TRY(allocate(err, &spare, l->count, sizeof *spare, "the edges"));
    for (size_t k = 0; k < l->count; k++) {
        double sum = l->sum[k] + 0.0; /* -0 is 0 */
        items[k] = (radix_item){.a = l->i[k], .b = l->j[k]};
        memcpy(&items[k].at, &sum, sizeof sum);
    }
    radix_sort_all(items, spare, l->count);
    for (size_t k = 0; k < l->count; k++) {
        l->i[k] = items[k].a;
        l->j[k] = items[k].b;
        l->rank[k] = (uint32_t)k;
        memcpy(&l->sum[k], &items[k].at, sizeof l->sum[k]);
    }
    return GLSHAPE_OK;
}

glshape_status linkage_graph(gpu *g, const glshape_graph *graph, const double *length, linkage_tree *tree,
                             size_t *components) {
    OWNED_BY(edge_list_free) edge_list l = {0};
    run_begin_stage(run_of(g), "edges", RUN_NOT_BY_PASSES);
    TRY(list_edges(run_error(run_of(g)), graph, length, &l));
    TRY(check_lengths(run_error(run_of(g)), &l));
    if (l.sum) TRY(rank_edges(run_error(run_of(g)), &l));
    TRY(span_edges(g, &l, tree, components));
    return linkage_join_components(run_error(run_of(g)), tree);
}

/* ---- points ------------------------------------------------------------------------------------ */

static glshape_status sum_edges(error *err, const knn_points *p, edge_list *l) {
    OWNED double *rows = NULL;
    if (!l->sum) TRY(allocate(err, &l->sum, l->count, sizeof *l->sum, "the edges"));
    TRY(allocate(err, &rows, p->m->cols, 2 * sizeof *rows, "two rows"));
    for (size_t k = 0; k < l->count; k++) TRY(knn_sum(err, p, l->i[k], l->j[k], rows, &l->sum[k]));
    return GLSHAPE_OK;
}

glshape_status linkage_connected(gpu *g, const knn_points *p, const glshape_graph *graph, linkage_tree *tree,
                                 size_t *components) {
    OWNED_BY(edge_list_free) edge_list l = {0};
    run_begin_stage(run_of(g), "edges", RUN_NOT_BY_PASSES);
    TRY(list_edges(run_error(run_of(g)), graph, NULL, &l));
    TRY(sum_edges(run_error(run_of(g)), p, &l));
    TRY(rank_edges(run_error(run_of(g)), &l));
    TRY(span_edges(g, &l, tree, components));
    return linkage_join_components(run_error(run_of(g)), tree);
}
