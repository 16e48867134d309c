/* glshape_linkage: the public call. */
#include "linkage/linkage.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/owned.h"
#include "base/threads.h"
#include "dist/narrow.h"
#include "dist/paths.h"
#include "dist/source.h"
#include "dist/sphere.h"
#include "gpu/context.h"
#include "linkage/cophenetic.h"
#include "tree/tree.h"

#define DEFAULT_NEIGHBORS 8

glshape_status linkage_tree_new(error *err, uint32_t n, linkage_tree *out) {
    OWNED_BY(linkage_tree_free) linkage_tree t = {.n = n};
    TRY(allocate(err, &t.i, n, sizeof *t.i, "the tree"));
    TRY(allocate(err, &t.j, n, sizeof *t.j, "the tree"));
    TRY(allocate(err, &t.height, n, sizeof *t.height, "the tree"));
    *out = MOVE(t);
    return GLSHAPE_OK;
}

void linkage_tree_free(linkage_tree *t) {
    free(t->i);
    free(t->j);
    free(t->height);
    free(t->part);
    tree_kept_free(&t->kept);
    *t = (linkage_tree){0};
}

/* ---- points ------------------------------------------------------------------------------------ */

/* The tree of points in space, lists and all, on the device; *done says whether it is there. It stays there
 * if the dendrogram is made there, too. */
static glshape_status tree_on_device(gpu *g, knn_points *p, uint32_t k, linkage_tree *tree,
                                     glshape_linkage_result *r, bool *done) {
    run_why why;
    *done = false;
    TRY(tree_points_place(g, &p->space, k, &why));
    if (!run_why_device(why)) return GLSHAPE_OK;
    TRY(linkage_expect_rows(run_error(run_of(g)), tree, &r->merges, &r->edges));
    run_begin_stage(run_of(g), "tree", why);
    tree->kept.most = linkage_patience(p);
    glshape_status status = tree_points_kept(g, &p->space, k, &tree->kept);
    if (status) return status == GLSHAPE_NO_GPU_MEMORY ? GLSHAPE_OK : status;
    *done = tree->kept.edges.id;
    return *done ? linkage_keep(g, p, tree) : GLSHAPE_OK;
}

glshape_status linkage_points(gpu *g, knn_points *p, const tree_lists *lists, linkage_tree *tree,
                              double *seconds) {
    bool in_space;
    TRY(knn_in_space(g, p, lists->k, &in_space));
    if (!in_space) return linkage_rounds(g, p, lists, tree, seconds);
    if (run_ranks(run_of(g))->rank) return GLSHAPE_OK;
    tree->count = p->n - 1;
    TRY(index_bring(g, &p->space));
    run_begin_stage(run_of(g), "tree", RUN_NOT_BY_PASSES);
    TRY(linkage_set_parts(run_error(run_of(g)), &p->space, tree));
    linkage_across pairs = {.g = g, .p = p, .cores = lists->cores};
    tree_other_way other = {linkage_most, linkage_answer, &pairs};
    return tree_points(g, &p->space, lists, p->search == GLSHAPE_SEARCH_AUTO ? &other : NULL,
                       &(tree_edges){tree->i, tree->j, tree->height});
}

static glshape_status tree_from_lists(gpu *g, knn_points *p, linkage_tree *tree, glshape_linkage_result *r) {
    OWNED uint32_t *index = NULL;
    OWNED double *sum = NULL;
    uint32_t k = (uint32_t)r->n_neighbors;
    double start = wall_seconds();
    bool in_space, done = false;
    knn_cost cost = {0};
    TRY(knn_in_space(g, p, k, &in_space));
    if (in_space && !run_ranks(run_of(g))->rank) TRY(tree_on_device(g, p, k, tree, r, &done));
    if (done) return GLSHAPE_OK;
    TRY(allocate(run_error(run_of(g)), &index, times(p->n, k), sizeof *index, "lists of neighbors"));
    if (!in_space)
        TRY(allocate(run_error(run_of(g)), &sum, times(p->n, k), sizeof *sum, "distances of neighbors"));
    run_set_span(run_of(g), 0, 0.5);
    TRY(knn_lists(g, p, k, index, sum, false, &cost));
    run_set_span(run_of(g), 0.5, 1);
    run_fact(run_of(g), (double)cost.scanned, "points compared with all");
    r->seconds.neighbors = wall_seconds() - start;
    tree_lists lists = {.k = k, .index = index, .sum = sum};
    TRY(linkage_points(g, p, &lists, tree, &r->seconds.search));
    knn_distances(p, tree->height, tree->count);
    return GLSHAPE_OK;
}

static glshape_status tree_from_points(gpu *g, const glshape_source *source, const glshape_linkage_options *o,
                                       linkage_tree *tree, glshape_linkage_result *r) {
    OWNED_BY(knn_points_free) knn_points p = {0};
    double start = wall_seconds();
    run_begin_stage(run_of(g), "points", RUN_NOT_BY_PASSES);
    const ranks *together = o->connectivity ? &ranks_alone : run_ranks(run_of(g));
    TRY(knn_points_new(run_of(g), together, source->points, source->metric, source->p, &p));
    p.search = o->search;
    p.joins = true;
    r->seconds.upload = wall_seconds() - start;
    if (!o->connectivity) return tree_from_lists(g, &p, tree, r);
    TRY(linkage_connected(g, &p, o->connectivity, tree, &r->components));
    knn_distances(&p, tree->height, tree->count);
    return GLSHAPE_OK;
}

/* ---- all --------------------------------------------------------------------------------------- */

