/* glshape_knn: the public call. */
#include "knn/knn.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/memory.h"
#include "gpu/context.h"

#define DEFAULT_NEIGHBORS 10

static glshape_status check(error *err, const glshape_matrix *m, glshape_metric metric, int k) {
    if ((int)metric < 0 || metric > GLSHAPE_METRIC_CORRELATION)
        return fail(err, GLSHAPE_BAD_ARGUMENT, "there is no metric %d", (int)metric);
    if (k < 1 || k > GLSHAPE_KNN_MOST)
        return fail(err, GLSHAPE_BAD_ARGUMENT, "%d neighbors were asked for; 1 to %d are possible", k,
                    GLSHAPE_KNN_MOST);
    if (m->rows > (size_t)k) return GLSHAPE_OK;
    return fail(err, GLSHAPE_BAD_ARGUMENT,
                "%d neighbors were asked for, but of %zu row%s each has %zu others", k, m->rows,
                m->rows == 1 ? "" : "s", m->rows ? m->rows - 1 : 0);
}

static double lap(double *since) {
    double now = wall_seconds(), seconds = now - *since;
    *since = now;
    return seconds;
}

static glshape_status search(gpu *g, knn_points *p, uint32_t k, knn_search *s, knn_candidate *candidates,
                             uint32_t *index, double *sum, knn_cost *cost) {
    double since = wall_seconds();
    for (uint32_t first = 0; first < p->n; first += s->rows) {
        knn_settling what = {.first = first, .k = k, .keep = s->keep, .candidates = candidates};
        what.count = p->n - first < s->rows ? p->n - first : s->rows;
        TRY(knn_search_rows(g, s, p, first, candidates));
        cost->find += lap(&since);
        TRY(knn_settle(gpu_error(g), p, &what, index + (size_t)first * k, sum + (size_t)first * k,
                       &cost->scanned));
        cost->settle += lap(&since);
    }
    return gpu_tick(g, 1);
}

glshape_status knn_lists(gpu *g, knn_points *p, uint32_t k, uint32_t *index, double *sum, knn_cost *cost) {
    knn_search s;
    knn_candidate *candidates = NULL;
    TRY(knn_search_new(g, p, k, false, &s));
    glshape_status status =
        allocate(gpu_error(g), &candidates, s.rows, s.keep * sizeof *candidates, "candidates of points");
    if (!status) status = search(g, p, k, &s, candidates, index, sum, cost);
    free(candidates);
    knn_search_free(&s);
    return status;
}

static glshape_status find(gpu *g, knn_points *p, glshape_knn_result *r) {
    error *err = gpu_error(g);
    knn_cost cost = {0};
    size_t all = times(p->n, (size_t)r->n_neighbors);
    TRY(allocate(err, &r->index, all, sizeof *r->index, "the neighbors"));
    TRY(allocate(err, &r->distance, all, sizeof *r->distance, "distances of neighbors"));
    TRY(knn_lists(g, p, (uint32_t)r->n_neighbors, r->index, r->distance, &cost));
    for (size_t e = 0; e < all; e++) r->distance[e] = knn_distance(p, r->distance[e]);
    gpu_fact(g, (double)cost.scanned, "points compared with all");
    r->seconds.find = cost.find;
    r->seconds.decide = cost.settle;
    return GLSHAPE_OK;
}

static glshape_status run(gpu *g, const glshape_matrix *m, glshape_metric metric, glshape_knn_result *r) {
    knn_points p;
    double since = wall_seconds();
    TRY(check(gpu_error(g), m, metric, r->n_neighbors));
    TRY(knn_points_new(g, m, metric, &p));
    r->n = p.n;
    r->seconds.upload = lap(&since);
    glshape_status status = find(g, &p, r);
    knn_points_free(&p);
    r->gpu_bytes = gpu_recent_bytes(g);
    return status;
}

glshape_status glshape_knn(glshape_context *context, const glshape_matrix *points,
                           const glshape_knn_options *options, glshape_knn_result *result) {
    glshape_knn_options o = options ? *options : (glshape_knn_options){0};
    *result = (glshape_knn_result){.n_neighbors = o.n_neighbors ? o.n_neighbors : DEFAULT_NEIGHBORS};
    gpu *g;
    TRY(context_begin(context, &g));
    gpu_begin_method(g);
    glshape_status status = run(g, points, o.metric, result);
    if (status) glshape_knn_free(result);
    return context_end(context, status);
}

void glshape_knn_free(glshape_knn_result *result) {
    free(result->index);
    free(result->distance);
    *result = (glshape_knn_result){0};
}
