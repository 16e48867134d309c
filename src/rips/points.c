#include "rips/points.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/owned.h"
#include "base/threads.h"
#include "dist/source.h"
#include "dist/sphere.h"

static float euclidean(const float *x, const float *y, size_t width) {
    float sum = 0;
    double exact = 0;
    for (size_t c = 0; c < width; c++) sum += (x[c] - y[c]) * (x[c] - y[c]);
    if (rips_is_plain_sum(sum)) return sqrtf(sum);
    for (size_t c = 0; c < width; c++) exact += ((double)x[c] - y[c]) * ((double)x[c] - y[c]);
    return (float)sqrt(exact);
}

/* Squares of doubles that are at most the greatest float do not overflow. */
static double exact_euclidean(const double *x, const double *y, size_t width) {
    double sum = 0;
    for (size_t c = 0; c < width; c++) sum += (x[c] - y[c]) * (x[c] - y[c]);
    return sqrt(sum);
}

/* Value c of row i less that of row j. */
static double difference(const rips_points *p, size_t i, size_t j, size_t c) {
    return rips_points_value(p, i, c) - rips_points_value(p, j, c);
}

static double manhattan(const rips_points *p, size_t i, size_t j) {
    double sum = 0;
    for (size_t c = 0; c < p->width; c++) sum += fabs(difference(p, i, j, c));
    return sum;
}

/* 1 - x·y/(|x||y|) as half the square of the difference of the unit vectors: near 0 nothing cancels. */
static double cosine(const rips_points *p, size_t i, size_t j) {
    double xx = 0, yy = 0, sum = 0;
    for (size_t c = 0; c < p->width; c++) {
        double x = rips_points_value(p, i, c), y = rips_points_value(p, j, c);
        xx += x * x, yy += y * y;
    }
    xx = 1 / sqrt(xx), yy = 1 / sqrt(yy);
    for (size_t c = 0; c < p->width; c++) {
        double d = rips_points_value(p, i, c) * xx - rips_points_value(p, j, c) * yy;
        sum += d * d;
    }
    return sum / 2;
}

static double minkowski(const rips_points *p, size_t i, size_t j) {
    const norm *n = &p->norm;
    double greatest = 0, sum = 0;
    int exponent;
    for (size_t c = 0; c < p->width; c++) greatest = fmax(greatest, fabs(difference(p, i, j, c)));
    if (n->power == NORM_GREATEST) return greatest;
    frexp(greatest, &exponent);
    for (size_t c = 0; c < p->width; c++)
        sum = norm_add(n, n->power, sum, ldexp(difference(p, i, j, c), -exponent));
    return ldexp(norm_root(n, sum), exponent);
}

float rips_points_distance(const rips_points *p, size_t i, size_t j) {
    size_t x = i * p->width, y = j * p->width;
    if (p->sphere)
        return (float)dist_sphere_distance(p->sphere, exact_euclidean(p->exact + x, p->exact + y, p->width));
    if (dist_metric_is_angular(p->metric)) return (float)cosine(p, i, j);
    if (p->norm.power == 1) return (float)manhattan(p, i, j);
    if (p->norm.power != 2) return (float)minkowski(p, i, j);
    return p->exact ? (float)exact_euclidean(p->exact + x, p->exact + y, p->width)
                    : euclidean(p->rows + x, p->rows + y, p->width);
}

/* Many distances of one row: a compiler that knows the width unrolls what euclidean() and exact_euclidean()
 * do. */
static inline void floats_from(const float *rows, size_t i, const uint32_t *other, size_t count, float *out,
                               size_t width) {
    const float *x = rows + i * width;
    for (size_t k = 0; k < count; k++) {
        const float *y = rows + other[k] * width;
        float sum = 0;
        for (size_t c = 0; c < width; c++) sum += (x[c] - y[c]) * (x[c] - y[c]);
        out[k] = rips_is_plain_sum(sum) ? sqrtf(sum) : euclidean(x, y, width);
    }
}

static inline void doubles_from(const double *rows, size_t i, const uint32_t *other, size_t count, float *out,
                                size_t width) {
    const double *x = rows + i * width;
    for (size_t k = 0; k < count; k++) {
        const double *y = rows + other[k] * width;
        double sum = 0;
        for (size_t c = 0; c < width; c++) sum += (x[c] - y[c]) * (x[c] - y[c]);
        out[k] = (float)sqrt(sum);
    }
}

void rips_points_distances(const rips_points *p, size_t i, const uint32_t *other, size_t count, float *out) {
    bool plain = !p->sphere && !dist_metric_is_angular(p->metric) && p->norm.power == 2;
    if (plain && p->exact) {
        if (p->width == 2) doubles_from(p->exact, i, other, count, out, 2);
        else if (p->width == 3) doubles_from(p->exact, i, other, count, out, 3);
        else doubles_from(p->exact, i, other, count, out, p->width);
    } else if (plain) {
        if (p->width == 2) floats_from(p->rows, i, other, count, out, 2);
        else if (p->width == 3) floats_from(p->rows, i, other, count, out, 3);
        else floats_from(p->rows, i, other, count, out, p->width);
    } else {
        for (size_t k = 0; k < count; k++)
            out[k] =
                i > other[k] ? rips_points_distance(p, i, other[k]) : rips_points_distance(p, other[k], i);
    }
}

