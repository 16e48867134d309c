/* glshape_hdbscan: the public call. */
#include "hdbscan/hdbscan.h"

#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/owned.h"
#include "base/threads.h"
#include "dist/narrow.h"
#include "dist/sphere.h"
#include "gpu/context.h"
#include "tree/tree.h"

#define DEFAULT_CLUSTER 5
#define MOST_POINTS (1 << 30)
#define LEAST_ALPHA 1e-6
#define MOST_ALPHA 1e6

/* ---- options ----------------------------------------------------------------------------------- */

static size_t count_points(const glshape_source *source) {
    if (source->points) return source->points->rows;
    if (source->sparse) return source->sparse->rows;
    return source->graph ? source->graph->nodes : source->reader ? source->n : 0;
}

static glshape_status check_source(error *err, const glshape_source *source) {
    TRY(dist_source_check(err, source, DIST_OF_POINTS | DIST_OF_SPARSE | DIST_OF_READER | DIST_OF_GRAPH,
                          "hdbscan needs points, sparse rows, a matrix of distances or a graph"));
    size_t n = count_points(source);
    if (n >= 2 && n <= MOST_POINTS) return GLSHAPE_OK;
    return fail(err, GLSHAPE_BAD_INPUT, "%zu point%s cannot be clustered by density; 2 to %d can", n,
                n == 1 ? "" : "s", MOST_POINTS);
}

static glshape_status check_sizes(error *err, const hdbscan_options *o, size_t n) {
    if (o->min_cluster_size < 2)
        return fail(err, GLSHAPE_BAD_ARGUMENT, "min_cluster_size is %d; a cluster has at least 2 points",
                    o->min_cluster_size);
    if (o->min_samples < 1)
        return fail(err, GLSHAPE_BAD_ARGUMENT,
                    "min_samples is %d; it is at least 1, as the point itself is counted", o->min_samples);
    if ((size_t)o->min_samples > n)
        return fail(err, GLSHAPE_BAD_ARGUMENT,
                    "min_samples is %d, but there are %zu points; give a smaller min_samples (its default is "
                    "min_cluster_size)",
                    o->min_samples, n);
    return GLSHAPE_OK;
}

static glshape_status check_options(error *err, const hdbscan_options *o, size_t n) {
    TRY(check_sizes(err, o, n));
    TRY(error_check_choice(err, (int)o->selection, GLSHAPE_HDBSCAN_LEAF, "selection"));
    TRY(error_check_choice(err, (int)o->search, GLSHAPE_SEARCH_INDEX, "search"));
    if (!(o->epsilon >= 0) || isinf(o->epsilon))
        return fail(err, GLSHAPE_BAD_ARGUMENT, "epsilon is %g; it is a distance of at least 0", o->epsilon);
    if (!(o->persistence >= 0) || isinf(o->persistence))
        return fail(err, GLSHAPE_BAD_ARGUMENT, "persistence is %g; it is a difference of lambdas, at least 0",
                    o->persistence);
    if (!(o->max_epsilon > 0))
        return fail(err, GLSHAPE_BAD_ARGUMENT, "max_epsilon is %g; it is a distance above 0", o->max_epsilon);
    if (!(o->alpha >= LEAST_ALPHA && o->alpha <= MOST_ALPHA))
        return fail(err, GLSHAPE_BAD_ARGUMENT, "alpha is %g; it is a number above 0, from %g to %g", o->alpha,
                    LEAST_ALPHA, MOST_ALPHA);
    return GLSHAPE_OK;
}

static hdbscan_options with_defaults(const glshape_hdbscan_options *given) {
    hdbscan_options o = given ? *given : (hdbscan_options){0};
    if (!o.min_cluster_size) o.min_cluster_size = DEFAULT_CLUSTER;
    if (!o.min_samples) o.min_samples = o.min_cluster_size;
    if (o.max_epsilon == 0) o.max_epsilon = INFINITY;
    if (!o.max_cluster_size) o.max_cluster_size = SIZE_MAX;
    if (o.alpha == 0) o.alpha = 1;
    return o;
}

/* ---- the call ---------------------------------------------------------------------------------- */

void hdbscan_way_free(hdbscan_way *w) {
    tree_merges_free(&w->merges);
    threads_touched(&w->touching);
}

#define MANY 100000u /* points whose clusters' memory is worth a thread */

glshape_status hdbscan_make_room(run *run, glshape_hdbscan_result *r, hdbscan_way *way) {
    TRY(hdbscan_label_new(run_error(run), r));
    way->row_room = r->n + r->n / 8; /* of a million points in groups, one row in fifty is a cluster's */
    TRY(memory_resize(run_error(run), &r->rows, way->row_room, sizeof *r->rows, "the condensed tree"));
    const threads_block blocks[THREADS_BLOCKS] = {{r->core, r->n * sizeof *r->core},
                                                  {r->labels, r->n * sizeof *r->labels},
                                                  {r->probabilities, r->n * sizeof *r->probabilities},
                                                  {r->outlier_scores, r->n * sizeof *r->outlier_scores},
                                                  {r->rows, way->row_room * sizeof *r->rows}};
    if (r->n >= MANY) way->touching = threads_touch_aside(blocks);
    return GLSHAPE_OK;
}

