/* glshape_knn: the public call. */
#include "neighbors/lists.h"

#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/matrix.h"
#include "base/memory.h"
#include "base/owned.h"
#include "base/threads.h"
#include "dist/narrow.h"
#include "dist/source.h"
#include "dist/sphere.h"
#include "gpu/context.h"
#include "neighbors/rows.h"

#define DEFAULT_NEIGHBORS 10

/* others: among how many points each query has its neighbors. */
static glshape_status check_neighbors(error *err, size_t n, const glshape_knn_options *o, int k) {
    bool asked = o->queries || o->sparse_queries || o->reader_queries;
    size_t others = n - !asked * (n > 0);
    if (k < 1 || k > GLSHAPE_KNN_MOST)
        return fail(err, GLSHAPE_BAD_ARGUMENT, "%d neighbors were asked for; 1 to %d are possible", k,
                    GLSHAPE_KNN_MOST);
    if (others >= (size_t)k) return GLSHAPE_OK;
    if (asked)
        return fail(err, GLSHAPE_BAD_ARGUMENT, "%d neighbors were asked for, but there are %zu points", k, n);
    return fail(err, GLSHAPE_BAD_ARGUMENT,
                "%d neighbors were asked for, but of %zu row%s each has %zu others", k, n, n == 1 ? "" : "s",
                others);
}

static glshape_status check_radius(error *err, const glshape_source *source, const glshape_knn_options *o) {
    if (!(o->radius.value >= 0))
        return fail(err, GLSHAPE_BAD_ARGUMENT, "the radius is %g; it must be a number, 0 or more",
                    o->radius.value);
    if (o->n_neighbors)
        return fail(err, GLSHAPE_BAD_ARGUMENT,
                    "%d neighbors and a radius were asked for; one of both is possible", o->n_neighbors);
    if (o->search == GLSHAPE_SEARCH_PAIRS && source->points)
        return fail(err, GLSHAPE_BAD_ARGUMENT,
                    "points within a radius are found through an index, not by pairs");
    return GLSHAPE_OK;
}

/* Queries are of the kind of the source. */
static glshape_status check_queries(error *err, const glshape_source *s, const glshape_knn_options *o) {
    if ((o->queries && !s->points) || (o->sparse_queries && !s->sparse) || (o->reader_queries && !s->reader))
        return fail(err, GLSHAPE_BAD_ARGUMENT,
                    "queries are rows as those of the source: of points, sparse rows or of a reader");
    if (o->queries) TRY(matrix_check(err, o->queries));
    return o->sparse_queries ? dist_sparse_check_shape(err, o->sparse_queries) : GLSHAPE_OK;
}

static glshape_status check_request(error *err, const glshape_source *s, const glshape_knn_options *o,
                                    int k) {
    TRY(dist_source_check(err, s, DIST_OF_POINTS | DIST_OF_SPARSE | DIST_OF_READER,
                          "neighbors are of points, of sparse rows or of a matrix of distances (a reader)"));
    size_t n = s->points ? s->points->rows : s->sparse ? s->sparse->rows : s->n;
    TRY(check_queries(err, s, o));
    TRY(error_check_choice(err, (int)o->search, GLSHAPE_SEARCH_INDEX, "search"));
    if (o->search == GLSHAPE_SEARCH_INDEX && !s->points)
        return fail(err, GLSHAPE_BAD_ARGUMENT,
                    "an index is of dense points; sparse rows and matrices are searched by pairs");
    if (s->reader && (n < 1 || n >= UINT32_MAX || o->reader_queries >= UINT32_MAX))
        return fail(err, GLSHAPE_BAD_INPUT, "%zu points, %zu queries: 1 to 2^32 - 2 of each are possible", n,
                    o->reader_queries);
    if (!o->radius.is_set) return check_neighbors(err, n, o, k);
    if (n < 2 && !s->reader && !o->queries && !o->sparse_queries)
        return fail(err, GLSHAPE_BAD_INPUT, "the input has %zu row%s, and no others that may be near", n,
                    n == 1 ? "" : "s");
    return check_radius(err, s, o);
}

/* ---- results --------------------------------------------------------------------------------- */

#define MOST_PAIRS ((uint64_t)1 << 32)

/* Makes room for as many neighbors as r->start says there are. */
static glshape_status make_room(error *err, double radius, glshape_knn_result *r) {
    uint64_t all = r->start[r->n];
    if (all > MOST_PAIRS)
        return fail(err, GLSHAPE_BAD_INPUT,
                    "%llu pairs are within %g; at most %llu are possible: a smaller radius gives fewer",
                    (unsigned long long)all, radius, (unsigned long long)MOST_PAIRS);
    TRY(allocate(err, &r->index, all, sizeof *r->index, "the neighbors"));
    return allocate(err, &r->distance, all, sizeof *r->distance, "distances of neighbors");
}

