/* glshape_hdbscan_predict: clusters of new points. */
#include <math.h>
#include <stdatomic.h>

#include "base/matrix.h"
#include "base/memory.h"
#include "base/owned.h"
#include "base/threads.h"
#include "base/trees.h"
#include "dist/narrow.h"
#include "dist/source.h"
#include "gpu/context.h"
#include "hdbscan/hdbscan.h"
#include "index/walk.h"

#define ROWS 4u    /* new points that a thread compares with all points at a time */
#define BLOCK 256u /* those that it searches an index for */
/* An index pays for so many new points, of few columns and of more, where a search looks at so small a part
 * of it. New points whose search looks at more, as the points are about equally far from them, are compared
 * with all. */
#define FEW_COLUMNS 16u
#define MANY_QUERIES 32u
#define MANY_WIDE_QUERIES 2500u /* an index of wide points takes as long as to compare 250 with all */
#define SMALL_PART 0.25

typedef struct job {
    const glshape_source *source;
    const glshape_hdbscan_result *r;
    const glshape_matrix *queries;
    dist_narrowed narrowed; /* both, as they are compared; source and queries then point here */
    glshape_source narrow;
    size_t columns, within; /* within: the points that a core distance reaches; a new point counts itself */
    norm norm;
    double scale;        /* that of the points. New ones that are far larger would make all others alike */
    spatial_index space; /* the points, if they are searched through an index */
    size_t *rest;        /* the new points whose search looks at too many */
    atomic_size_t rest_count;
    uint32_t *leaves; /* of each point: the entry of r->tree that it leaves */
    double *lambda;   /* of each point: where it leaves that */
    int32_t *label;   /* of each entry of r->tree: of the chosen cluster around it; -1: none is */
    double *death;    /* of each entry of r->tree: of the chosen cluster around it */
    uint32_t *depth;  /* of each entry of r->tree: how many are around it … */
    uint32_t *jump;   /* … and one of those, so that few jumps lead to any */
    int32_t *labels;
    double *probabilities;
    uint32_t *nearest; /* not NULL, in place of labels and probabilities: the point that each joins … */
    double *joined;    /* … and the lambda at which it does */
} job;

static void job_free(job *j) {
    index_free(&j->space);
    free(j->rest);
    free(j->leaves);
    dist_narrowed_free(&j->narrowed);
    free(j->lambda);
    free(j->label);
    free(j->death);
    free(j->depth);
    free(j->jump);
}

/* ---- rows -------------------------------------------------------------------------------------- */

static glshape_status read_row(error *err, const job *j, const glshape_matrix *m, size_t r, double *out) {
    TRY(dist_row(err, m, j->source->metric, r, out));
    for (size_t c = 0; c < j->columns; c++) out[c] *= j->scale;
    return GLSHAPE_OK;
}

static double distance_of(const job *j, const double *x, const double *y) {
    return dist_of_rows(j->source->metric, &j->norm, x, y, j->columns) / j->scale;
}

