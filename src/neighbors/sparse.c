/* Neighbors of sparse rows. Bounds come from what rows have in common: the sum of x and y is the sum of x,
 * and that of y, less for each common column what it adds to these and not to the sum: of squares, 2x·y. So a
 * row's bounds need, of each of its columns, the points that have a value there. Of Chebyshev distance, which
 * adds nothing up, the sums themselves are computed. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/owned.h"
#include "neighbors/rows.h"

/* ---- bounds ------------------------------------------------------------------------------------ */

static glshape_status list_columns(error *err, knn_sparse *s) {
    const glshape_sparse *m = s->rows.m;
    size_t all = m->start[s->n];
    TRY(allocate(err, &s->whole, m->rows, sizeof *s->whole, "sums of rows"));
    TRY(allocate(err, &s->start, m->cols + 2, sizeof *s->start, "the columns of the points"));
    TRY(allocate(err, &s->point, all, sizeof *s->point, "the columns of the points"));
    TRY(allocate(err, &s->value, all, sizeof *s->value, "the columns of the points"));
    for (size_t k = 0; k < all; k++) s->start[m->column[k] + 2]++;
    for (size_t c = 2; c < m->cols + 2; c++) s->start[c] += s->start[c - 1];
    for (uint32_t i = 0; i < m->rows; i++)
        for (size_t k = m->start[i]; k < m->start[i + 1]; k++) {
            double x = s->rows.value[k];
            s->whole[i] += norm_raise(&s->rows.norm, x);
            if (i >= s->n) continue;
            size_t to = s->start[m->column[k] + 1]++; /* which thereby becomes the start of the next column */
            s->point[to] = i;
            s->value[to] = x;
        }
    return GLSHAPE_OK;
}

/* With u = 2^-53 and m values in the longest row: m terms are added, each of at most 2^p (|x|^p + |y|^p),
 * wrong by at most 2p·u of itself, or by a bit or two of pow(). */
static double doubt(const knn_sparse *s) {
    return ((double)(4 * s->longest + 16) + 4 * s->rows.norm.p) * ldexp(0x1p-53, (int)ceil(s->rows.norm.p));
}

/* What a common column adds to the sums of two rows, and not to that of their difference. */
static inline double common(const norm *n, double x, double y) {
    if (n->power == 2) return 2 * x * y;
    return norm_raise(n, x) + norm_raise(n, y) - norm_raise(n, x - y);
}

static glshape_status bound_row(error *err, void *user, uint32_t i, void *scratch, double *out) {
    const knn_sparse *s = user;
    const glshape_sparse *m = s->rows.m;
    uint32_t row = s->queries ? s->n + i : i;
    (void)err, (void)scratch;
    memset(out, 0, s->n * sizeof *out);
    for (size_t k = m->start[row]; k < m->start[row + 1]; k++) {
        double x = s->rows.value[k];
        for (size_t e = s->start[m->column[k]]; e < s->start[m->column[k] + 1]; e++)
            out[s->point[e]] += common(&s->rows.norm, x, s->value[e]);
    }
    for (uint32_t j = 0; j < s->n; j++) {
        double both = s->whole[row] + s->whole[j];
        out[j] = both - out[j] - doubt(s) * both - 0x1p-900;
    }
    return GLSHAPE_OK;
}

/* ---- sums -------------------------------------------------------------------------------------- */

static double sum_of(void *user, uint32_t i, uint32_t j) {
    const knn_sparse *s = user;
    return dist_sparse_sum(&s->rows, s->queries ? s->n + i : i, j);
}

static glshape_status add_up_row(error *err, void *user, uint32_t i, void *scratch, double *out) {
    const knn_sparse *s = user;
    (void)err, (void)scratch;
    for (uint32_t j = 0; j < s->n; j++) out[j] = sum_of(user, i, j);
    return GLSHAPE_OK;
}

void knn_sparse_rows(knn_sparse *s, knn_rows *out) {
    bool adds = s->rows.norm.power != NORM_GREATEST;
    *out = (knn_rows){.count = s->queries ? s->queries : s->n,
                      .n = s->n,
                      .own = !s->queries,
                      .bounds = adds ? bound_row : add_up_row,
                      .sum = adds ? sum_of : NULL,
                      .user = s};
}

/* ---- rows -------------------------------------------------------------------------------------- */