glshape_status hdbscan_choose_way(gpu *g, linkage_tree *tree, glshape_hdbscan_result *r, hdbscan_way *way) {
    if (way->on_sphere) return GLSHAPE_OK; /* heights are chords there */
    TRY(hdbscan_clusters_place(g, tree->n, &way->why));
    if (!run_why_device(way->why)) return GLSHAPE_OK;
    tree->merges = &way->merges;
    return hdbscan_make_room(run_of(g), r, way);
}

static glshape_status find_tree(gpu *g, const glshape_source *source, glshape_hdbscan_result *r,
                                hdbscan_way *way) {
    OWNED_BY(linkage_tree_free) linkage_tree tree = {0};
    error *err = run_error(run_of(g));
    uint32_t n = (uint32_t)r->n;
    TRY(allocate(err, &r->core, n, sizeof *r->core, "core distances"));
    TRY(linkage_tree_new(err, n, &tree));
    if (source->points) TRY(hdbscan_points(g, source, &tree, r, way));
    else if (source->graph) TRY(hdbscan_graph(g, source, &tree, r));
    else TRY(hdbscan_matrix(g, source, &tree, r));
    if (!ranks_go_alone(run_ranks(run_of(g)))) return GLSHAPE_OK;
    return linkage_rows(g, &tree, &r->merges, r->options.spanning_tree ? &r->edges : NULL);
}

glshape_status hdbscan_clusters_by_threads(error *err, glshape_hdbscan_result *r) {
    OWNED bool *chosen = NULL;
    TRY(hdbscan_condense(err, r));
    if (r->options.persistence > 0) TRY(hdbscan_simplify(err, r));
    TRY(allocate(err, &chosen, r->tree_clusters, sizeof *chosen, "the clusters"));
    TRY(hdbscan_select(err, r, chosen));
    return hdbscan_label(err, chosen, r);
}

static glshape_status find_clusters(gpu *g, hdbscan_way *way, glshape_hdbscan_result *r) {
    bool done = false;
    if (run_why_device(way->why) && (!way->merges.items.id || r->options.persistence > 0))
        way->why = RUN_NOT_BY_PASSES;
    run_begin_stage(run_of(g), "clusters", way->why);
    if (run_why_device(way->why)) TRY(hdbscan_clusters_by_passes(g, way, r, &done));
    if (done) return GLSHAPE_OK;
    threads_touched(&way->touching);
    if (run_why_device(way->why)) run_begin_stage(run_of(g), "clusters", RUN_NOT_LIMITS);
    return hdbscan_clusters_by_threads(run_error(run_of(g)), r);
}

static glshape_status compute_hdbscan(gpu *g, const glshape_source *source,
                                      const glshape_hdbscan_options *options,
                                      glshape_hdbscan_result *result) {
    OWNED_BY(glshape_hdbscan_free)
    glshape_hdbscan_result r = {.options = with_defaults(options), .components = 1};
    OWNED_BY(dist_narrowed_free) dist_narrowed narrowed = {0};
    OWNED_BY(hdbscan_way_free) hdbscan_way way = {.why = RUN_NOT_BY_PASSES};
    OWNED_BY(dist_sphere_free) dist_sphere sphere = {0};
    glshape_source narrow;
    error *err = run_error(run_of(g));
    TRY(error_check_reserved(err, "options", r.options.reserved));
    TRY(dist_sphere_new(err, source, &sphere));
    if (sphere.radius) sphere.source.points = &sphere.points, source = &sphere.source;
    if (sphere.radius && r.options.alpha != 1)
        return fail(err, GLSHAPE_BAD_ARGUMENT, "alpha is %g; of haversine distances it is 1",
                    r.options.alpha);
    way.on_sphere = sphere.radius > 0;
    TRY(check_source(err, source));
    TRY(dist_narrow_source(err, source, &narrowed, &narrow));
    source = &narrow;
    r.n = count_points(source);
    TRY(check_options(err, &r.options, r.n));
    double since = wall_seconds();
    if (source->graph && !ranks_go_alone(run_ranks(run_of(g)))) return GLSHAPE_OK;
    TRY(find_tree(g, source, &r, &way));
    if (run_ranks(run_of(g))->rank) return GLSHAPE_OK;
    r.seconds.tree = clock_lap(&since) - r.seconds.upload - r.seconds.cores - r.seconds.search;
    if (sphere.radius) dist_sphere_distances(&sphere, r.merges + 2, r.n - 1, 4);
    if (sphere.radius) dist_sphere_distances(&sphere, r.core, r.n, 1);
    TRY(find_clusters(g, &way, &r));
    r.seconds.clusters = clock_lap(&since);
    r.gpu_bytes = gpu_recent_bytes(g);
    TRY(run_tick(run_of(g), 1));
    *result = MOVE(r);
    return GLSHAPE_OK;
}

glshape_status glshape_hdbscan(glshape_context *context, const glshape_source *source,
                               const glshape_hdbscan_options *options, glshape_hdbscan_result *result) {
    *result = (glshape_hdbscan_result){0};
    gpu *g;
    TRY(context_begin_closed(context, &g));
    gpu_begin_method(g);
    return context_end(context, context_agree(context, compute_hdbscan(g, source, options, result)));
}

void glshape_hdbscan_free(glshape_hdbscan_result *result) {
    void *const parts[] = {
        result->labels, result->probabilities, result->outlier_scores, result->core,      result->merges,
        result->rows,   result->tree,          result->exemplar_start, result->exemplars, result->edges};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) free(parts[i]);
    *result = (glshape_hdbscan_result){0};
}
