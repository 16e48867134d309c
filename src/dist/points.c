#include "dist/source.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/matrix.h"
#include "base/memory.h"
#include "base/owned.h"

#define MOST_COLUMNS 900000u /* 2 · columns / 4 / 8 turns in the closing phase: GPU_TURNS */
#define STAGING_BYTES (1u << 20)

/* Rows become unit rows (cosine and correlation); then their mean is subtracted, in double precision, and
 * they are scaled: so differences keep the digits of float32 even if all rows are almost equal. */
typedef struct preparation {
    const glshape_matrix *m;
    glshape_metric metric;
    bool unit_rows;
    double *mean; /* per column */
    double scale;
    double *row; /* scratch, H values */
} preparation;

static glshape_status check_row(error *err, const double *x, size_t n, size_t r) {
    for (size_t c = 0; c < n; c++)
        if (!isfinite(x[c]))
            return fail(err, GLSHAPE_BAD_INPUT, "row %zu, column %zu is %s; every value must be finite",
                        r + 1, c + 1, isnan(x[c]) ? "NaN" : "infinite");
    return GLSHAPE_OK;
}

static double largest_of(const double *x, size_t n) {
    double largest = 0;
    for (size_t i = 0; i < n; i++) largest = fmax(largest, fabs(x[i]));
    return largest;
}

/* Brings the largest value into [1/2, 1) by a power of two: squares neither overflow nor vanish, and nothing
 * is rounded but what is 2^-1021 of the largest. False if all are 0. */
static bool rescale(double *x, size_t n) {
    double largest = largest_of(x, n);
    int exponent;
    if (largest == 0) return false;
    frexp(largest, &exponent);
    /* 2^1073 is no double. */
    double factor = ldexp(1, -exponent / 2), rest = ldexp(1, -exponent - -exponent / 2);
    for (size_t i = 0; i < n; i++) x[i] = x[i] * factor * rest;
    return true;
}

/* Subtracts its mean from the row, twice: the first mean is rounded, which shows in rows of nearly equal
 * values.
 */
static void center(double *x, size_t n) {
    for (int pass = 0; pass < 2; pass++) {
        double sum = 0;
        for (size_t c = 0; c < n; c++) sum += x[c];
        double mean = sum / (double)n;
        for (size_t c = 0; c < n; c++) x[c] -= mean;
    }
}

/* True if all values of the row equal the first. */
static bool constant(const double *x, size_t n) {
    for (size_t i = 1; i < n; i++)
        if (x[i] != x[0]) return false;
    return true;
}

static glshape_status make_direction(error *err, glshape_metric metric, size_t r, double *x, size_t n) {
    if (metric == GLSHAPE_METRIC_CORRELATION && constant(x, n))
        return fail(err, GLSHAPE_BAD_INPUT,
                    "row %zu is constant: its correlation with other rows is not defined; remove it", r + 1);
    if (!rescale(x, n))
        return fail(err, GLSHAPE_BAD_INPUT,
                    "row %zu is all zeros: its cosine with other rows is not defined; remove it", r + 1);
    if (metric == GLSHAPE_METRIC_CORRELATION) {
        center(x, n);
        rescale(x, n);
    }
    return GLSHAPE_OK;
}

glshape_status dist_direction(error *err, const glshape_matrix *m, glshape_metric metric, size_t r,
                              double *out) {
    matrix_doubles(m, r * m->cols, m->cols, out);
    TRY(check_row(err, out, m->cols, r));
    return dist_metric_is_angular(metric) ? make_direction(err, metric, r, out, m->cols) : GLSHAPE_OK;
}

glshape_status dist_row(error *err, const glshape_matrix *m, glshape_metric metric, size_t r, double *out) {
    double squares = 0;
    TRY(dist_direction(err, m, metric, r, out));
    if (!dist_metric_is_angular(metric)) return GLSHAPE_OK;
    double largest = largest_of(out, m->cols);
    for (size_t c = 0; c < m->cols; c++) { /* a row and its multiples have the same quotients */
        out[c] /= largest;
        squares += out[c] * out[c];
    }
    double length = sqrt(squares);
    for (size_t c = 0; c < m->cols; c++) out[c] /= length;
    return GLSHAPE_OK;
}

/* Reads row r into p->row; the mean is not yet subtracted. */
static glshape_status prepare_row(error *err, preparation *p, size_t r) {
    return dist_row(err, p->m, p->metric, r, p->row);
}

/* Divides before it adds: the sum of values might exceed the largest double. */
static glshape_status find_means(error *err, preparation *p) {
    for (size_t r = 0; r < p->m->rows; r++) {
        TRY(prepare_row(err, p, r));
        for (size_t c = 0; c < p->m->cols; c++) p->mean[c] += p->row[c] / (double)p->m->rows;
    }
    return GLSHAPE_OK;
}

