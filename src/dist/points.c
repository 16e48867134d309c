#include "dist/source.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/matrix.h"
#include "base/memory.h"
#include "base/owned.h"
#include "base/threads.h"

#define MOST_COLUMNS 900000u /* 2 · columns / 4 / 8 turns in the closing phase: GPU_TURNS */
#define STAGING_BYTES ((size_t)1 << 25)
#define BLOCK_ROWS 1024u     /* that a thread prepares at a time */
#define LEAST_EXPONENT -1000 /* of values, so that their scale is a double */

/* Rows become unit rows (cosine and correlation); then their mean is subtracted, in double precision, and
 * they are scaled: so differences keep the digits of float32 even if all rows are almost equal. What is added
 * up is added row by row within a block, then block by block: the sums do not depend on threads. */
typedef struct preparation {
    const glshape_matrix *m;
    glshape_metric metric;
    bool unit_rows;
    double *mean; /* per column */
    double scale;
    double *sums; /* what a block has found: `each` values */
    size_t each;
    const uint32_t *order; /* rows order[first], order[first + 1], … go to staging, of `width` values each */
    size_t first, count, width;
    float *staging;
} preparation;

/* 0 times a finite value is 0; else it is NaN. Four sums, none of which waits for the others. */
static bool are_finite(const double *x, size_t n) {
    double a = 0, b = 0, c = 0, d = 0;
    size_t i = 0;
    for (; i + 4 <= n; i += 4) a += 0 * x[i], b += 0 * x[i + 1], c += 0 * x[i + 2], d += 0 * x[i + 3];
    for (; i < n; i++) a += 0 * x[i];
    return a + b + c + d == 0;
}