/* All within the radius: start, index and sum of r. */
static glshape_status within_radius(gpu *g, knn_points *p, double radius, glshape_knn_result *r) {
    OWNED_BY(index_free) spatial_index queries = {0};
    index_task task;
    error *err = run_error(run_of(g));
    double since = wall_seconds(), most = knn_sum_within(p, radius);
    if (!ranks_go_alone(run_ranks(run_of(g)))) return GLSHAPE_OK;
    TRY(knn_index_points(g, p, 0));
    TRY(knn_task_in_space(g, p, &queries, 0, &task));
    TRY(allocate(err, &r->start, r->n + 1, sizeof *r->start, "the neighbors"));
    TRY(index_within_count(g, &task, most, r->start));
    TRY(make_room(err, radius, r));
    TRY(index_within(g, &task, most, r->start, r->index, r->distance));
    knn_distances(p, r->distance, r->start[r->n]);
    r->seconds.find = clock_lap(&since);
    return run_tick(run_of(g), 1);
}

#define MANY_RESULTS ((size_t)1 << 22)

/* Makes room for the nearest of each; much of it gets its memory aside, while they are searched. */
static glshape_status begin_results(error *err, const glshape_knn_options *o, glshape_knn_result *r,
                                    threads_touching **touching) {
    size_t all = times(r->n, (size_t)r->n_neighbors);
    TRY(allocate(err, &r->index, all, sizeof *r->index, "the neighbors"));
    TRY(allocate(err, &r->distance, all, sizeof *r->distance, "distances of neighbors"));
    const threads_block blocks[THREADS_BLOCKS] = {{r->index, all * sizeof *r->index},
                                                  {r->distance, all * sizeof *r->distance}};
    if (o->search != GLSHAPE_SEARCH_PAIRS && all >= MANY_RESULTS) *touching = threads_touch_aside(blocks);
    return GLSHAPE_OK;
}

/* The nearest of each: index and distance of r. */
static glshape_status nearest(gpu *g, knn_points *p, glshape_knn_result *r) {
    size_t all = times(r->n, (size_t)r->n_neighbors);
    knn_cost cost = {0};
    p->lists_only = true;
    TRY(knn_lists(g, p, (uint32_t)r->n_neighbors, r->index, r->distance, false, &cost));
    if (!run_ranks(run_of(g))->rank && !p->distances) knn_distances(p, r->distance, all);
    run_fact(run_of(g), (double)cost.scanned, "points compared with all");
    r->seconds.find = cost.search;
    r->seconds.decide = cost.certify;
    return GLSHAPE_OK;
}

static void free_matrix(glshape_matrix *m) { free(m->data); }

static glshape_status neighbors_of_points(gpu *g, const glshape_source *s, const glshape_knn_options *o,
                                          glshape_knn_result *r) {
    OWNED_BY(knn_points_free) knn_points p = {0};
    OWNED_BY(free_matrix) glshape_matrix both = {0};
    OWNED_BY(dist_narrowed_free) dist_narrowed n = {0};
    OWNED_BY(threads_touched) threads_touching *touching = NULL;
    double since = wall_seconds();
    run_begin_stage(run_of(g), "points", RUN_NOT_BY_PASSES);
    r->n = (uint32_t)(o->queries ? o->queries->rows : s->points->rows);
    if (!o->radius.is_set) TRY(begin_results(run_error(run_of(g)), o, r, &touching));
    TRY(dist_narrow(run_error(run_of(g)), s->points, o->queries, s->metric, &n));
    if (o->queries) TRY(knn_join_queries(run_error(run_of(g)), &n.points, &n.queries, s->metric, &both));
    TRY(knn_points_new(run_of(g), run_ranks(run_of(g)), o->queries ? &both : &n.points, s->metric, s->p, &p));
    p.touching = MOVE(touching);
    p.search = o->search;
    p.queries = o->queries ? (uint32_t)o->queries->rows : 0;
    r->seconds.upload = clock_lap(&since);
    return o->radius.is_set ? within_radius(g, &p, o->radius.value, r) : nearest(g, &p, r);
}

/* ---- of other sources -------------------------------------------------------------------------- */

/* From rows of bounds; most: the sum that the radius stands for. Sums are put where distances belong. */
static glshape_status neighbors_of_rows(run *run, const knn_rows *rows, const glshape_knn_options *o,
                                        double most, glshape_knn_result *r) {
    error *err = run_error(run);
    size_t all = times(r->n = rows->count, (size_t)r->n_neighbors);
    double since = wall_seconds();
    run_begin_stage(run, "rows", RUN_NOT_BY_PASSES);
    if (o->radius.is_set) {
        TRY(allocate(err, &r->start, r->n + 1, sizeof *r->start, "the neighbors"));
        TRY(knn_rows_within_count(run, rows, most, r->start));
        TRY(make_room(err, o->radius.value, r));
        TRY(knn_rows_within(run, rows, most, r->start, r->index, r->distance));
    } else {
        TRY(allocate(err, &r->index, all, sizeof *r->index, "the neighbors"));
        TRY(allocate(err, &r->distance, all, sizeof *r->distance, "distances of neighbors"));
        TRY(knn_rows_nearest(run, rows, (uint32_t)r->n_neighbors, r->index, r->distance));
    }
    r->seconds.find = clock_lap(&since);
    return run_tick(run, 1);
}