static glshape_status find_largest(error *err, preparation *p, double *largest) {
    *largest = 0;
    for (size_t r = 0; r < p->m->rows; r++) {
        TRY(prepare_row(err, p, r));
        for (size_t c = 0; c < p->m->cols; c++) *largest = fmax(*largest, fabs(p->row[c] - p->mean[c]));
    }
    /* Unit rows that differ by what rounding does to them are the same. */
    if (p->unit_rows && *largest < 4 * DBL_EPSILON * sqrt((double)p->m->cols)) *largest = 0;
    return GLSHAPE_OK;
}

static glshape_status upload_rows(gpu *g, preparation *p, const uint32_t *order, dist_source *out) {
    OWNED float *staging = NULL;
    uint32_t width = out->values.texels * 4, block = STAGING_BYTES / (width * 4);
    double squares = 0;
    if (!block) block = 1;
    if (block > out->n) block = out->n;
    TRY(allocate(gpu_error(g), &staging, block, width * sizeof *staging, "staging of the points"));
    for (uint32_t first = 0; first < out->n; first += block) {
        uint32_t count = out->n - first < block ? out->n - first : block;
        for (uint32_t i = 0; i < count; i++) {
            TRY(prepare_row(gpu_error(g), p, order[first + i]));
            for (size_t c = 0; c < p->m->cols; c++) {
                double x = (p->row[c] - p->mean[c]) * p->scale;
                staging[(size_t)i * width + c] = (float)x;
                squares += x * x;
            }
        }
        TRY(gpu_upload(g, &out->values, first, count, staging));
    }
    /* The mean of ½|x - y|² over all pairs is squares / n, its root mean square not much more. */
    out->radius = p->unit_rows ? squares / out->n / sqrt(2) : sqrt(squares / out->n);
    return GLSHAPE_OK;
}

glshape_status dist_points_check(error *err, const glshape_matrix *m) {
    if (m->rows < 2)
        return fail(err, GLSHAPE_BAD_INPUT, "the input has %zu row%s; a layout needs at least 2 points",
                    m->rows, m->rows == 1 ? "" : "s");
    TRY(matrix_check_type(err, m));
    if (!m->cols) return fail(err, GLSHAPE_BAD_INPUT, "the input has no columns");
    if (m->rows > 0x7fffffffu || m->cols > MOST_COLUMNS)
        return fail(err, GLSHAPE_BAD_INPUT,
                    "the input has %zu rows and %zu columns; at most 2^31-1 and %u can be handled", m->rows,
                    m->cols, MOST_COLUMNS);
    return GLSHAPE_OK;
}

/* Distances are up to 2 · √H · largest (Manhattan: 2 · H), and the layout is float. */
static glshape_status check_range(error *err, const preparation *p, double largest) {
    if (p->unit_rows) return GLSHAPE_OK;
    if (!(largest * 2 * (double)p->m->cols < FLT_MAX))
        return fail(err, GLSHAPE_BAD_INPUT,
                    "values reach %g, and distances more than float32 holds; scale the input down", largest);
    if (largest > 0 && largest < 1e3 * FLT_MIN)
        return fail(
            err, GLSHAPE_BAD_INPUT,
            "values differ by %g at most, and distances by less than float32 holds; scale the input up",
            largest);
    return GLSHAPE_OK;
}

glshape_status dist_points_new(gpu *g, const glshape_matrix *m, glshape_metric metric, const uint32_t *order,
                               dist_source *out) {
    static const int power[] = {[GLSHAPE_METRIC_EUCLIDEAN] = 0,
                                [GLSHAPE_METRIC_MANHATTAN] = 1,
                                [GLSHAPE_METRIC_COSINE] = 2,
                                [GLSHAPE_METRIC_CORRELATION] = 2};
    OWNED_BY(dist_source_free) dist_source s = {.n = (uint32_t)m->rows};
    OWNED double *row = NULL, *mean = NULL;
    error *err = gpu_error(g);
    uint32_t texels = ((uint32_t)m->cols + 3) / 4;
    double largest;
    *out = (dist_source){0};
    s.metric = power[metric];
    s.texels = (int)texels;
    s.turns = texels > 2048 ? (texels + 7) / 8 : texels; /* as in glsl/dist/points.glsl */
    TRY(allocate(err, &row, m->cols, sizeof *row, "a row"));
    TRY(allocate(err, &mean, m->cols, sizeof *mean, "column means"));
    preparation p = {.m = m, .metric = metric, .mean = mean, .row = row};
    p.unit_rows = dist_metric_is_angular(metric);
    TRY(find_means(err, &p));
    TRY(find_largest(err, &p, &largest));
    TRY(check_range(err, &p, largest));
    p.scale = largest > 0 ? 1 / largest : 0;
    s.unit = largest > 0 ? largest : 1;
    if (p.unit_rows) s.unit *= s.unit; /* ½|x - y|² */
    TRY(gpu_texture_new(g, &s.values, "the points", GPU_RGBA32F, s.n, texels));
    TRY(upload_rows(g, &p, order, &s));
    *out = MOVE(s);
    return GLSHAPE_OK;
}

void dist_source_free(dist_source *s) {
    gpu_texture_free(&s->values);
    *s = (dist_source){0};
}
