/* Sparse rows on the GPU: for each point where its pairs begin and how many texels they take, then the pairs.
 */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/owned.h"
#include "dist/source.h"

#define STAGING_TEXELS 65536u
#define END_COLUMN 0xffffffffu

static uint32_t row_texels(const glshape_sparse *m, size_t row) {
    return (uint32_t)((m->start[row + 1] - m->start[row] + 1) / 2);
}

static uint32_t longest_row(const glshape_sparse *m) {
    size_t longest = 0;
    for (size_t r = 0; r < m->rows; r++)
        if (m->start[r + 1] - m->start[r] > longest) longest = m->start[r + 1] - m->start[r];
    return (uint32_t)longest;
}

static size_t pair_texels(const glshape_sparse *m) {
    size_t sum = 0;
    for (size_t r = 0; r < m->rows; r++) sum += row_texels(m, r);
    return sum;
}

size_t dist_sparse_bytes(const gpu *g, const glshape_sparse *m) {
    size_t texels = m->rows + pair_texels(m);
    return texels > UINT32_MAX ? SIZE_MAX : gpu_texture_bytes(g, GPU_RGBA32UI, (uint32_t)texels, 1);
}

static glshape_status check_row(error *err, const glshape_sparse *m, const double *values, size_t r,
                                bool unit) {
    bool any = false;
    for (size_t k = m->start[r]; k < m->start[r + 1]; k++) {
        double value = values ? values[k] : (double)m->value[k];
        if (!isfinite(value))
            return fail(err, GLSHAPE_BAD_INPUT, "row %zu, column %u is not finite", r + 1, m->column[k] + 1);
        if (m->column[k] >= m->cols || (k > m->start[r] && m->column[k] <= m->column[k - 1]))
            return fail(err, GLSHAPE_BAD_INPUT, "row %zu: columns must ascend and be below %zu", r + 1,
                        m->cols);
        any |= value != 0;
    }
    if (unit && !any)
        return fail(err, GLSHAPE_BAD_INPUT,
                    "row %zu is all zeros: its cosine with other rows is not defined; remove it", r + 1);
    return GLSHAPE_OK;
}

glshape_status dist_sparse_check_rows(error *err, const glshape_sparse *m, const double *values,
                                      glshape_metric metric) {
    if (m->rows > 0x7fffffffu || m->cols >= END_COLUMN)
        return fail(err, GLSHAPE_BAD_INPUT,
                    "the input has %zu rows and %zu columns, more than can be handled", m->rows, m->cols);
    if (metric == GLSHAPE_METRIC_CORRELATION)
        return fail(err, GLSHAPE_BAD_ARGUMENT,
                    "correlation takes the mean from every value, zeros too: give the rows as dense points");
    for (size_t r = 0; r < m->rows; r++) TRY(check_row(err, m, values, r, metric == GLSHAPE_METRIC_COSINE));
    return GLSHAPE_OK;
}

glshape_status dist_sparse_check(error *err, const glshape_sparse *m, const double *values,
                                 glshape_metric metric) {
    if (m->rows >= 2) return dist_sparse_check_rows(err, m, values, metric);
    return fail(err, GLSHAPE_BAD_INPUT, "the input has %zu row%s; a layout needs at least 2 points", m->rows,
                m->rows == 1 ? "" : "s");
}

/* What a row's values are divided by: the largest value of all rows; if that is 0 (cosine), the row's length.
 */
static double row_divisor(const glshape_sparse *m, size_t r, double largest) {
    if (largest > 0) return largest;
    double sum = 0;
    for (size_t k = m->start[r]; k < m->start[r + 1]; k++) sum += (double)m->value[k] * m->value[k];
    return sqrt(sum);
}

static uint32_t float_bits(double x) {
    float f = (float)x;
    uint32_t u;
    memcpy(&u, &f, 4);
    return u;
}

/* Texels are staged and uploaded in order. */
typedef struct texel_writer {
    gpu *g;
    gpu_texture *to;
    uint32_t (*staging)[4];
    uint32_t used, written;
} texel_writer;

static glshape_status flush_texels(texel_writer *w) {
    TRY(gpu_upload(w->g, w->to, w->written, w->used, w->staging));
    w->written += w->used;
    w->used = 0;
    return GLSHAPE_OK;
}

static glshape_status put_texel(texel_writer *w, uint32_t x, uint32_t y, uint32_t z, uint32_t t) {
    uint32_t texel[4] = {x, y, z, t};
    memcpy(w->staging[w->used++], texel, sizeof texel);
    return w->used == STAGING_TEXELS ? flush_texels(w) : GLSHAPE_OK;
}