static size_t count_points(const glshape_source *source) {
    if (source->points) return source->points->rows;
    if (source->sparse) return source->sparse->rows;
    return source->graph ? source->graph->nodes : source->reader ? source->n : 0;
}

static glshape_status check_connectivity(error *err, const glshape_source *source,
                                         const glshape_linkage_options *o) {
    if (!source->points || o->n_neighbors)
        return fail(err, GLSHAPE_BAD_ARGUMENT,
                    "a connectivity is of points, and takes the place of neighbors");
    if (o->connectivity->nodes != source->points->rows)
        return fail(err, GLSHAPE_BAD_INPUT, "the connectivity has %zu nodes, but there are %zu points",
                    o->connectivity->nodes, source->points->rows);
    return dist_graph_check_shape(err, o->connectivity);
}

static glshape_status check_options(error *err, const glshape_source *source,
                                    const glshape_linkage_options *o) {
    TRY(dist_source_check(err, source, DIST_OF_POINTS | DIST_OF_SPARSE | DIST_OF_READER | DIST_OF_GRAPH,
                          "linkage needs points, sparse rows, a matrix of distances or a graph"));
    size_t n = count_points(source);
    TRY(error_check_choice(err, (int)o->search, GLSHAPE_SEARCH_INDEX, "search"));
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

/* Checks the values of a single point, which no other step reads. */
static glshape_status check_single_point(error *err, const glshape_source *source) {
    OWNED double *row = NULL;
    TRY(allocate(err, &row, source->points->cols, sizeof *row, "a row"));
    return dist_row(err, source->points, source->metric, 0, row);
}

static glshape_status find_tree(gpu *g, const glshape_source *source, const glshape_linkage_options *o,
                                linkage_tree *tree, glshape_linkage_result *r) {
    if (source->reader) return linkage_matrix(g, source, tree, &r->components);
    if (source->graph) return linkage_graph(g, source->graph, source->graph_lengths, tree, &r->components);
    if (source->sparse) return linkage_sparse(g, source, tree);
    return tree->n > 1 ? tree_from_points(g, source, o, tree, r)
                       : check_single_point(run_error(run_of(g)), source);
}

static glshape_status compute_linkage(gpu *g, const glshape_source *source, const glshape_linkage_options *o,
                                      glshape_linkage_result *result) {
    OWNED_BY(glshape_linkage_free) glshape_linkage_result r = {0};
    OWNED_BY(linkage_tree_free) linkage_tree tree = {0};
    OWNED_BY(dist_narrowed_free) dist_narrowed narrowed = {0};
    OWNED_BY(dist_sphere_free) dist_sphere sphere = {0};
    glshape_source narrow;
    error *err = run_error(run_of(g));
    TRY(error_check_reserved(err, "options", o->reserved));
    TRY(dist_sphere_new(err, source, &sphere));
    if (sphere.radius) sphere.source.points = &sphere.points, source = &sphere.source;
    if (sphere.radius && o->cophenetic)
        return fail(err, GLSHAPE_BAD_ARGUMENT,
                    "the cophenetic correlation does not go with haversine distances");
    TRY(check_options(err, source, o));
    TRY(dist_narrow_source(err, source, &narrowed, &narrow));
    source = &narrow;
    uint32_t n = (uint32_t)count_points(source), most = n - 1 < DEFAULT_NEIGHBORS ? n - 1 : DEFAULT_NEIGHBORS;
    double start = wall_seconds();
    bool by_lists = source->points && !o->connectivity;
    r = (glshape_linkage_result){.n = n, .components = 1};
    if (by_lists) r.n_neighbors = o->n_neighbors ? o->n_neighbors : (int)most;
    TRY(linkage_tree_new(err, n, &tree));
    if ((source->graph || o->connectivity) && !ranks_go_alone(run_ranks(run_of(g)))) return GLSHAPE_OK;
    TRY(find_tree(g, source, o, &tree, &r));
    if (!ranks_go_alone(run_ranks(run_of(g)))) return GLSHAPE_OK;
    TRY(linkage_rows(g, &tree, &r.merges, &r.edges));
    if (sphere.radius) dist_sphere_distances(&sphere, r.merges + 2, n - 1, 4);
    r.seconds.tree = wall_seconds() - start - r.seconds.upload - r.seconds.neighbors - r.seconds.search;
    start = wall_seconds();
    if (o->cophenetic && source->reader && r.components > 1)
        return fail(err, GLSHAPE_BAD_INPUT, "points that are never joined have no cophenetic correlation");
    if (o->cophenetic) run_begin_stage(run_of(g), "cophenetic", RUN_NOT_BY_PASSES);
    if (o->cophenetic) TRY(linkage_cophenetic(run_of(g), source, r.merges, n, &r.cophenetic));
    r.seconds.cophenetic = wall_seconds() - start;
    r.gpu_bytes = gpu_recent_bytes(g);
    TRY(run_tick(run_of(g), 1));
    *result = MOVE(r);
    return GLSHAPE_OK;
}

glshape_status glshape_linkage(glshape_context *context, const glshape_source *source,
                               const glshape_linkage_options *options, glshape_linkage_result *result) {
    glshape_linkage_options o = options ? *options : (glshape_linkage_options){0};
    *result = (glshape_linkage_result){0};
    gpu *g;
    TRY(context_begin_closed(context, &g));
    gpu_begin_method(g);
    return context_end(context, context_agree(context, compute_linkage(g, source, &o, result)));
}

void glshape_linkage_free(glshape_linkage_result *result) {
    free(result->merges);
    free(result->edges);
    *result = (glshape_linkage_result){0};
}
