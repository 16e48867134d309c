#include "reference/knn.h"

#include <math.h>
#include <stdlib.h>

#include "reference/norm.h"

typedef struct other {
    double order, distance;
    uint32_t index;
} other;

static double mean(const double *x, size_t n) {
    double sum = 0;
    for (size_t c = 0; c < n; c++) sum += x[c];
    return sum / (double)n;
}

static double angular(const double *x, const double *y, size_t n, double mx, double my) {
    double xy = 0, xx = 0, yy = 0;
    for (size_t c = 0; c < n; c++) {
        xy += (x[c] - mx) * (y[c] - my);
        xx += (x[c] - mx) * (x[c] - mx);
        yy += (y[c] - my) * (y[c] - my);
    }
    return 1 - xy / sqrt(xx * yy);
}

/* What neighbors are ordered by: the sum. */
static double order(glshape_metric metric, const double *x, const double *y, size_t n) {
    if (metric == GLSHAPE_METRIC_COSINE) return angular(x, y, n, 0, 0);
    if (metric == GLSHAPE_METRIC_CORRELATION) return angular(x, y, n, mean(x, n), mean(y, n));
    return ref_norm_sum(metric == GLSHAPE_METRIC_MANHATTAN   ? 1
                        : metric == GLSHAPE_METRIC_CHEBYSHEV ? INFINITY
                                                             : 2,
                        x, y, n);
}

double ref_distance(glshape_metric metric, const double *x, const double *y, size_t n) {
    double sum = order(metric, x, y, n);
    return metric == GLSHAPE_METRIC_EUCLIDEAN ? sqrt(sum) : sum;
}

static int by_order(const void *a, const void *b) {
    const other *x = a, *y = b;
    if (x->order != y->order) return x->order < y->order ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

void ref_knn(glshape_metric metric, const double *values, size_t rows, size_t columns, size_t i, size_t k,
             uint32_t *index, double *distance) {
    other *others = malloc(rows * sizeof *others);
    size_t count = 0;
    for (size_t j = 0; j < rows; j++) {
        const double *x = values + i * columns, *y = values + j * columns;
        if (j == i) continue;
        others[count++] =
            (other){order(metric, x, y, columns), ref_distance(metric, x, y, columns), (uint32_t)j};
    }
    qsort(others, count, sizeof *others, by_order);
    for (size_t a = 0; a < k; a++) {
        index[a] = others[a].index;
        distance[a] = others[a].distance;
    }
    free(others);
}
