/* glshape_linkage: the public call. */
#include "linkage/linkage.h"

#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/memory.h"
#include "dist/source.h"
#include "gpu/context.h"
#include "linkage/cophenetic.h"
#include "tree/tree.h"

#define DEFAULT_NEIGHBORS 8

glshape_status linkage_tree_new(error *err, uint32_t n, linkage_tree *out) {
    *out = (linkage_tree){.n = n};
    glshape_status status = allocate(err, &out->i, n, sizeof *out->i, "the tree");
    if (!status) status = allocate(err, &out->j, n, sizeof *out->j, "the tree");
    if (!status) status = allocate(err, &out->height, n, sizeof *out->height, "the tree");
    if (status) linkage_tree_free(out);
    return status;
}

void linkage_tree_free(linkage_tree *t) {
    free(t->i);
    free(t->j);
    free(t->height);
    *t = (linkage_tree){0};
}

/* ---- points ------------------------------------------------------------------------------------ */

static glshape_status of_lists(gpu *g, knn_points *p, linkage_tree *tree, glshape_linkage_result *r) {
    uint32_t *index = NULL, k = (uint32_t)r->n_neighbors;
    double *sum = NULL, start = wall_seconds();
    knn_cost cost = {0};
    glshape_status status =
        allocate(gpu_error(g), &index, times(p->n, k), sizeof *index, "lists of neighbors");
    if (!status) status = allocate(gpu_error(g), &sum, times(p->n, k), sizeof *sum, "distances of neighbors");
    if (!status) status = knn_lists(g, p, k, index, sum, &cost);
    gpu_fact(g, (double)cost.scanned, "points compared with all");
    r->seconds.neighbors = wall_seconds() - start;
    if (!status) status = linkage_rounds(g, p, k, index, sum, tree, r);
    free(index);
    free(sum);
    return status;
}

static glshape_status of_points(gpu *g, const glshape_source *source, const glshape_graph *connectivity,
                                linkage_tree *tree, glshape_linkage_result *r) {
    knn_points p;
    double start = wall_seconds();
    TRY(knn_points_new(g, source->points, source->metric, &p));
    r->seconds.upload = wall_seconds() - start;
    glshape_status status =
        connectivity ? linkage_connected(g, &p, connectivity, tree, r) : of_lists(g, &p, tree, r);
    for (uint32_t e = 0; e < tree->count; e++)
        if (isfinite(tree->height[e])) tree->height[e] = knn_distance(&p, tree->height[e]);
    knn_points_free(&p);
    return status;
}

/* ---- all --------------------------------------------------------------------------------------- */

static size_t points_of(const glshape_source *source) {
    if (source->points) return source->points->rows;
    if (source->sparse) return source->sparse->rows;
    return source->graph ? source->graph->nodes : source->reader ? source->n : 0;
}

static glshape_status check_connectivity(error *err, const glshape_source *source,
                                         const glshape_linkage_options *o) {
    if (!source->points || o->n_neighbors)
        return fail(err, GLSHAPE_BAD_ARGUMENT,
                    "a connectivity is of points, and takes the place of neighbors");
    if (o->connectivity->nodes == source->points->rows) return GLSHAPE_OK;
    return fail(err, GLSHAPE_BAD_INPUT, "the connectivity has %zu nodes, but there are %zu points",
                o->connectivity->nodes, source->points->rows);
}

