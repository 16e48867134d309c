/* Rows compared by the CPU: for metrics that glsl/dist does not have. The layout then takes them as a matrix.
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/owned.h"
#include "mds/compare.h"

void mds_compared_free(mds_compared *c) {
    free(c->rows);
    dist_sparse_rows_free(&c->sparse);
    *c = (mds_compared){0};
}

static double distance(const mds_compared *c, size_t i, size_t j) {
    if (!c->rows) return dist_sparse_distance(&c->sparse, dist_sparse_sum(&c->sparse, i, j));
    return dist_of_rows(c->metric, &c->norm, c->rows + i * c->columns, c->rows + j * c->columns, c->columns);
}

#define TOO_FAR "the distance of rows %zu and %zu is more than float32 holds; scale the input down"

glshape_status mds_compared_distance(error *err, const mds_compared *c, size_t i, size_t j, double *out) {
    *out = distance(c, i, j);
    return *out < FLT_MAX ? GLSHAPE_OK : fail(err, GLSHAPE_BAD_INPUT, TOO_FAR, i + 1, j + 1);
}

static bool read_rows(void *user, uint32_t first, uint32_t count, float *out, char *message, size_t size) {
    const mds_compared *c = user;
    for (size_t i = first; i < (size_t)first + count; i++)
        for (size_t j = 0; j < c->n; j++) {
            double d = distance(c, i, j);
            if (!(d < FLT_MAX)) {
                snprintf(message, size, TOO_FAR, i + 1, j + 1);
                return false;
            }
            *out++ = (float)d;
        }
    return true;
}

/* Refuses rows that differ, but by less than the layout, which is float, could show. */
static glshape_status check_spread(error *err, const mds_compared *c) {
    double most = 0;
    for (size_t k = c->columns; k < c->n * c->columns; k++)
        most = fmax(most, fabs(c->rows[k] - c->rows[k % c->columns]));
    if (most == 0 || most >= 1e3 * FLT_MIN) return GLSHAPE_OK;
    return fail(err, GLSHAPE_BAD_INPUT,
                "values differ by %g at most, and distances by less than float32 holds; scale the input up",
                most);
}

static glshape_status read_points(error *err, const glshape_source *source, mds_compared *c) {
    const glshape_matrix *m = source->points;
    TRY(dist_points_check(err, m));
    c->columns = m->cols;
    TRY(allocate(err, &c->rows, times(m->rows, m->cols), sizeof *c->rows, "the points"));
    for (size_t r = 0; r < m->rows; r++) TRY(dist_row(err, m, source->metric, r, c->rows + r * m->cols));
    return dist_metric_is_angular(source->metric) ? GLSHAPE_OK : check_spread(err, c);
}

glshape_status mds_compare(error *err, const glshape_source *source, mds_compared *c, glshape_source *out) {
    *c = (mds_compared){.metric = source->metric, .norm = dist_norm(source->metric, source->p)};
    c->n = source->points ? source->points->rows : source->sparse->rows;
    TRY(dist_metric_check(err, source->metric, source->p));
    if (source->points) TRY(read_points(err, source, c));
    else TRY(dist_sparse_rows_new(err, source, &c->sparse));
    *out = *source;
    out->points = NULL;
    out->sparse = NULL;
    out->reader = read_rows;
    out->user = c;
    out->n = c->n;
    return GLSHAPE_OK;
}