/* The mutual reachability of point v and a new point. */
static double reach_of(const job *j, size_t v, double core, double distance) {
    return fmax(distance / j->r->options.alpha, fmax(core, j->r->core[v]));
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

/* The core distance of a new point. least: room for the distances within. */
static double core_of(const job *j, const double *distance, double *least) {
    size_t within = j->within, count = 0;
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
    if (j->nearest) {
        j->nearest[q] = (uint32_t)v;
        j->joined[q] = lambda;
        return;
    }
    size_t c = j->leaves[v];
    while (c && lambda < j->lambda[v] && r->tree[c].birth >= lambda)
        c = r->tree[j->jump[c]].birth >= lambda ? j->jump[c] : r->tree[c].parent - r->n;
    bool root = r->tree[0].label >= 0, in = j->label[c] >= 0;
    if (root) in = r->labels[v] >= 0 && lambda >= hdbscan_root_lambda(r);
    j->labels[q] = in ? j->label[c] : -1;
    j->probabilities[q] = in ? hdbscan_share(lambda, j->death[c]) : 0;
}

static void join_nearest(const job *j, size_t q, const double *distance, double *least) {
    double core = core_of(j, distance, least), best = INFINITY;
    size_t nearest = 0;
    for (size_t v = 0; v < j->r->n; v++) {
        double reach = reach_of(j, v, core, distance[v]);
        if (reach < best) best = reach, nearest = v;
    }
    place_query(j, q, nearest, 1 / best);
}

/* The rest of the new points or, without an index, all. */
static size_t count_rest(const job *j) { return j->rest ? j->rest_count : j->queries->rows; }

static glshape_status predict_rows(error *err, void *user, uint64_t block, void *scratch) {
    const job *j = user;
    size_t columns = j->columns, n = j->r->n, which[ROWS], count = 0;
    double *rows = scratch, *point = rows + ROWS * columns, *distance = point + columns,
           *least = distance + ROWS * n;
    for (size_t q = block * ROWS; q < count_rest(j) && count < ROWS; q++)
        which[count++] = j->rest ? j->rest[q] : q;
    for (size_t q = 0; q < count; q++) TRY(read_row(err, j, j->queries, which[q], rows + q * columns));
    for (size_t v = 0; v < n; v++) {
        TRY(read_row(err, j, j->source->points, v, point));
        for (size_t q = 0; q < count; q++) distance[q * n + v] = distance_of(j, rows + q * columns, point);
    }
    for (size_t q = 0; q < count; q++) join_nearest(j, which[q], distance + q * n, least);
    return GLSHAPE_OK;
}

/* ---- through an index -------------------------------------------------------------------------- */

typedef struct seeker {
    const job *j;
    const double *row; /* of the new point */
    double *least;     /* the least distances so far, in order */
    size_t count;
    double core, best;
    uint32_t nearest;
    uint64_t seen; /* boxes and points looked at */
} seeker;

static bool is_spent(const seeker *s) { return (double)s->seen > SMALL_PART * (double)s->j->r->n; }

/* Ends a walk that has looked at too many. */
static bool skips(void *user, uint32_t node) {
    (void)node;
    return is_spent(user);
}

/* No less than the sum of any two rows so far apart at most. A sum of less than 2^-960 may be nothing but
 * what rounding has left. */
static double sum_within(const job *j, double distance) {
    double scaled = distance * j->scale;
    double sum = dist_metric_is_angular(j->source->metric) ? 2 * scaled : norm_raise(&j->norm, scaled);
    return fmax(sum * (1 + 0x1p-40), 0x1p-960);
}

static double distance_at(const seeker *s, uint32_t position) {
    return distance_of(s->j, s->row, s->j->space.row + (size_t)position * s->j->columns);
}

static void take_least(void *user, double sum, uint32_t position, walk_reach *reach) {
    seeker *s = user;
    size_t within = s->j->within;
    (void)sum;
    s->count = insert(s->least, s->count, within, distance_at(s, position));
    if (s->count == within) reach->sum = sum_within(s->j, s->least[within - 1]);
}

static void take_nearest(void *user, double sum, uint32_t position, walk_reach *reach) {
    seeker *s = user;
    uint32_t v = s->j->space.point[position];
    double w = reach_of(s->j, v, s->core, distance_at(s, position));
    (void)sum;
    if (w > s->best || (w == s->best && v >= s->nearest)) return;
    s->best = w;
    s->nearest = v;
    reach->sum = sum_within(s->j, w * s->j->r->options.alpha);
}

static void search_nearest(job *j, size_t q, const double *row, double *least) {
    seeker s = {.j = j, .row = row, .least = least, .best = INFINITY};
    walk_reach all = {INFINITY, INDEX_NONE}, reach = all;
    if (j->within) walk(&j->space, row, &reach, skips, take_least, &s, &s.seen);
    s.core = j->within ? least[j->within - 1] : 0;
    reach = all;
    walk(&j->space, row, &reach, skips, take_nearest, &s, &s.seen);
    if (is_spent(&s)) j->rest[atomic_fetch_add(&j->rest_count, 1)] = q;
    else place_query(j, q, s.nearest, 1 / s.best);
}

static glshape_status search_block(error *err, void *user, uint64_t block, void *scratch) {
    job *j = user;
    double *row = scratch, *least = row + j->columns;
    for (size_t q = block * BLOCK; q < j->queries->rows && q / BLOCK == block; q++) {
        TRY(read_row(err, j, j->queries, q, row));
        search_nearest(j, q, row, least);
    }
    return GLSHAPE_OK;
}

static glshape_status read_point(error *err, const void *user, uint32_t i, double *out) {
    const job *j = user;
    return read_row(err, j, j->source->points, i, out);
}

/* Makes an index of the points, if it pays. */
static glshape_status make_index(error *err, job *j) {
    uint32_t n = (uint32_t)j->r->n, k = (uint32_t)(j->within < GLSHAPE_KNN_MOST ? j->within + 1 : j->within);
    size_t many = j->columns > FEW_COLUMNS ? MANY_WIDE_QUERIES : MANY_QUERIES;
    if (j->queries->rows < many || k > GLSHAPE_KNN_MOST || !index_is_modest(n, j->columns)) return GLSHAPE_OK;
    TRY(index_new(err, n, (uint32_t)j->columns, j->norm, read_point, j, &j->space));
    if (index_cost(&j->space, k) > SMALL_PART * n) {
        index_free(&j->space);
        return GLSHAPE_OK;
    }
    return allocate(err, &j->rest, j->queries->rows, sizeof *j->rest, "new points");
}

/* ---- all --------------------------------------------------------------------------------------- */

/* A jump is to the parent or, where the parent's jump is as long as the one behind it, as far as both (Myers,
 * "An applicative random-access stack", 1983). */
static void set_jump(const job *j, uint32_t c, uint32_t parent) {
    uint32_t up = j->jump[parent], far = j->jump[up];
    j->depth[c] = c ? j->depth[parent] + 1 : 0;
    j->jump[c] = j->depth[parent] - j->depth[up] == j->depth[up] - j->depth[far] ? far : parent;
}

static glshape_status describe_clusters(error *err, job *j) {
    const glshape_hdbscan_result *r = j->r;
    TRY(allocate(err, &j->leaves, r->n, sizeof *j->leaves, "clusters of points"));
    TRY(allocate(err, &j->lambda, r->n, sizeof *j->lambda, "clusters of points"));
    TRY(allocate(err, &j->label, r->tree_clusters, sizeof *j->label, "clusters"));
    TRY(allocate(err, &j->death, r->tree_clusters, sizeof *j->death, "clusters"));
    TRY(allocate(err, &j->depth, r->tree_clusters, sizeof *j->depth, "clusters"));
    TRY(allocate(err, &j->jump, r->tree_clusters, sizeof *j->jump, "clusters"));
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
        set_jump(j, (uint32_t)c, (uint32_t)parent);
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
    TRY(dist_source_check(err, j->source, DIST_OF_POINTS, "prediction needs points"));
    if (j->queries->cols != points->cols)
        return fail(err, GLSHAPE_BAD_INPUT,
                    "the new points have %zu columns, but the clusters are of points with %zu",
                    j->queries->cols, points->cols);
    TRY(matrix_check(err, j->queries));
    if (!j->r->core || !j->r->labels)
        return fail(err, GLSHAPE_BAD_ARGUMENT, "the result of hdbscan has no core distances, or no labels");
    return trees_check_condensed(err, j->r);
}

#define SEARCHED 0.9 /* of the progress, where the rest is still to come */

/* Does `rows` of the new points, `unit` of them at a time, with so many values of scratch. from, to: of the
 * progress. */
static glshape_status share_rows(run *r, job *j, glshape_status (*work)(error *, void *, uint64_t, void *),
                                 size_t rows, size_t unit, size_t values, double from, double to) {
    return threads_do(run_error(r), &(threads_job){.work = work,
                                                   .user = j,
                                                   .blocks = (rows + unit - 1) / unit,
                                                   .scratch_bytes = times(values, sizeof(double)),
                                                   .name = "distances of new points",
                                                   .progress = run_go_on,
                                                   .progress_user = r,
                                                   .from = from,
                                                   .to = to});
}

static glshape_status search_all(run *r, job *j) {
    size_t rows = j->queries->rows;
    TRY(share_rows(r, j, search_block, rows, BLOCK, j->columns + j->within, 0, SEARCHED));
    run_fact(r, (double)(rows - j->rest_count), "new points searched for through an index");
    return GLSHAPE_OK;
}

/* Compares the rest with all points. */
static glshape_status compare_rest(run *r, job *j) {
    size_t rows = count_rest(j);
    if (!rows) return run_tick(r, 1);
    return share_rows(r, j, predict_rows, rows, ROWS, (ROWS + 1) * (j->columns + j->r->n),
                      j->rest ? SEARCHED : 0, 1);
}

static glshape_status predict(run *r, job *j) {
    error *err = run_error(r);
    TRY(check_request(err, j));
    TRY(dist_narrow(err, j->source->points, j->queries, j->source->metric, &j->narrowed));
    j->narrow = *j->source;
    j->narrow.points = &j->narrowed.points;
    j->source = &j->narrow;
    j->queries = &j->narrowed.queries;
    j->columns = j->queries->cols;
    j->within = (size_t)j->r->options.min_samples - 1;
    j->norm = dist_norm(j->source->metric, j->source->p);
    TRY(dist_scale(err, j->source->points, j->source->metric, &j->scale));
    TRY(describe_clusters(err, j));
    TRY(make_index(err, j));
    if (j->rest) TRY(search_all(r, j));
    return compare_rest(r, j);
}

glshape_status hdbscan_join(run *run, const glshape_source *source, const glshape_hdbscan_result *r,
                            const glshape_matrix *queries, uint32_t *nearest, double *lambda) {
    OWNED_BY(job_free) job j = {.source = source, .r = r, .queries = queries};
    j.nearest = nearest;
    j.joined = lambda;
    return predict(run, &j);
}

glshape_status glshape_hdbscan_predict(glshape_context *context, const glshape_source *source,
                                       const glshape_hdbscan_result *result, const glshape_matrix *queries,
                                       int32_t *labels, double *probabilities) {
    OWNED_BY(job_free) job j = {.source = source, .r = result, .queries = queries};
    run *r;
    j.labels = labels;
    j.probabilities = probabilities;
    TRY(context_begin_run(context, &r));
    return context_end(context, predict(r, &j));
}
