/* Sparse rows in double, for what the CPU compares. */
#include <math.h>

#include "base/memory.h"
#include "base/owned.h"
#include "dist/source.h"

static double largest_of(const double *value, size_t from, size_t end) {
    double largest = 0;
    for (size_t k = from; k < end; k++) largest = fmax(largest, fabs(value[k]));
    return largest;
}

/* As dist_row makes a dense row: the same quotients, the same length. */
static void make_unit_row(const glshape_sparse *m, size_t r, double *value) {
    double squares = 0, largest = largest_of(value, m->start[r], m->start[r + 1]);
    for (size_t k = m->start[r]; k < m->start[r + 1]; k++) {
        value[k] /= largest;
        squares += value[k] * value[k];
    }
    double length = sqrt(squares);
    for (size_t k = m->start[r]; k < m->start[r + 1]; k++) value[k] /= length;
}

glshape_status dist_sparse_rows_new(error *err, const glshape_source *source, dist_sparse_rows *out) {
    const glshape_sparse *m = source->sparse;
    const double *values = source->sparse_values;
    glshape_metric metric = source->metric;
    OWNED_BY(dist_sparse_rows_free)
    dist_sparse_rows r = {.m = m, .metric = metric, .norm = dist_norm(metric, source->p), .scale = 1};
    int exponent;
    *out = (dist_sparse_rows){0};
    TRY(dist_sparse_check(err, m, values, metric));
    size_t all = m->start[m->rows];
    TRY(allocate(err, &r.value, all, sizeof *r.value, "the sparse rows"));
    for (size_t k = 0; k < all; k++) r.value[k] = values ? values[k] : (double)m->value[k];
    frexp(largest_of(r.value, 0, all), &exponent);
    if (metric != GLSHAPE_METRIC_COSINE) r.scale = ldexp(1, -exponent);
    for (size_t k = 0; k < all; k++) r.value[k] *= r.scale;
    for (size_t i = 0; i < m->rows && metric == GLSHAPE_METRIC_COSINE; i++) make_unit_row(m, i, r.value);
    *out = MOVE(r);
    return GLSHAPE_OK;
}

void dist_sparse_rows_free(dist_sparse_rows *r) {
    free(r->value);
    *r = (dist_sparse_rows){0};
}

double dist_sparse_sum(const dist_sparse_rows *r, size_t i, size_t j) {
    size_t a = r->m->start[i], a_end = r->m->start[i + 1], b = r->m->start[j], b_end = r->m->start[j + 1];
    const uint32_t *column = r->m->column, power = r->norm.power;
    double sum = 0;
    while (a < a_end && b < b_end) {
        bool left = column[a] <= column[b], right = column[b] <= column[a];
        sum = norm_add(&r->norm, power, sum, (left ? r->value[a] : 0) - (right ? r->value[b] : 0));
        a += left;
        b += right;
    }
    for (; a < a_end; a++) sum = norm_add(&r->norm, power, sum, r->value[a]);
    for (; b < b_end; b++) sum = norm_add(&r->norm, power, sum, r->value[b]);
    return sum;
}

double dist_sparse_distance(const dist_sparse_rows *r, double sum) {
    return r->metric == GLSHAPE_METRIC_COSINE ? 0.5 * sum : norm_root(&r->norm, sum) / r->scale;
}