static void take_values(double *to, const glshape_sparse *m, const double *values) {
    for (size_t k = 0; k < m->start[m->rows]; k++) to[k] = values ? values[k] : (double)m->value[k];
}

static glshape_status join(error *err, const glshape_sparse *points, const glshape_sparse *queries,
                           glshape_sparse *out) {
    OWNED size_t *start = NULL;
    OWNED uint32_t *column = NULL;
    OWNED float *value = NULL;
    size_t first = points->start[points->rows], all = first + queries->start[queries->rows];
    TRY(allocate(err, &start, points->rows + queries->rows + 1, sizeof *start, "points and queries"));
    TRY(allocate(err, &column, all, sizeof *column, "points and queries"));
    TRY(allocate(err, &value, all, sizeof *value, "points and queries"));
    memcpy(start, points->start, (points->rows + 1) * sizeof *start);
    for (size_t q = 0; q < queries->rows; q++) start[points->rows + q + 1] = first + queries->start[q + 1];
    memcpy(column, points->column, first * sizeof *column);
    memcpy(column + first, queries->column, (all - first) * sizeof *column);
    memcpy(value, points->value, first * sizeof *value);
    memcpy(value + first, queries->value, (all - first) * sizeof *value);
    *out =
        (glshape_sparse){points->rows + queries->rows, points->cols, MOVE(start), MOVE(column), MOVE(value)};
    return GLSHAPE_OK;
}

/* Fails with a sentence that names the row of the queries, not of both. */
static glshape_status check_queries(error *err, const glshape_source *source, const glshape_knn_options *o) {
    const glshape_sparse *queries = o->sparse_queries;
    error why = {0};
    if (queries->cols != source->sparse->cols)
        return fail(err, GLSHAPE_BAD_INPUT, "the queries have %zu columns, but the points have %zu",
                    queries->cols, source->sparse->cols);
    if (!queries->rows) return fail(err, GLSHAPE_BAD_INPUT, "there are no queries");
    glshape_status status = dist_sparse_check_rows(&why, queries, o->sparse_query_values, source->metric);
    return status ? fail(err, status, "of the queries, %s", why.text) : GLSHAPE_OK;
}

/* Points and queries as one source, whose rows s has and whose values are for the caller to free. */
static glshape_status join_queries(error *err, const glshape_knn_options *o, knn_sparse *s,
                                   glshape_source *source, double **values) {
    const glshape_sparse *m = source->sparse, *queries = o->sparse_queries;
    TRY(check_queries(err, source, o));
    TRY(join(err, m, queries, &s->both));
    s->queries = (uint32_t)queries->rows;
    if (!source->sparse_values && !o->sparse_query_values) return GLSHAPE_OK;
    size_t first = m->start[m->rows], all = s->both.start[s->both.rows];
    TRY(allocate(err, values, all, sizeof **values, "points and queries"));
    take_values(*values, m, source->sparse_values);
    take_values(*values + first, queries, o->sparse_query_values);
    source->sparse_values = *values;
    return GLSHAPE_OK;
}

glshape_status knn_sparse_new(error *err, const glshape_source *given, const glshape_knn_options *o,
                              knn_sparse *out) {
    OWNED_BY(knn_sparse_free) knn_sparse s = {.n = (uint32_t)given->sparse->rows};
    OWNED double *values = NULL;
    glshape_source source = *given;
    *out = (knn_sparse){0};
    TRY(dist_sparse_check_rows(err, source.sparse, source.sparse_values, source.metric));
    if (o->sparse_queries) TRY(join_queries(err, o, &s, &source, &values));
    *out = MOVE(s);
    if (o->sparse_queries) source.sparse = &out->both;
    TRY(dist_sparse_rows_new(err, &source, &out->rows));
    const glshape_sparse *m = out->rows.m;
    for (size_t i = 0; i < m->rows; i++)
        if (m->start[i + 1] - m->start[i] > out->longest) out->longest = m->start[i + 1] - m->start[i];
    return list_columns(err, out);
}

void knn_sparse_free(knn_sparse *s) {
    dist_sparse_rows_free(&s->rows);
    dist_sparsify_free(&s->both);
    free(s->whole);
    free(s->start);
    free(s->point);
    free(s->value);
    *s = (knn_sparse){0};
}