static glshape_status write_rows(texel_writer *w, const glshape_sparse *m, const uint32_t *order,
                                 double largest) {
    uint32_t at = (uint32_t)m->rows;
    for (size_t e = 0; e < m->rows; e++) {
        uint32_t texels = row_texels(m, order[e]);
        TRY(put_texel(w, at, texels, 0, 0));
        at += texels;
    }
    for (size_t e = 0; e < m->rows; e++) {
        size_t r = order[e], end = m->start[r + 1];
        double divisor = row_divisor(m, r, largest);
        for (size_t k = m->start[r]; k < end; k += 2) {
            bool second = k + 1 < end;
            TRY(put_texel(w, m->column[k], float_bits(m->value[k] / divisor),
                          second ? m->column[k + 1] : END_COLUMN,
                          second ? float_bits(m->value[k + 1] / divisor) : 0));
        }
    }
    return w->used ? flush_texels(w) : GLSHAPE_OK;
}

/* Sets *squares to the sum of the squares of all values, and *of_sums to the sum of the squares of the
 * columns' sums, both of rows divided as write_rows does. From these the first layout is as large as that of
 * the same rows in dense form (points.c). */
static glshape_status sum_squares(error *err, const glshape_sparse *m, double largest, double *squares,
                                  double *of_sums) {
    OWNED double *sum = NULL;
    TRY(allocate(err, &sum, m->cols, sizeof *sum, "sums of the columns"));
    *squares = *of_sums = 0;
    for (size_t r = 0; r < m->rows; r++) {
        double divisor = row_divisor(m, r, largest);
        for (size_t k = m->start[r]; k < m->start[r + 1]; k++) {
            double x = m->value[k] / divisor;
            *squares += x * x;
            sum[m->column[k]] += x;
        }
    }
    for (size_t c = 0; c < m->cols; c++) *of_sums += sum[c] * sum[c];
    return GLSHAPE_OK;
}

static glshape_status measure_rows(error *err, const glshape_sparse *m, glshape_metric metric,
                                   double *largest, dist_source *out) {
    double squares, of_sums, n = (double)m->rows;
    *largest = 0;
    for (size_t k = 0; k < m->start[m->rows]; k++) *largest = fmax(*largest, fabs(m->value[k]));
    if (*largest == 0) *largest = 1;
    out->unit = metric == GLSHAPE_METRIC_COSINE ? 1 : *largest;
    if (metric == GLSHAPE_METRIC_COSINE) *largest = 0; /* rows are divided by their own lengths */
    TRY(sum_squares(err, m, *largest, &squares, &of_sums));
    double variance = fmax(squares / n - of_sums / n / n, 1e-12 * squares / n); /* beyond cancellation */
    out->radius = metric == GLSHAPE_METRIC_COSINE ? variance / sqrt(2) : sqrt(variance);
    return GLSHAPE_OK;
}

glshape_status dist_sparse_new(gpu *g, const glshape_sparse *m, glshape_metric metric, const uint32_t *order,
                               dist_source *out) {
    static const int power[] = {
        [GLSHAPE_METRIC_EUCLIDEAN] = 0, [GLSHAPE_METRIC_MANHATTAN] = 1, [GLSHAPE_METRIC_COSINE] = 2};
    OWNED_BY(dist_source_free)
    dist_source s = {.n = (uint32_t)m->rows, .kind = DIST_SPARSE, .sparse = true, .metric = power[metric]};
    OWNED uint32_t(*staging)[4] = NULL;
    error *err = run_error(run_of(g));
    double largest;
    *out = (dist_source){0};
    TRY(measure_rows(err, m, metric, &largest, &s));
    s.turns = 4 * (2 * longest_row(m) / 8 + 1); /* four pairs, eight columns a loop turn */
    if (4 * s.turns > GPU_TURNS)
        return fail(err, GLSHAPE_BAD_INPUT, "a row has %u values, more than can be compared", longest_row(m));
    size_t texels = m->rows + pair_texels(m);
    if (texels > UINT32_MAX)
        return fail(err, GLSHAPE_BAD_INPUT, "%zu values are more than a texture holds", m->start[m->rows]);
    TRY(gpu_texture_new(g, &s.values, "the sparse rows", GPU_RGBA32UI, (uint32_t)texels, 1));
    TRY(allocate(err, &staging, STAGING_TEXELS, sizeof *staging, "staging of sparse rows"));
    texel_writer w = {.g = g, .to = &s.values, .staging = staging};
    TRY(write_rows(&w, m, order, largest));
    *out = MOVE(s);
    return GLSHAPE_OK;
}
