#include "rips/points.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"

static float euclidean(const float *x, const float *y, size_t width) {
    float sum = 0;
    for (size_t c = 0; c < width; c++) sum += (x[c] - y[c]) * (x[c] - y[c]);
    return sqrtf(sum);
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

float rips_compare(const rips_points *p, size_t i, size_t j) {
    const float *x = p->rows + i * p->width, *y = p->rows + j * p->width;
    switch (p->metric) {
        case GLSHAPE_EUCLIDEAN:
            return euclidean(x, y, p->width);
        case GLSHAPE_MANHATTAN:
            return manhattan(x, y, p->width);
        default:
            return cosine(x, y, p->width);
    }
}

/* Row r as floats, its mean taken away for correlation. */
static glshape_status take_row(error *err, const glshape_matrix *m, glshape_metric metric, size_t r,
                               float *out) {
    double sum = 0, squares = 0, mean;
    for (size_t c = 0; c < m->cols; c++) {
        size_t k = r * m->cols + c;
#define GLSHAPE_TAKE(name, ctype, code)              \
    case name:                                       \
        out[c] = (float)((const ctype *)m->data)[k]; \
        break;
        switch (m->type) { GLSHAPE_TYPES(GLSHAPE_TAKE) }
#undef GLSHAPE_TAKE
        if (!isfinite(out[c]))
            return fail(err, GLSHAPE_BAD_INPUT,
                        "row %zu, column %zu: %g is no finite single-precision number", r + 1, c + 1,
                        (double)out[c]);
        sum += out[c];
    }
    mean = metric == GLSHAPE_CORRELATION ? sum / (double)m->cols : 0;
    for (size_t c = 0; c < m->cols; c++) {
        out[c] = (float)(out[c] - mean);
        squares += (double)out[c] * out[c];
    }
    if (squares > 0 || metric == GLSHAPE_EUCLIDEAN || metric == GLSHAPE_MANHATTAN) return GLSHAPE_OK;
    return fail(err, GLSHAPE_BAD_INPUT, "row %zu is %s: it has no direction to compare; remove it", r + 1,
                metric == GLSHAPE_COSINE ? "zero" : "constant");
}

glshape_status rips_points_new(error *err, const glshape_matrix *m, glshape_metric metric, rips_points *out) {
    *out = (rips_points){m->rows, m->cols, metric, NULL};
    TRY(allocate(err, &out->rows, times(m->rows, m->cols), sizeof *out->rows, "the points"));
    glshape_status status = GLSHAPE_OK;
    for (size_t r = 0; r < m->rows && !status; r++)
        status = take_row(err, m, metric, r, out->rows + r * m->cols);
    if (status) rips_points_free(out);
    return status;
}

void rips_points_free(rips_points *p) {
    free(p->rows);
    *p = (rips_points){0};
}
