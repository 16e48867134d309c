/* glshape_mds_transform: new rows in a layout that there is. */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "base/matrix.h"
#include "base/memory.h"
#include "base/owned.h"
#include "base/threads.h"
#include "dist/narrow.h"
#include "dist/source.h"
#include "gpu/context.h"
#include "mds/attach.h"

typedef struct transform {
    const glshape_mds_result *model;
    const glshape_matrix *rows;
    bool compared; /* rows are points; else they are distances */
    bool classical;
    dist_narrowed narrowed;
    glshape_metric metric;
    norm norm;
    size_t columns;
    double scale;        /* of the values of points */
    double *points;      /* n × columns, times scale */
    mds_anchors anchors; /* unless it is classical */
    float *out;
} transform;

static void transform_free(transform *t) {
    dist_narrowed_free(&t->narrowed);
    free(t->points);
    mds_anchors_free(&t->anchors);
}

/* ---- distances --------------------------------------------------------------------------------- */

static glshape_status read_row(error *err, const transform *t, const glshape_matrix *m, size_t r,
                               double *out) {
    TRY(dist_row(err, m, t->metric, r, out));
    for (size_t c = 0; c < t->columns; c++) out[c] *= t->scale;
    return GLSHAPE_OK;
}

/* Those of new row r, which is a point; row: room for it. */
static glshape_status compare(error *err, const transform *t, size_t r, double *row, double *distance) {
    TRY(read_row(err, t, &t->narrowed.queries, r, row));
    for (size_t j = 0; j < t->model->n; j++)
        distance[j] =
            dist_of_rows(t->metric, &t->norm, row, t->points + j * t->columns, t->columns) / t->scale;
    return GLSHAPE_OK;
}

/* Those that new row r is. A layout of stress may do without some. */
static glshape_status check_distances(error *err, const transform *t, size_t r, double *distance) {
    size_t met = 0, n = t->model->n;
    matrix_doubles(t->rows, r * n, n, distance);
    for (size_t j = 0; j < n; j++) {
        met += !isnan(distance[j]);
        if (isnan(distance[j]) && t->classical)
            return fail(err, GLSHAPE_BAD_INPUT,
                        "row %zu, column %zu: the distance is missing; classical scaling needs all of them",
                        r + 1, j + 1);
        if (distance[j] < 0 || distance[j] > (double)FLT_MAX)
            return fail(err, GLSHAPE_BAD_INPUT, "row %zu, column %zu: %g is no distance%s", r + 1, j + 1,
                        distance[j], isfinite(distance[j]) && distance[j] > 0 ? " that float32 holds" : "");
    }
    return met ? GLSHAPE_OK : fail(err, GLSHAPE_BAD_INPUT, "row %zu: all distances are missing", r + 1);
}

static glshape_status find_distances(error *err, void *user, size_t r, double *row, double *out) {
    const transform *t = user;
    return t->compared ? compare(err, t, r, row, out) : check_distances(err, t, r, out);
}

/* ---- places ------------------------------------------------------------------------------------ */

/* Gower's formula: coordinate k is Σ x[i][k]·(m[i] - δ[i]²) / 2λ[k] over the points, m being means of squared
 * distances. Lingoes' constant is in m and in δ², and falls out, as the columns of x have mean 0. */
static void place_classical(const transform *t, const double *distance, double *place) {
    const glshape_mds_result *m = t->model;
    size_t dim = (size_t)m->dim;
    double added = m->correction == GLSHAPE_MDS_CAILLIEZ ? m->constant : 0;
    for (size_t k = 0; k < dim; k++) place[k] = 0;
    for (size_t i = 0; i < m->n; i++) {
        double d = distance[i] + added, part = (m->mean_squares[i] - d * d) / 2;
        for (size_t k = 0; k < dim; k++) place[k] += (double)m->layout[i * dim + k] * part;
    }
    for (size_t k = 0; k < dim; k++) place[k] = m->eigenvalues[k] > 0 ? place[k] / m->eigenvalues[k] : 0;
}

static glshape_status place_row(error *err, void *user, uint64_t r, void *scratch) {
    transform *t = user;
    size_t dim = (size_t)t->model->dim;
    double *distance = scratch, *place = distance + t->model->n;
    TRY(find_distances(err, t, r, place + dim, distance));
    place_classical(t, distance, place);
    for (size_t k = 0; k < dim; k++) {
        if (!(fabs(place[k]) <= (double)FLT_MAX))
            return fail(
                err, GLSHAPE_BAD_INPUT,
                "row %zu: it is so far from all points that its place is beyond float32; leave it out",
                r + 1);
        t->out[r * dim + k] = (float)(place[k] + 0.0); /* not -0 */
    }
    return GLSHAPE_OK;
}

