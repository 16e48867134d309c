#include "reference/dist.h"

#include <math.h>

double ref_value(const glshape_matrix *m, size_t row, size_t col) {
    size_t at = row * m->cols + col;
    switch (m->type) {
#define VALUE(name, ctype, code) \
    case name:                   \
        return (double)((const ctype *)m->data)[at];
        GLSHAPE_TYPES(VALUE)
#undef VALUE
    }
    return NAN;
}

static double euclidean(const glshape_matrix *m, size_t a, size_t b) {
    long double sum = 0;
    for (size_t c = 0; c < m->cols; c++) {
        long double difference = (long double)ref_value(m, a, c) - ref_value(m, b, c);
        sum += difference * difference;
    }
    return (double)sqrtl(sum);
}

static double manhattan(const glshape_matrix *m, size_t a, size_t b) {
    long double sum = 0;
    for (size_t c = 0; c < m->cols; c++) sum += fabsl((long double)ref_value(m, a, c) - ref_value(m, b, c));
    return (double)sum;
}

static long double row_mean(const glshape_matrix *m, size_t row) {
    long double sum = 0;
    for (size_t c = 0; c < m->cols; c++) sum += ref_value(m, row, c);
    return sum / m->cols;
}

static long double length(const glshape_matrix *m, size_t row, long double from) {
    long double sum = 0;
    for (size_t c = 0; c < m->cols; c++) sum += (ref_value(m, row, c) - from) * (ref_value(m, row, c) - from);
    return sqrtl(sum);
}

/* 1 - x·y/(|x||y|) of x = row a - from_a and y = row b - from_b, as half the square of the distance between
 * x/|x| and y/|y|, which has digits left where x and y are nearly parallel. */
static double cosine(const glshape_matrix *m, size_t a, size_t b, long double from_a, long double from_b) {
    long double sum = 0, x = length(m, a, from_a), y = length(m, b, from_b);
    for (size_t c = 0; c < m->cols; c++) {
        long double difference = (ref_value(m, a, c) - from_a) / x - (ref_value(m, b, c) - from_b) / y;
        sum += difference * difference;
    }
    return (double)(sum / 2);
}

double ref_dissimilarity(const glshape_matrix *m, glshape_metric metric, size_t a, size_t b) {
    switch (metric) {
        case GLSHAPE_METRIC_EUCLIDEAN:
            return euclidean(m, a, b);
        case GLSHAPE_METRIC_MANHATTAN:
            return manhattan(m, a, b);
        case GLSHAPE_METRIC_COSINE:
            return cosine(m, a, b, 0, 0);
        case GLSHAPE_METRIC_CORRELATION:
            return cosine(m, a, b, row_mean(m, a), row_mean(m, b));
        case GLSHAPE_METRIC_CHEBYSHEV:
        case GLSHAPE_METRIC_HAVERSINE:
        case GLSHAPE_METRIC_MINKOWSKI: /* no layout is of these */
            return NAN;
    }
    return NAN;
}
