#include "rips/points.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/owned.h"
#include "dist/source.h"

#define LEAST_SUM 0x1p-100f /* below, squares that vanish would be missed */

static float euclidean(const float *x, const float *y, size_t width) {
    float sum = 0;
    double exact = 0;
    for (size_t c = 0; c < width; c++) sum += (x[c] - y[c]) * (x[c] - y[c]);
    if (sum >= LEAST_SUM && sum <= FLT_MAX) return sqrtf(sum);
    for (size_t c = 0; c < width; c++) exact += ((double)x[c] - y[c]) * ((double)x[c] - y[c]);
    return (float)sqrt(exact);
}

static float manhattan(const float *x, const float *y, size_t width) {
    double sum = 0;
    for (size_t c = 0; c < width; c++) sum += fabs((double)x[c] - (double)y[c]);
    return (float)sum;
}

/* 1 - x·y/(|x||y|) as half the square of the difference of the unit vectors: near 0 nothing cancels. */
static float cosine(const float *x, const float *y, size_t width) {
    double xx = 0, yy = 0, sum = 0;
    for (size_t c = 0; c < width; c++) xx += (double)x[c] * x[c], yy += (double)y[c] * y[c];
    xx = 1 / sqrt(xx), yy = 1 / sqrt(yy);
    for (size_t c = 0; c < width; c++) {
        double difference = x[c] * xx - y[c] * yy;
        sum += difference * difference;
    }
    return (float)(sum / 2);
}

static float minkowski(const norm *n, const float *x, const float *y, size_t width) {
    double greatest = 0, sum = 0;
    int exponent;
    for (size_t c = 0; c < width; c++) greatest = fmax(greatest, fabs((double)x[c] - (double)y[c]));
    if (n->power == NORM_GREATEST) return (float)greatest;
    frexp(greatest, &exponent);
    for (size_t c = 0; c < width; c++)
        sum = norm_add(n, n->power, sum, ldexp((double)x[c] - (double)y[c], -exponent));
    return (float)ldexp(norm_root(n, sum), exponent);
}

float rips_points_distance(const rips_points *p, size_t i, size_t j) {
    const float *x = p->rows + i * p->width, *y = p->rows + j * p->width;
    if (dist_metric_is_angular(p->metric)) return cosine(x, y, p->width);
    if (p->norm.power == 2) return euclidean(x, y, p->width);
    return p->norm.power == 1 ? manhattan(x, y, p->width) : minkowski(&p->norm, x, y, p->width);
}

/* What is lost of values below the least normal float32 matters if the largest of all is not larger than
 * this: it is up to 2^-150. */
#define MUCH_LARGER 0x1p-116

/* What is known of the values of all rows. */
typedef struct extremes {
    double most;
    bool lost; /* for one a denormal float32, or 0, stands */
} extremes;

static void take_value(extremes *e, double value, float single) {
    e->most = fmax(e->most, fabs(value));
    if (fabs(value) < FLT_MIN && (double)single != value) e->lost = true;
}

/* Row r as floats: for cosine and correlation its direction, the mean subtracted before it is rounded. */
static glshape_status take_row(error *err, const rips_points *p, const glshape_matrix *m, size_t r,
                               double *row, extremes *e) {
    float *out = p->rows + r * p->width;
    TRY(dist_direction(err, m, p->metric, r, row));
    for (size_t c = 0; c < p->width; c++) {
        out[c] = (float)row[c];
        take_value(e, row[c], out[c]);
        if (!isfinite(out[c]))
            return fail(err, GLSHAPE_BAD_INPUT,
                        "row %zu, column %zu: %g is no finite single-precision number", r + 1, c + 1, row[c]);
    }
    return GLSHAPE_OK;
}

glshape_status rips_points_new(error *err, const glshape_source *source, rips_points *out) {
    const glshape_matrix *m = source->points;
    OWNED_BY(rips_points_free)
    rips_points p = {m->rows, m->cols, source->metric, dist_norm(source->metric, source->p), NULL};
    OWNED double *row = NULL;
    *out = (rips_points){0};
    TRY(allocate(err, &row, m->cols, sizeof *row, "a row"));
    TRY(allocate(err, &p.rows, times(m->rows, m->cols), sizeof *p.rows, "the points"));
    extremes e = {0};
    for (size_t r = 0; r < m->rows; r++) TRY(take_row(err, &p, m, r, row, &e));
    bool lost = e.most < FLT_MIN ? m->type == GLSHAPE_F64 && e.most > 0 : e.lost && e.most < MUCH_LARGER;
    if (lost && m->rows > 1)
        return fail(
            err, GLSHAPE_BAD_INPUT,
            "values reach only %g: single precision has few digits for what they differ by; multiply all "
            "points by one number",
            e.most);
    *out = MOVE(p);
    return GLSHAPE_OK;
}

void rips_points_free(rips_points *p) {
    free(p->rows);
    *p = (rips_points){0};
}