static glshape_status check_row(error *err, const double *x, size_t n, size_t r) {
    if (are_finite(x, n)) return GLSHAPE_OK;
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

glshape_status dist_scale(error *err, const glshape_matrix *m, glshape_metric metric, double *scale) {
    OWNED double *row = NULL;
    double most = 0;
    int exponent;
    *scale = 1;
    if (dist_metric_is_angular(metric)) return GLSHAPE_OK;
    TRY(allocate(err, &row, m->cols, sizeof *row, "a row"));
    for (size_t r = 0; r < m->rows; r++) {
        TRY(dist_row(err, m, metric, r, row));
        most = fmax(most, largest_of(row, m->cols));
    }
    frexp(most, &exponent);
    *scale = ldexp(1, exponent < LEAST_EXPONENT ? -LEAST_EXPONENT : -exponent);
    return GLSHAPE_OK;
}

static size_t block_end(const preparation *p, uint64_t block) {
    size_t end = ((size_t)block + 1) * BLOCK_ROWS;
    return end < p->count ? end : p->count;
}

/* Divides before it adds: the sum of values might exceed the largest double. */
static glshape_status add_means(error *err, void *user, uint64_t block, void *scratch) {
    const preparation *p = user;
    double *row = scratch, *sums = p->sums + block * p->each;
    for (size_t r = block * BLOCK_ROWS; r < block_end(p, block); r++) {
        TRY(dist_row(err, p->m, p->metric, r, row));
        for (size_t c = 0; c < p->m->cols; c++) sums[c] += row[c] / (double)p->m->rows;
    }
    return GLSHAPE_OK;
}

static glshape_status find_largest(error *err, void *user, uint64_t block, void *scratch) {
    const preparation *p = user;
    double *row = scratch, largest = 0;
    for (size_t r = block * BLOCK_ROWS; r < block_end(p, block); r++) {
        TRY(dist_row(err, p->m, p->metric, r, row));
        for (size_t c = 0; c < p->m->cols; c++) largest = fmax(largest, fabs(row[c] - p->mean[c]));
    }
    p->sums[block] = largest;
    return GLSHAPE_OK;
}

/* Fills rows of staging, and adds up squares. */
static glshape_status fill_staging(error *err, void *user, uint64_t block, void *scratch) {
    const preparation *p = user;
    double *row = scratch, squares = 0;
    for (size_t i = block * BLOCK_ROWS; i < block_end(p, block); i++) {
        TRY(dist_row(err, p->m, p->metric, p->order[p->first + i], row));
        for (size_t c = 0; c < p->m->cols; c++) {
            double x = (row[c] - p->mean[c]) * p->scale;
            p->staging[i * p->width + c] = (float)x;
            squares += x * x;
        }
    }
    p->sums[block] = squares;
    return GLSHAPE_OK;
}

/* Does count rows, a block at a time. *sums (free() it) has `each` values of each of *blocks. */
static glshape_status do_blocks(error *err, preparation *p, size_t count, size_t each,
                                glshape_status (*work)(error *, void *, uint64_t, void *), double **sums,
                                size_t *blocks) {
    p->count = count;
    p->each = each;
    *blocks = (count - 1) / BLOCK_ROWS + 1;
    TRY(allocate(err, sums, times(*blocks, each), sizeof **sums, "sums of rows"));
    p->sums = *sums;
    return threads_do(err, &(threads_job){.work = work,
                                          .user = p,
                                          .blocks = *blocks,
                                          .scratch_bytes = p->m->cols * sizeof(double),
                                          .name = "a row"});
}

static glshape_status find_mean(error *err, preparation *p) {
    OWNED double *sums = NULL;
    size_t blocks, columns = p->m->cols;
    TRY(do_blocks(err, p, p->m->rows, columns, add_means, &sums, &blocks));
    for (size_t b = 0; b < blocks; b++)
        for (size_t c = 0; c < columns; c++) p->mean[c] += sums[b * columns + c];
    return GLSHAPE_OK;
}

static glshape_status find_scale(error *err, preparation *p, double *largest) {
    OWNED double *sums = NULL;
    size_t blocks;
    TRY(do_blocks(err, p, p->m->rows, 1, find_largest, &sums, &blocks));
    *largest = largest_of(sums, blocks);
    /* Unit rows that differ by what rounding does to them are the same. */
    if (p->unit_rows && *largest < 4 * DBL_EPSILON * sqrt((double)p->m->cols)) *largest = 0;
    p->scale = *largest > 0 ? 1 / *largest : 0;
    return GLSHAPE_OK;
}

static glshape_status upload_rows(gpu *g, preparation *p, dist_source *out) {
    OWNED float *staging = NULL;
    double squares = 0;
    p->width = (size_t)out->values.texels * 4;
    size_t room = STAGING_BYTES / (p->width * sizeof *staging) / BLOCK_ROWS * BLOCK_ROWS;
    if (!room) room = BLOCK_ROWS;
    if (room > out->n) room = out->n;
    TRY(allocate(run_error(run_of(g)), &staging, room, p->width * sizeof *staging, "staging of the points"));
    p->staging = staging;
    for (p->first = 0; p->first < out->n; p->first += p->count) {
        OWNED double *sums = NULL;
        size_t blocks, left = out->n - p->first;
        TRY(do_blocks(run_error(run_of(g)), p, left < room ? left : room, 1, fill_staging, &sums, &blocks));
        for (size_t b = 0; b < blocks; b++) squares += sums[b];
        TRY(gpu_upload(g, &out->values, (uint32_t)p->first, (uint32_t)p->count, staging));
    }
    /* The mean of ½|x - y|² over all pairs is squares / n, its root mean square not much more. */
    out->radius = p->unit_rows ? squares / out->n / sqrt(2) : sqrt(squares / out->n);
    return GLSHAPE_OK;
}

glshape_status dist_points_check(error *err, const glshape_matrix *m) {
    if (m->rows < 2)
        return fail(err, GLSHAPE_BAD_INPUT, "the input has %zu row%s; a layout needs at least 2 points",
                    m->rows, m->rows == 1 ? "" : "s");
    TRY(matrix_check(err, m));
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
    OWNED double *mean = NULL;
    error *err = run_error(run_of(g));
    uint32_t texels = ((uint32_t)m->cols + 3) / 4;
    double largest;
    *out = (dist_source){0};
    s.metric = power[metric];
    s.texels = (int)texels;
    s.turns = texels > 2048 ? (texels + 7) / 8 : texels; /* as in glsl/dist/points.glsl */
    TRY(allocate(err, &mean, m->cols, sizeof *mean, "column means"));
    preparation p = {.m = m, .metric = metric, .mean = mean, .order = order};
    p.unit_rows = dist_metric_is_angular(metric);
    TRY(find_mean(err, &p));
    TRY(find_scale(err, &p, &largest));
    TRY(check_range(err, &p, largest));
    s.unit = largest > 0 ? largest : 1;
    if (p.unit_rows) s.unit *= s.unit; /* ½|x - y|² */
    TRY(gpu_texture_new(g, &s.values, "the points", GPU_RGBA32F, s.n, texels));
    TRY(upload_rows(g, &p, &s));
    *out = MOVE(s);
    return GLSHAPE_OK;
}

void dist_source_free(dist_source *s) {
    gpu_texture_free(&s->values);
    *s = (dist_source){0};
}
