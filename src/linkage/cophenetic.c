/* The cophenetic correlation: all pairs, on the CPU, in double. */
#include "linkage/cophenetic.h"

#include <math.h>

#include "base/memory.h"
#include "base/owned.h"
#include "base/threads.h"
#include "dist/source.h"

#define BLOCK 32u /* leaves of a block of work */

/* Sums over pairs, of d and c after a shift (the mean of c) that keeps their digits. */
typedef struct moments {
    double d, c, dd, cc, dc;
} moments;

typedef struct job {
    const glshape_source *source;
    uint32_t n;
    const uint32_t *leaves;
    const double *gap;
    double shift, scale; /* scale: a power of two; distances and heights are multiplied by it */
    moments *sums;       /* one a block */
} job;

static glshape_status read_row(error *err, const job *j, size_t r, double *out) {
    TRY(dist_row(err, j->source->points, j->source->metric, r, out));
    for (size_t c = 0; c < j->source->points->cols; c++) out[c] *= j->scale;
    return GLSHAPE_OK;
}

/* Distances of leaf `own` to those after it, at out[leaf]. rows: two rows of the points. */
static glshape_status distances_of(error *err, const job *j, uint32_t own, double *rows, double *out) {
    const glshape_matrix *m = j->source->points;
    glshape_metric metric = j->source->metric;
    norm n = dist_norm(metric, j->source->p);
    double *x = rows, *y = rows + m->cols;
    TRY(read_row(err, j, j->leaves[own], x));
    for (uint32_t other = own + 1; other < j->n; other++) {
        TRY(read_row(err, j, j->leaves[other], y));
        out[other] = dist_of_rows(metric, &n, x, y, m->cols) / j->scale * j->scale; /* as heights round */
    }
    return GLSHAPE_OK;
}

/* The same from a reader. */
static glshape_status read_distances(error *err, const job *j, uint32_t own, double *rows, double *out) {
    const glshape_source *s = j->source;
    dist_reader reader = {
        .read = s->reader, .read_double = s->double_reader, .user = s->user, .n = j->n, .unit = 1};
    TRY(dist_read_doubles(err, &reader, j->leaves[own], 1, rows));
    for (uint32_t other = own + 1; other < j->n; other++) out[other] = rows[j->leaves[other]] * j->scale;
    return GLSHAPE_OK;
}

static void add_row(const job *j, uint32_t own, const double *distance, moments *s) {
    double height = 0;
    for (uint32_t other = own + 1; other < j->n; other++) {
        height = fmax(height, j->gap[other - 1] * j->scale);
        double d = distance[other] - j->shift, c = height - j->shift;
        s->d += d;
        s->c += c;
        s->dd += d * d;
        s->cc += c * c;
        s->dc += d * c;
    }
}

static glshape_status add_block(error *err, void *user, uint64_t block, void *scratch) {
    const job *j = user;
    double *distance = scratch;
    uint32_t from = (uint32_t)block * BLOCK;
    for (uint32_t own = from; own < j->n && own < from + BLOCK; own++) {
        if (j->source->points) TRY(distances_of(err, j, own, distance + j->n, distance));
        else TRY(read_distances(err, j, own, distance + j->n, distance));
        add_row(j, own, distance, &j->sums[block]);
    }
    return GLSHAPE_OK;
}

static double correlation(const job *j, uint64_t blocks) {
    moments s = {0};
    double pairs = j->n * (j->n - 1.0) / 2;
    for (uint64_t b = 0; b < blocks; b++) {
        s.d += j->sums[b].d;
        s.c += j->sums[b].c;
        s.dd += j->sums[b].dd;
        s.cc += j->sums[b].cc;
        s.dc += j->sums[b].dc;
    }
    double d = s.dd - s.d * s.d / pairs, c = s.cc - s.c * s.c / pairs;
    /* Less than what rounding leaves is 0. */
    if (!(d > 1e-13 * s.dd) || !(c > 1e-13 * s.cc)) return NAN;
    return (s.dc - s.d * s.c / pairs) / sqrt(d * c);
}

/* The mean, over all pairs, of the height at which they join. */
static double mean_height(const double *merges, uint32_t n) {
    double sum = 0, pairs = n * (n - 1.0) / 2;
    for (uint32_t k = 0; k + 1 < n; k++) {
        double of[2];
        for (int side = 0; side < 2; side++) {
            size_t cluster = (size_t)merges[4 * k + side];
            of[side] = cluster < n ? 1 : merges[4 * (cluster - n) + 3];
        }
        sum += merges[4 * k + 2] * (of[0] * of[1] / pairs);
    }
    return sum;
}

/* A power of two that brings the largest height to 1/2 … 1, as far as doubles go, so that no square of it
 * overflows or vanishes. */
static double scale_of_heights(const double *merges, uint32_t n) {
    int exponent = 0;
    for (uint32_t k = n - 1; k-- && !exponent;)
        if (isfinite(merges[4 * k + 2])) frexp(merges[4 * k + 2], &exponent);
    return ldexp(1, exponent < -1023 ? 1023 : -exponent);
}

glshape_status linkage_cophenetic(run *r, const glshape_source *source, const double *merges, uint32_t n,
                                  double *out) {
    OWNED uint32_t *leaves = NULL;
    OWNED double *gap = NULL;
    OWNED moments *sums = NULL;
    uint64_t blocks = (n - 1) / BLOCK + 1;
    size_t row = source->points ? 2 * source->points->cols : n;
    error *err = run_error(r);
    TRY(allocate(err, &leaves, n, sizeof *leaves, "the leaves"));
    TRY(allocate(err, &gap, n, sizeof *gap, "heights between leaves"));
    TRY(linkage_leaves(err, merges, n, leaves, gap));
    TRY(allocate(err, &sums, blocks, sizeof *sums, "sums over pairs"));
    job j = {.source = source, .n = n, .leaves = leaves, .gap = gap, .sums = sums};
    j.scale = scale_of_heights(merges, n);
    if (source->points) TRY(dist_scale(err, source->points, source->metric, &j.scale));
    j.shift = mean_height(merges, n) * j.scale;
    threads_job work = {.work = add_block,
                        .user = &j,
                        .blocks = blocks,
                        .scratch_bytes = (n + row) * sizeof(double),
                        .name = "rows being compared"};
    TRY(threads_do(err, &work));
    *out = correlation(&j, blocks);
    return GLSHAPE_OK;
}
