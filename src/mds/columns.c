#include "mds/columns.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/owned.h"
#include "base/threads.h"
#include "dist/source.h"

#define MOST_PARTS 64u          /* of the rows; their sums are added in order */
#define PART_BYTES (256u << 20) /* of all sums of parts */

static void center(mds_columns *c) {
    for (size_t k = 0; k < c->columns; k++) {
        double mean = 0;
        for (size_t r = 0; r < c->rows; r++) mean += c->x[r * c->columns + k] / (double)c->rows;
        for (size_t r = 0; r < c->rows; r++) c->x[r * c->columns + k] -= mean;
    }
}

/* Refuses what a layout, which is float, cannot show. */
static glshape_status check_range(error *err, const mds_columns *c, double most) {
    if (!(most * 2 * sqrt((double)c->columns) * c->unit < FLT_MAX))
        return fail(err, GLSHAPE_BAD_INPUT,
                    "values differ by %g, and distances by more than float32 holds; scale the input down",
                    most * c->unit);
    if (most > 0 && most * c->unit < 1e3 * FLT_MIN)
        return fail(
            err, GLSHAPE_BAD_INPUT,
            "values differ by %g at most, and distances by less than float32 holds; scale the input up",
            most * c->unit);
    return GLSHAPE_OK;
}

glshape_status mds_columns_new(run *run, const glshape_matrix *m, mds_columns *c) {
    error *err = run_error(run);
    double scale, most = 0;
    *c = (mds_columns){.r = run, .rows = m->rows, .columns = m->cols};
    size_t count = times(c->rows, c->columns);
    TRY(allocate(err, &c->x, count, sizeof *c->x, "the points"));
    for (size_t r = 0; r < c->rows; r++)
        TRY(dist_row(err, m, GLSHAPE_METRIC_EUCLIDEAN, r, c->x + r * c->columns));
    TRY(dist_scale(err, m, GLSHAPE_METRIC_EUCLIDEAN, &scale));
    c->unit = 1 / scale;
    for (size_t k = 0; k < count; k++) c->x[k] *= scale;
    center(c);
    for (size_t k = 0; k < count; k++) {
        most = fmax(most, fabs(c->x[k]));
        c->trace += c->x[k] * c->x[k];
    }
    return check_range(err, c, most);
}

void mds_columns_free(mds_columns *c) { free(c->x); }

static double dot(const double *x, const double *y, size_t n) {
    double sum = 0;
    for (size_t k = 0; k < n; k++) sum += x[k] * y[k];
    return sum;
}

/* A product, by parts of the rows. */
typedef struct multiplying {
    mds_columns *c;
    uint32_t count, parts;
    const double *w;
    double *sums; /* parts × count × columns */
} multiplying;

static void multiply_part(void *user, size_t part) {
    const multiplying *s = user;
    const mds_columns *c = s->c;
    double *sums = s->sums + part * s->count * c->columns;
    for (size_t r = c->rows * part / s->parts; r < c->rows * (part + 1) / s->parts; r++)
        for (uint32_t k = 0; k < s->count; k++) {
            const double *x = c->x + r * c->columns;
            double score = dot(x, s->w + k * c->columns, c->columns), *to = sums + k * c->columns;
            for (size_t j = 0; j < c->columns; j++) to[j] += score * x[j];
        }
}

glshape_status mds_columns_apply(void *user, uint32_t count, const double *w, double *y) {
    mds_columns *c = user;
    OWNED double *sums = NULL;
    size_t size = times(count, c->columns), parts = PART_BYTES / sizeof *sums / size;
    parts = parts < 1 ? 1 : parts > MOST_PARTS ? MOST_PARTS : parts;
    TRY(allocate(run_error(c->r), &sums, parts, times(size, sizeof *sums), "products of columns"));
    multiplying s = {c, count, (uint32_t)parts, w, sums};
    threads_run(0, parts, multiply_part, &s);
    for (size_t k = 0; k < size; k++) {
        y[k] = 0;
        for (size_t part = 0; part < parts; part++) y[k] += sums[part * size + k];
    }
    return run_tick(c->r, 0);
}

void mds_columns_scores(const mds_columns *c, uint32_t count, const double *w, double *out) {
    for (uint32_t k = 0; k < count; k++)
        for (size_t r = 0; r < c->rows; r++)
            out[k * c->rows + r] = dot(c->x + r * c->columns, w + k * c->columns, c->columns);
}

void mds_columns_mean_squares(const mds_columns *c, double *out) {
    for (size_t r = 0; r < c->rows; r++) {
        const double *x = c->x + r * c->columns;
        out[r] = (dot(x, x, c->columns) + c->trace / (double)c->rows) * c->unit * c->unit;
    }
}