/* What is lost of values below the least normal float32 matters if the largest of all is not larger than
 * this: it is up to 2^-150. */
#define MUCH_LARGER 0x1p-116

/* What is known of the values of all rows. */
typedef struct extremes {
    double most;  /* of their magnitudes */
    bool lost;    /* for one a denormal float32, or 0, stands */
    bool rounded; /* one is no float */
} extremes;

static void take_value(extremes *e, double value, float single) {
    e->most = fmax(e->most, fabs(value));
    if ((double)single == value) return;
    e->rounded = true;
    if (fabs(value) < FLT_MIN) e->lost = true;
}

/* Row r, and the same as floats: for cosine and correlation its direction, the mean subtracted before it is
 * rounded. */
static glshape_status take_row(error *err, const rips_points *p, const glshape_matrix *m, size_t r,
                               double *row, extremes *e) {
    float *out = p->rows + r * p->width;
    TRY(dist_direction(err, m, p->metric, r, row));
    memcpy(p->exact + r * p->width, row, p->width * sizeof *row);
    for (size_t c = 0; c < p->width; c++) {
        out[c] = (float)row[c];
        take_value(e, row[c], out[c]);
        if (!isfinite(out[c]))
            return fail(err, GLSHAPE_BAD_INPUT,
                        "row %zu, column %zu: %g is no finite single-precision number", r + 1, c + 1, row[c]);
    }
    return GLSHAPE_OK;
}

#define BLOCK 4096u /* rows of an item of work */

typedef struct taking {
    const rips_points *p;
    const glshape_matrix *m;
    extremes *of; /* of each block */
} taking;

static glshape_status take_block(error *err, void *user, uint64_t block, void *row) {
    const taking *t = user;
    extremes e = {0};
    size_t first = (size_t)block * BLOCK, end = t->m->rows - first < BLOCK ? t->m->rows : first + BLOCK;
    for (size_t r = first; r < end; r++) TRY(take_row(err, t->p, t->m, r, row, &e));
    t->of[block] = e;
    return GLSHAPE_OK;
}

static glshape_status take_rows(error *err, const rips_points *p, const glshape_matrix *m, extremes *e) {
    OWNED extremes *of = NULL;
    size_t blocks = (m->rows + BLOCK - 1) / BLOCK;
    TRY(allocate(err, &of, blocks, sizeof *of, "the points"));
    taking t = {p, m, of};
    const threads_job job = {.work = take_block,
                             .user = &t,
                             .blocks = blocks,
                             .scratch_bytes = m->cols * sizeof(double),
                             .name = "a row"};
    TRY(threads_do(err, &job));
    for (size_t b = 0; b < blocks; b++) {
        e->most = fmax(e->most, of[b].most);
        e->lost |= of[b].lost;
        e->rounded |= of[b].rounded;
    }
    return GLSHAPE_OK;
}

glshape_status rips_points_new(error *err, const glshape_source *source, rips_points *out) {
    const glshape_matrix *m = source->points;
    OWNED_BY(dist_sphere_free) dist_sphere sphere = {0};
    *out = (rips_points){0};
    TRY(dist_sphere_new(err, source, &sphere));
    if (sphere.radius) m = &sphere.points;
    source = &sphere.source;
    OWNED_BY(rips_points_free)
    rips_points p = {.n = m->rows,
                     .width = m->cols,
                     .metric = source->metric,
                     .norm = dist_norm(source->metric, source->p),
                     .sphere = sphere.radius};
    TRY(allocate(err, &p.rows, times(m->rows, m->cols), sizeof *p.rows, "the points"));
    TRY(allocate(err, &p.exact, times(m->rows, m->cols), sizeof *p.exact, "the points"));
    extremes e = {0};
    TRY(take_rows(err, &p, m, &e));
    bool lost = e.most < FLT_MIN ? m->type == GLSHAPE_F64 && e.most > 0 : e.lost && e.most < MUCH_LARGER;
    if (lost && m->rows > 1)
        return fail(
            err, GLSHAPE_BAD_INPUT,
            "values reach only %g: single precision has few digits for what they differ by; multiply all "
            "points by one number",
            e.most);
    if (!e.rounded && !p.sphere) free(p.exact), p.exact = NULL;
    *out = MOVE(p);
    return GLSHAPE_OK;
}

/* ---- tiles ----------------------------------------------------------------------------------------- */

typedef struct tiling {
    const char *rows;
    char *tiles;
    size_t bytes, n, width;
} tiling;

static void tile_one(void *of, size_t tile) {
    const tiling *t = of;
    size_t first = tile * RIPS_LANES, count = t->n - first < RIPS_LANES ? t->n - first : RIPS_LANES;
    for (size_t c = 0; c < t->width; c++)
        for (size_t k = 0, to = first * t->width + c * RIPS_LANES; k < count; k++, to++)
            memcpy(t->tiles + to * t->bytes, t->rows + ((first + k) * t->width + c) * t->bytes, t->bytes);
}

void rips_tile(const void *rows, size_t bytes, size_t n, size_t width, int threads, void *tiles) {
    tiling t = {rows, tiles, bytes, n, width};
    threads_run(threads, rips_tiled(n) / RIPS_LANES, tile_one, &t);
}

void rips_points_free(rips_points *p) {
    free(p->rows);
    free(p->exact);
    *p = (rips_points){0};
}
