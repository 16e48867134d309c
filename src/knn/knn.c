/* glshape_knn: the public call. */
#include "knn/knn.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/owned.h"
#include "gpu/context.h"

#define DEFAULT_NEIGHBORS 10

static glshape_status check_request(error *err, const glshape_matrix *m, const glshape_knn_options *o,
                                    int k) {
    if ((int)o->metric < 0 || o->metric > GLSHAPE_METRIC_CORRELATION)
        return fail(err, GLSHAPE_BAD_ARGUMENT, "there is no metric %d", (int)o->metric);
    if ((int)o->search < 0 || o->search > GLSHAPE_SEARCH_INDEX)
        return fail(err, GLSHAPE_BAD_ARGUMENT, "there is no search %d", (int)o->search);
    if (k < 1 || k > GLSHAPE_KNN_MOST)
        return fail(err, GLSHAPE_BAD_ARGUMENT, "%d neighbors were asked for; 1 to %d are possible", k,
                    GLSHAPE_KNN_MOST);
    if (m->rows > (size_t)k) return GLSHAPE_OK;
    return fail(err, GLSHAPE_BAD_ARGUMENT,
                "%d neighbors were asked for, but of %zu row%s each has %zu others", k, m->rows,
                m->rows == 1 ? "" : "s", m->rows ? m->rows - 1 : 0);
}

/* An index pays for up to so many columns, and where a search through it looks at less than one in so many of
 * the points. */
#define FEW_COLUMNS 16u
#define FEW_SEEN 8

glshape_status knn_in_space(gpu *g, knn_points *p, uint32_t k, bool *so) {
    size_t columns = p->m->cols;
    bool sums = p->metric != GLSHAPE_METRIC_MANHATTAN, asked = p->search == GLSHAPE_SEARCH_INDEX;
    *so = false;
    if (p->search == GLSHAPE_SEARCH_PAIRS || (!asked && columns > FEW_COLUMNS)) return GLSHAPE_OK;
    if (columns > INDEX_COLUMNS)
        return fail(gpu_error(g), GLSHAPE_BAD_ARGUMENT,
                    "the points have %zu columns; an index is of at most %u (--search pairs compares all)",
                    columns, INDEX_COLUMNS);
    if (!p->space.n)
        TRY(index_new(gpu_error(g), p->n, (uint32_t)columns, !sums, knn_row, p, &p->space));
    *so = asked || index_cost(&p->space, k) * FEW_SEEN < p->n;
    return GLSHAPE_OK;
}

static glshape_status lists_in_space(gpu *g, knn_points *p, uint32_t k, uint32_t *index, double *sum,
                                     knn_cost *cost) {
    double since = wall_seconds();
    index_task task = {.x = &p->space, .queries = &p->space, .k = k};
    TRY(index_nearest(g, &task, index, sum));
    cost->search += clock_lap(&since);
    return gpu_tick(g, 1);
}

glshape_status knn_lists(gpu *g, knn_points *p, uint32_t k, uint32_t *index, double *sum, knn_cost *cost) {
    OWNED_BY(knn_search_free) knn_search s = {0};
    OWNED knn_candidate *candidates = NULL;
    bool in_space;
    TRY(knn_in_space(g, p, k, &in_space));
    if (in_space) return lists_in_space(g, p, k, index, sum, cost);
    TRY(knn_search_new(g, p, k, false, &s));
    TRY(allocate(gpu_error(g), &candidates, s.rows, s.keep * sizeof *candidates, "candidates of points"));
    double since = wall_seconds();
    for (uint32_t first = 0; first < p->n; first += s.rows) {
        knn_task task = {.first = first, .k = k, .keep = s.keep, .candidates = candidates};
        task.count = p->n - first < s.rows ? p->n - first : s.rows;
        TRY(knn_search_rows(g, &s, p, first, candidates));
        cost->search += clock_lap(&since);
        TRY(knn_certify(gpu_error(g), p, &task, index + (size_t)first * k, sum + (size_t)first * k,
                        &cost->scanned));
        cost->certify += clock_lap(&since);
    }
    return gpu_tick(g, 1);
}

static glshape_status neighbors_of(gpu *g, const glshape_matrix *m, const glshape_knn_options *o,
                                   glshape_knn_result *r) {
    OWNED_BY(knn_points_free) knn_points p = {0};
    knn_cost cost = {0};
    error *err = gpu_error(g);
    double since = wall_seconds();
    TRY(check_request(err, m, o, r->n_neighbors));
    TRY(knn_points_new(g, m, o->metric, &p));
    p.search = o->search;
    r->n = p.n;
    r->seconds.upload = clock_lap(&since);
    size_t all = times(p.n, (size_t)r->n_neighbors);
    TRY(allocate(err, &r->index, all, sizeof *r->index, "the neighbors"));
    TRY(allocate(err, &r->distance, all, sizeof *r->distance, "distances of neighbors"));
    TRY(knn_lists(g, &p, (uint32_t)r->n_neighbors, r->index, r->distance, &cost));
    knn_distances(&p, r->distance, all);
    gpu_fact(g, (double)cost.scanned, "points compared with all");
    r->seconds.find = cost.search;
    r->seconds.decide = cost.certify;
    r->gpu_bytes = gpu_recent_bytes(g);
    return GLSHAPE_OK;
}

glshape_status glshape_knn(glshape_context *context, const glshape_matrix *points,
                           const glshape_knn_options *options, glshape_knn_result *result) {
    glshape_knn_options o = options ? *options : (glshape_knn_options){0};
    *result = (glshape_knn_result){.n_neighbors = o.n_neighbors ? o.n_neighbors : DEFAULT_NEIGHBORS};
    gpu *g;
    TRY(context_begin(context, &g));
    gpu_begin_method(g);
    glshape_status status = neighbors_of(g, points, &o, result);
    if (status) glshape_knn_free(result);
    return context_end(context, status);
}

void glshape_knn_free(glshape_knn_result *result) {
    free(result->index);
    free(result->distance);
    *result = (glshape_knn_result){0};
}