/* ---- all --------------------------------------------------------------------------------------- */

static glshape_status check_model(error *err, const glshape_mds_result *m) {
    if (!m->layout || m->n < 1 || m->dim < 1 || (m->eigenvalues && !m->mean_squares))
        return fail(err, GLSHAPE_BAD_ARGUMENT, "there is no layout that rows could be added to");
    if (m->method == GLSHAPE_MDS_ORDINAL)
        return fail(
            err, GLSHAPE_BAD_ARGUMENT,
            "distances of an ordinal layout are only in the order of the dissimilarities: new rows cannot be "
            "compared with them; lay out all rows together");
    if (!m->components) return GLSHAPE_OK;
    return fail(
        err, GLSHAPE_BAD_ARGUMENT,
        "components of a graph are laid out by themselves: a new row has no distances to all of them");
}

static glshape_status check_points(error *err, const transform *t, const glshape_source *source) {
    TRY(dist_source_check(err, source, DIST_OF_POINTS, "new rows are compared with points"));
    if (source->points->rows != t->model->n)
        return fail(err, GLSHAPE_BAD_INPUT, "there are %zu points, but the layout is of %zu",
                    source->points->rows, t->model->n);
    if (t->rows->cols == source->points->cols) return GLSHAPE_OK;
    return fail(err, GLSHAPE_BAD_INPUT, "new rows have %zu column%s, but the points of the layout have %zu",
                t->rows->cols, t->rows->cols == 1 ? "" : "s", source->points->cols);
}

static glshape_status read_points(error *err, transform *t, const glshape_source *source) {
    TRY(check_points(err, t, source));
    TRY(dist_narrow(err, source->points, t->rows, source->metric, &t->narrowed));
    t->columns = source->points->cols;
    t->metric = source->metric;
    t->norm = dist_norm(source->metric, source->p);
    TRY(dist_scale(err, &t->narrowed.points, t->metric, &t->scale));
    TRY(allocate(err, &t->points, times(t->model->n, t->columns), sizeof *t->points, "the points"));
    for (size_t j = 0; j < t->model->n; j++)
        TRY(read_row(err, t, &t->narrowed.points, j, t->points + j * t->columns));
    return GLSHAPE_OK;
}

static glshape_status check_rows(error *err, const transform *t) {
    TRY(matrix_check(err, t->rows));
    if (t->compared || t->rows->cols == t->model->n) return GLSHAPE_OK;
    return fail(err, GLSHAPE_BAD_INPUT,
                "new rows have %zu distance%s, but the layout has %zu points: a row has the distances to all",
                t->rows->cols, t->rows->cols == 1 ? "" : "s", t->model->n);
}

static glshape_status place_all(gpu *g, transform *t, const glshape_source *source) {
    error *err = run_error(run_of(g));
    TRY(check_model(err, t->model));
    TRY(check_rows(err, t));
    if (t->compared) TRY(read_points(err, t, source));
    if (!t->classical) {
        TRY(mds_anchors_new(err, t->model, &t->anchors));
        const mds_new_rows rows = {t->rows->rows, t->columns, find_distances, t};
        return mds_attach_all(g, &t->anchors, &rows, t->out);
    }
    run_begin_stage(run_of(g), "places", RUN_NOT_BY_PASSES);
    return threads_do(
        err, &(threads_job){
                 .work = place_row,
                 .user = t,
                 .blocks = t->rows->rows,
                 .scratch_bytes = times(t->model->n + (size_t)t->model->dim + t->columns, sizeof(double)),
                 .name = "distances of new rows",
                 .progress = run_go_on,
                 .progress_user = run_of(g),
                 .to = 1});
}

glshape_status glshape_mds_transform(glshape_context *context, const glshape_source *source,
                                     const glshape_mds_result *model, const glshape_matrix *rows,
                                     float *out) {
    OWNED_BY(transform_free)
    transform t = {.model = model,
                   .rows = rows,
                   .compared = source && source->points,
                   .classical = model->eigenvalues != NULL,
                   .out = out};
    gpu *g;
    TRY(context_begin_closed(context, &g));
    gpu_begin_method(g);
    return context_end(context, place_all(g, &t, source));
}