static glshape_status check(error *err, const glshape_source *source, const glshape_linkage_options *o) {
    size_t n = points_of(source);
    if ((int)source->metric < 0 || source->metric > GLSHAPE_METRIC_CORRELATION)
        return fail(err, GLSHAPE_BAD_ARGUMENT, "there is no metric %d", (int)source->metric);
    if (!source->points && !source->sparse && !source->reader && !source->graph)
        return fail(err, GLSHAPE_BAD_ARGUMENT,
                    "linkage needs points, sparse rows, a matrix of distances or a graph");
    if (n < 1 || n > INT32_MAX)
        return fail(err, GLSHAPE_BAD_INPUT, "%zu points cannot be clustered; 1 to %d can", n, INT32_MAX);
    if (o->n_neighbors < 0 || o->n_neighbors > GLSHAPE_KNN_MOST)
        return fail(err, GLSHAPE_BAD_ARGUMENT, "%d neighbors were asked for; 1 to %d are possible",
                    o->n_neighbors, GLSHAPE_KNN_MOST);
    if (o->n_neighbors && !source->points)
        return fail(err, GLSHAPE_BAD_ARGUMENT,
                    "neighbors are of dense points; sparse rows, distances and graphs have none");
    if (o->n_neighbors && (size_t)o->n_neighbors >= n)
        return fail(err, GLSHAPE_BAD_ARGUMENT,
                    "%d neighbors were asked for, but of %zu point%s each has %zu others", o->n_neighbors, n,
                    n == 1 ? "" : "s", n - 1);
    if (o->cophenetic && (source->sparse || source->graph || o->connectivity))
        return fail(
            err, GLSHAPE_BAD_ARGUMENT,
            "the cophenetic correlation is of dense points or a matrix; a graph may not have all pairs");
    return o->connectivity ? check_connectivity(err, source, o) : GLSHAPE_OK;
}

/* A single point is looked at, as nobody else will. */
static glshape_status check_single(error *err, const glshape_source *source) {
    double *row;
    TRY(allocate(err, &row, source->points->cols, sizeof *row, "a row"));
    glshape_status status = dist_row(err, source->points, source->metric, 0, row);
    free(row);
    return status;
}

static glshape_status find_tree(gpu *g, const glshape_source *source, const glshape_linkage_options *o,
                                linkage_tree *tree, glshape_linkage_result *r) {
    if (source->reader) return linkage_matrix(g, source, tree);
    if (source->graph) return linkage_graph(g, source->graph, tree, r);
    if (source->sparse) return linkage_sparse(g, source, tree);
    return tree->n > 1 ? of_points(g, source, o->connectivity, tree, r) : check_single(gpu_error(g), source);
}

static glshape_status run(gpu *g, const glshape_source *source, const glshape_linkage_options *o,
                          glshape_linkage_result *r) {
    error *err = gpu_error(g);
    TRY(check(err, source, o));
    uint32_t n = (uint32_t)points_of(source), most = n - 1 < DEFAULT_NEIGHBORS ? n - 1 : DEFAULT_NEIGHBORS;
    double start = wall_seconds();
    linkage_tree tree;
    *r = (glshape_linkage_result){.n = n, .components = 1};
    if (source->points && !o->connectivity) r->n_neighbors = o->n_neighbors ? o->n_neighbors : (int)most;
    TRY(linkage_tree_new(err, n, &tree));
    glshape_status status = find_tree(g, source, o, &tree, r);
    if (!status) status = allocate(err, &r->merges, n - 1, 4 * sizeof *r->merges, "the linkage matrix");
    if (!status) status = tree_dendrogram(err, n, tree.i, tree.j, tree.height, r->merges);
    linkage_tree_free(&tree);
    r->seconds.tree = wall_seconds() - start - r->seconds.upload - r->seconds.neighbors - r->seconds.search;
    start = wall_seconds();
    if (!status && o->cophenetic) status = linkage_cophenetic(g, source, r->merges, n, &r->cophenetic);
    r->seconds.cophenetic = wall_seconds() - start;
    r->gpu_bytes = gpu_recent_bytes(g);
    return status;
}

glshape_status glshape_linkage(glshape_context *context, const glshape_source *source,
                               const glshape_linkage_options *options, glshape_linkage_result *result) {
    glshape_linkage_options o = options ? *options : (glshape_linkage_options){0};
    *result = (glshape_linkage_result){0};
    gpu *g;
    TRY(context_begin(context, &g));
    gpu_begin_method(g);
    glshape_status status = run(g, source, &o, result);
    if (!status) status = gpu_tick(g, 1);
    if (status) glshape_linkage_free(result);
    return context_end(context, status);
}

void glshape_linkage_free(glshape_linkage_result *result) {
    free(result->merges);
    *result = (glshape_linkage_result){0};
}
