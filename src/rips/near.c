/* The distances up to the threshold through an index. It finds, in double, all points within a radius that is
 * greater than the threshold by more than single precision is wrong; of these, the distances decide. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/owned.h"
#include "base/threads.h"
#include "dist/source.h"
#include "dist/sphere.h"
#include "index/index.h"
#include "rips/graph.h"

#define BLOCK 256u       /* points of a block of work */
#define FEW_POINTS 1000u /* the sweep is done sooner */
#define MOST_COLUMNS 8u  /* of 16 the sweep takes a third of the time; of 8 it takes twice as long */

bool rips_near_pays(const rips_points *points, const rips_space *s) {
    return points->n >= FEW_POINTS && points->width >= 1 && points->width <= MOST_COLUMNS &&
           isfinite(s->threshold);
}

typedef struct near {
    const rips_points *points;
    rips_space *s;
    double unit; /* rows are multiplied by it, so that powers of the threshold are doubles */
    bool angular;
    uint64_t *start;
    uint32_t *index;
    float *distance;
    size_t *degree;
} near;

static void near_free(near *w) {
    free(w->start);
    free(w->index);
    free(w->distance);
    free(w->degree);
}

static glshape_status read_row(error *err, const void *user, uint32_t i, double *out) {
    const near *w = user;
    double squares = 0;
    (void)err;
    for (size_t c = 0; c < w->points->width; c++) {
        out[c] = rips_points_value(w->points, i, c);
        squares += out[c] * out[c];
    }
    for (size_t c = 0; c < w->points->width; c++) out[c] *= w->angular ? 1 / sqrt(squares) : w->unit;
    return GLSHAPE_OK;
}

/* A sum that all points within the threshold have at most. A distance in single precision has width + 4
 * roundings, and is a multiple of 2^-149. */
static double sum_within(const near *w, const norm *n) {
    double width = (double)w->points->width, threshold = (double)w->s->threshold,
           far = (threshold * (1 + (width + 8) * 0x1p-23) + 0x1p-149) * w->unit;
    if (threshold < 0) return -1;
    if (w->points->sphere) {
        double chord = dist_sphere_chord(w->points->sphere, far);
        return chord * chord * (1 + 0x1p-40);
    }
    return w->angular ? 2 * threshold * (1 + 1e-5) + 1e-12 : norm_raise(n, far) * (1 + 0x1p-40);
}

/* Keeps, of what the index found for the points of a block, those within the threshold. */
static glshape_status keep_block(error *err, void *user, uint64_t block, void *scratch) {
    near *w = user;
    (void)err, (void)scratch;
    for (uint32_t i = (uint32_t)block * BLOCK; i < w->s->n && i / BLOCK == block; i++) {
        uint64_t to = w->start[i], end = w->start[i + 1];
        rips_points_distances(w->points, i, w->index + to, end - to, w->distance + to);
        for (uint64_t k = to; k < end; k++) {
            if (!(w->distance[k] <= w->s->threshold)) continue;
            w->index[to] = w->index[k];
            w->distance[to++] = w->distance[k];
        }
        w->degree[i] = to - w->start[i];
    }
    return GLSHAPE_OK;
}

/* Moves the lists together where some became shorter, and gives them to the graph. Most have nothing before
 * them that became shorter, or move together. */
static glshape_status take_lists(error *err, near *w) {
    rips_graph *g = &w->s->graph;
    uint64_t to = 0, from = 0;
    TRY(allocate(err, &g->start, (size_t)w->s->n + 1, sizeof *g->start, "neighbors"));
    for (uint32_t i = 0; i < w->s->n; i++) {
        uint64_t end = w->start[i] + w->degree[i];
        g->start[i] = (size_t)(to + (w->start[i] - from));
        if (end == w->start[i + 1] && i + 1 < w->s->n) continue;
        if (to != from) {
            memmove(w->index + to, w->index + from, (end - from) * sizeof *w->index);
            memmove(w->distance + to, w->distance + from, (end - from) * sizeof *w->distance);
        }
        to += end - from;
        from = w->start[i + 1];
    }
    g->start[w->s->n] = (size_t)to;
    g->point = MOVE(w->index);
    g->distance = MOVE(w->distance);
    return GLSHAPE_OK;
}

static glshape_status keep_lists(error *err, near *w, int threads) {
    threads_job job = {.work = keep_block,
                       .user = w,
                       .blocks = (w->s->n - 1) / BLOCK + 1,
                       .name = "neighbors",
                       .threads = threads};
    return threads_do(err, &job);
}

static glshape_status read_source(error *err, const void *user, uint32_t i, double *out) {
    const index_source *s = user;
    return read_row(err, s->user, i, out);
}

static glshape_status make_index(gpu *g, const near *w, norm n, spatial_index *out) {
    const index_source s = {
        .n = w->s->n, .columns = (uint32_t)w->points->width, .norm = n, .reader = read_source, .user = w};
    run_why why;
    TRY(index_make_place(g, &s, &why));
    OWNED_BY(run_end_within) run_within stage = run_begin_within(run_of(g), "index", why);
    TRY(index_make(g, &s, why, out));
    return index_bring(g, out);
}

/* Finds what is within the threshold, and some more. */
static glshape_status search(gpu *g, near *w) {
    OWNED_BY(index_free) spatial_index x = {0};
    error *err = run_error(run_of(g));
    norm n = w->angular ? norm_of(2) : w->points->norm;
    double most = sum_within(w, &n);
    TRY(make_index(g, w, n, &x));
    index_task task = {.x = &x, .queries = &x};
    TRY(allocate(err, &w->start, (size_t)w->s->n + 1, sizeof *w->start, "neighbors"));
    TRY(index_within_count(g, &task, most, w->start));
    if (allocate(err, &w->index, w->start[w->s->n], sizeof *w->index, "neighbors") ||
        allocate(err, &w->distance, w->start[w->s->n], sizeof *w->distance, "neighbors"))
        return fail(err, GLSHAPE_NO_MEMORY,
                    "not enough memory for the %llu pairs of points within %g; lower the threshold",
                    (unsigned long long)(w->start[w->s->n] / 2), (double)w->s->threshold);
    return index_within(g, &task, most, w->start, w->index, NULL);
}

glshape_status rips_graph_near(gpu *g, const rips_points *points, int threads, rips_space *s) {
    OWNED_BY(near_free)
    near w = {.points = points, .s = s, .unit = 1, .angular = dist_metric_is_angular(points->metric)};
    int exponent;
    frexp((double)s->threshold, &exponent);
    if (!w.angular && !points->sphere) w.unit = ldexp(1, -exponent);
    TRY(allocate(run_error(run_of(g)), &w.degree, s->n, sizeof *w.degree, "neighbors"));
    TRY(search(g, &w));
    TRY(keep_lists(run_error(run_of(g)), &w, threads));
    return take_lists(run_error(run_of(g)), &w);
}