static double sparse_distance(const void *rows, double sum) { return dist_sparse_distance(rows, sum); }

static glshape_status neighbors_of_sparse(run *run, const glshape_source *s, const glshape_knn_options *o,
                                          glshape_knn_result *r) {
    OWNED_BY(knn_sparse_free) knn_sparse sparse = {0};
    knn_rows rows;
    double since = wall_seconds();
    TRY(knn_sparse_new(run_error(run), s, o, &sparse));
    r->seconds.upload = clock_lap(&since);
    knn_sparse_rows(&sparse, &rows);
    double most = o->radius.is_set ? norm_sum_within(sparse_distance, &sparse.rows, o->radius.value) : 0;
    TRY(neighbors_of_rows(run, &rows, o, most, r));
    size_t all = r->start ? r->start[r->n] : r->n * (size_t)r->n_neighbors;
    for (size_t e = 0; e < all; e++) r->distance[e] = dist_sparse_distance(&sparse.rows, r->distance[e]);
    return GLSHAPE_OK;
}

static glshape_status neighbors_of(gpu *g, const glshape_source *s, const glshape_knn_options *o,
                                   glshape_knn_result *r) {
    knn_matrix matrix = {.source = s};
    knn_rows rows;
    TRY(check_request(run_error(run_of(g)), s, o, r->n_neighbors));
    if (s->points) return neighbors_of_points(g, s, o, r);
    if (!ranks_go_alone(run_ranks(run_of(g)))) return GLSHAPE_OK;
    if (s->sparse) return neighbors_of_sparse(run_of(g), s, o, r);
    knn_matrix_rows(&matrix, o->reader_queries, &rows);
    return neighbors_of_rows(run_of(g), &rows, o, o->radius.value, r);
}

/* On a sphere, chords are searched for. */
static glshape_status neighbors_on_sphere(gpu *g, const glshape_source *source,
                                          const glshape_knn_options *options, glshape_knn_result *r) {
    OWNED_BY(dist_sphere_free) dist_sphere sphere = {0};
    OWNED_BY(free_matrix) glshape_matrix queries = {0};
    glshape_knn_options o = *options;
    error *err = run_error(run_of(g));
    TRY(error_check_reserved(err, "options", o.reserved));
    TRY(dist_sphere_new(err, source, &sphere));
    if (!sphere.radius) return neighbors_of(g, source, options, r);
    sphere.source.points = &sphere.points;
    if (o.queries) {
        glshape_status status = dist_sphere_points(err, o.queries, &queries);
        error why = *err;
        if (status) return fail(err, status, "queries: %s", why.text);
        o.queries = &queries;
    }
    if (o.radius.is_set && o.radius.value >= 0)
        o.radius.value = dist_sphere_chord(sphere.radius, o.radius.value);
    TRY(neighbors_of(g, &sphere.source, &o, r));
    size_t all = r->start ? (size_t)r->start[r->n] : r->n * (size_t)r->n_neighbors;
    if (!run_ranks(run_of(g))->rank) dist_sphere_distances(&sphere, r->distance, all, 1);
    return GLSHAPE_OK;
}

glshape_status glshape_knn_source(glshape_context *context, const glshape_source *source,
                                  const glshape_knn_options *options, glshape_knn_result *result) {
    glshape_knn_options o = options ? *options : (glshape_knn_options){0};
    *result = (glshape_knn_result){0};
    if (!o.radius.is_set) result->n_neighbors = o.n_neighbors ? o.n_neighbors : DEFAULT_NEIGHBORS;
    gpu *g;
    TRY(context_begin_closed(context, &g));
    gpu_begin_method(g);
    glshape_status status = context_agree(context, neighbors_on_sphere(g, source, &o, result));
    if (status || run_ranks(run_of(g))->rank) glshape_knn_free(result);
    else result->gpu_bytes = gpu_recent_bytes(g);
    return context_end(context, status);
}

glshape_status glshape_knn(glshape_context *context, const glshape_matrix *points,
                           const glshape_knn_options *options, glshape_knn_result *result) {
    glshape_source source = {.points = points};
    if (options) source.metric = options->metric, source.p = options->p;
    return glshape_knn_source(context, &source, options, result);
}

void glshape_knn_free(glshape_knn_result *result) {
    free(result->start);
    free(result->index);
    free(result->distance);
    *result = (glshape_knn_result){0};
}
