/* glshape_hdbscan_predict: clusters of new points. */
#include <math.h>

#include "base/memory.h"
#include "base/owned.h"
#include "base/threads.h"
#include "dist/source.h"
#include "gpu/context.h"
#include "hdbscan/hdbscan.h"

#define ROWS 4u /* new points that a thread compares at a time */

typedef struct job {
    const glshape_source *source;
    const glshape_hdbscan_result *r;
    const glshape_matrix *queries;
    uint32_t *leaves; /* of each point: the entry of r->tree that it leaves */
    double *lambda;   /* of each point: where it leaves that */
    int32_t *label;   /* of each entry of r->tree: of the chosen cluster around it; -1: none is */
    double *death;    /* of each entry of r->tree: of the chosen cluster around it */
    int32_t *labels;
    double *probabilities;
} job;

static void job_free(job *j) {
    free(j->leaves);
    free(j->lambda);
    free(j->label);
    free(j->death);
}

/* ---- the nearest point ------------------------------------------------------------------------- */

/* Inserts distance into the least `most`, in order; returns how many there are. */
static size_t insert(double *least, size_t count, size_t most, double distance) {
    size_t at = count < most ? count++ : most;
    for (; at && distance < least[at - 1]; at--)
        if (at < most) least[at] = least[at - 1];
    if (at < most) least[at] = distance;
    return count;
}

/* The core distance of a new point: to its (min_samples - 1)-th nearest point, as it counts itself. least:
 * room for so many. */
static double core_of(const job *j, const double *distance, double *least) {
    size_t within = (size_t)j->r->options.min_samples - 1, count = 0;
    for (size_t v = 0; v < j->r->n && within; v++)
        if (count < within || distance[v] < least[within - 1])
            count = insert(least, count, within, distance[v]);
    return within ? least[within - 1] : 0;
}

/* ---- the cluster ------------------------------------------------------------------------------- */

/* Puts new point q beside point v, which it joins at lambda: in v's cluster, or if that forms later, in the
 * one around it that has formed. */
static void place_query(const job *j, size_t q, size_t v, double lambda) {
    const glshape_hdbscan_result *r = j->r;
    size_t c = j->leaves[v];
    while (c && lambda < j->lambda[v] && r->tree[c].birth >= lambda) c = r->tree[c].parent - r->n;
    bool root = r->tree[0].label >= 0, in = j->label[c] >= 0;
    if (root) in = r->labels[v] >= 0 && lambda >= hdbscan_root_lambda(r);
    j->labels[q] = in ? j->label[c] : -1;
    j->probabilities[q] = in ? hdbscan_share(lambda, j->death[c]) : 0;
}

static void join_nearest(const job *j, size_t q, const double *distance, double *least) {
    double core = core_of(j, distance, least), best = INFINITY;
    size_t nearest = 0;
    for (size_t v = 0; v < j->r->n; v++) {
        double reach = fmax(distance[v] / j->r->options.alpha, fmax(core, j->r->core[v]));
        if (reach < best) best = reach, nearest = v;
    }
    place_query(j, q, nearest, 1 / best);
}

static glshape_status predict_rows(error *err, void *user, uint64_t block, void *scratch) {
    const job *j = user;
    const glshape_matrix *points = j->source->points;
    size_t columns = points->cols, n = j->r->n, first = block * ROWS,
           count = j->queries->rows - first < ROWS ? j->queries->rows - first : ROWS;
    double *rows = scratch, *point = rows + ROWS * columns, *distance = point + columns,
           *least = distance + ROWS * n;
    norm what = dist_norm(j->source->metric, j->source->p);
    for (size_t q = 0; q < count; q++)
        TRY(dist_row(err, j->queries, j->source->metric, first + q, rows + q * columns));
    for (size_t v = 0; v < n; v++) {
        TRY(dist_row(err, points, j->source->metric, v, point));
        for (size_t q = 0; q < count; q++)
            distance[q * n + v] = dist_of_rows(j->source->metric, &what, rows + q * columns, point, columns);
    }
    for (size_t q = 0; q < count; q++) join_nearest(j, first + q, distance + q * n, least);
    return GLSHAPE_OK;
}

/* ---- all --------------------------------------------------------------------------------------- */

static glshape_status describe_clusters(error *err, job *j) {
    const glshape_hdbscan_result *r = j->r;
    TRY(allocate(err, &j->leaves, r->n, sizeof *j->leaves, "clusters of points"));
    TRY(allocate(err, &j->lambda, r->n, sizeof *j->lambda, "clusters of points"));
    TRY(allocate(err, &j->label, r->tree_clusters, sizeof *j->label, "clusters"));
    TRY(allocate(err, &j->death, r->tree_clusters, sizeof *j->death, "clusters"));
    for (size_t k = 0; k < r->row_count; k++)
        if (r->rows[k].child < r->n) {
            j->leaves[r->rows[k].child] = (uint32_t)(r->rows[k].parent - r->n);
            j->lambda[r->rows[k].child] = r->rows[k].lambda;
        }
    for (size_t c = 0; c < r->tree_clusters; c++) {
        bool own = r->tree[c].label >= 0 || !c;
        size_t parent = r->tree[c].parent - r->n;
        j->label[c] = own ? r->tree[c].label : j->label[parent];
        j->death[c] = own ? r->tree[c].death : j->death[parent];
    }
    return GLSHAPE_OK;
}

static glshape_status check_request(error *err, const job *j) {
    const glshape_matrix *points = j->source->points;
    if (!points || points->rows != j->r->n)
        return fail(
            err, GLSHAPE_BAD_ARGUMENT,
            "prediction needs the %zu points that the clusters are of; a matrix of distances, a graph or "
            "other points will not do",
            j->r->n);
    if (j->queries->cols == points->cols) return GLSHAPE_OK;
    return fail(err, GLSHAPE_BAD_INPUT,
                "the new points have %zu columns, but the clusters are of points with %zu", j->queries->cols,
                points->cols);
}

static glshape_status predict(gpu *g, job *j) {
    error *err = gpu_error(g);
    TRY(check_request(err, j));
    TRY(describe_clusters(err, j));
    size_t columns = j->queries->cols, n = j->r->n;
    threads_job work = {.work = predict_rows,
                        .user = j,
                        .blocks = (j->queries->rows + ROWS - 1) / ROWS,
                        .scratch_bytes = times((ROWS + 1) * columns + (ROWS + 1) * n, sizeof(double)),
                        .name = "distances of new points",
                        .progress = gpu_go_on,
                        .progress_user = g,
                        .to = 1};
    return threads_do(err, &work);
}

glshape_status glshape_hdbscan_predict(glshape_context *context, const glshape_source *source,
                                       const glshape_hdbscan_result *result, const glshape_matrix *queries,
                                       int32_t *labels, double *probabilities) {
    OWNED_BY(job_free) job j = {.source = source, .r = result, .queries = queries};
    gpu *g;
    j.labels = labels;
    j.probabilities = probabilities;
    TRY(context_begin_closed(context, &g));
    return context_end(context, predict(g, &j));
}
