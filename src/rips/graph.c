/* Pairs of points within the threshold are found through an index (near.c) or by a sweep (sweep.c). */
#include "rips/graph.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/owned.h"
#include "base/threads.h"
#include "dist/source.h"
#include "rips/points.h"

typedef struct neighbor {
    uint32_t point;
    float distance;
} neighbor;

static int by_point(const void *a, const void *b) {
    const neighbor *x = a, *y = b;
    return (x->point > y->point) - (x->point < y->point);
}

glshape_status rips_graph_allocate(error *err, rips_space *s, const size_t *degree) {
    rips_graph *g = &s->graph;
    TRY(allocate(err, &g->start, (size_t)s->n + 1, sizeof *g->start, "neighbors"));
    for (size_t v = 0; v < s->n; v++) g->start[v + 1] = g->start[v] + degree[v];
    TRY(allocate(err, &g->point, g->start[s->n], sizeof *g->point, "neighbors"));
    return allocate(err, &g->distance, g->start[s->n], sizeof *g->distance, "neighbors");
}

static glshape_status graph_of_points(gpu *g, const glshape_source *source, int threads, rips_space *s) {
    OWNED_BY(rips_points_free) rips_points points = {0};
    error *err = run_error(run_of(g));
    TRY(rips_points_new(err, source, &points));
    return rips_near_pays(&points, s) ? rips_graph_near(g, &points, threads, s)
                                      : rips_sweep(err, &points, threads, s);
}

/* ---- edges as they are given ------------------------------------------------------------------- */

/* -0 becomes 0, as passes have it. */
static float edge_length(const glshape_graph *g, size_t k) { return g->weight ? g->weight[k] + 0.0f : 1; }

static glshape_status copy_edges(error *err, const glshape_graph *from, rips_space *s) {
    OWNED neighbor *row = NULL;
    size_t longest = 0;
    for (size_t v = 0; v < s->n; v++) {
        size_t degree = from->start[v + 1] - from->start[v];
        longest = degree > longest ? degree : longest;
    }
    TRY(allocate(err, &row, longest, sizeof *row, "neighbors"));
    size_t to = 0;
    for (size_t v = 0; v < s->n; v++) {
        size_t count = 0;
        for (size_t k = from->start[v]; k < from->start[v + 1]; k++)
            if (from->to[k] != v && edge_length(from, k) <= s->threshold)
                row[count++] = (neighbor){from->to[k], edge_length(from, k)};
        if (count) qsort(row, count, sizeof *row, by_point);
        for (size_t k = 0; k < count; k++) {
            bool parallel = k && row[k].point == row[k - 1].point; /* the shortest edge counts */
            if (parallel) s->graph.distance[to - 1] = fminf(s->graph.distance[to - 1], row[k].distance);
            else s->graph.point[to] = row[k].point, s->graph.distance[to++] = row[k].distance;
        }
        s->graph.start[v + 1] = to;
    }
    return GLSHAPE_OK;
}

static bool is_length(const rips_space *s, float d) {
    return d >= 0 || (s->may_be_negative && d > -INFINITY);
}

static glshape_status graph_of_edges(error *err, const glshape_graph *from, rips_space *s) {
    for (size_t v = 0; v < from->nodes; v++)
        for (size_t k = from->start[v]; k < from->start[v + 1]; k++)
            if (!is_length(s, edge_length(from, k)))
                return fail(err, GLSHAPE_BAD_INPUT, "edge %zu - %u: %g is no distance", v, from->to[k],
                            (double)edge_length(from, k));
    TRY(allocate(err, &s->graph.start, (size_t)s->n + 1, sizeof *s->graph.start, "neighbors"));
    TRY(allocate(err, &s->graph.point, from->start[s->n], sizeof *s->graph.point, "neighbors"));
    TRY(allocate(err, &s->graph.distance, from->start[s->n], sizeof *s->graph.distance, "neighbors"));
    return copy_edges(err, from, s);
}

glshape_status rips_graph_new(gpu *g, const glshape_source *source, int threads, rips_space *s) {
    TRY(source->points ? graph_of_points(g, source, threads, s)
                       : graph_of_edges(run_error(run_of(g)), source->graph, s));
    s->lists_are_short = true;
    return GLSHAPE_OK;
}

/* ---- a matrix ---------------------------------------------------------------------------------- */

#define STRIDE 16u /* distances that are counted at once */

/* Counts the distances of a whole stride that are within the threshold. */
static uint32_t count_within(const float *row, float threshold) {
    uint32_t within = 0;
    for (size_t k = 0; k < STRIDE; k++) within += row[k] <= threshold;
    return within;
}

typedef struct matrix_lists {
    rips_space *s;
    size_t *degree;
} matrix_lists;

/* The diagonal is 0, which is within the threshold, and no edge. */
static void count_row(void *of, size_t i) {
    matrix_lists *m = of;
    const float *row = m->s->distance + i * m->s->n, threshold = m->s->threshold;
    size_t n = m->s->n, j = 0, within = 0;
    for (; j + STRIDE <= n; j += STRIDE) within += count_within(row + j, threshold);
    for (; j < n; j++) within += row[j] <= threshold;
    m->degree[i] = within - (row[i] <= threshold);
}

static void list_row(void *of, size_t i) {
    rips_space *s = ((matrix_lists *)of)->s;
    const float *row = s->distance + i * s->n, threshold = s->threshold;
    uint32_t *point = s->graph.point + s->graph.start[i];
    float *distance = s->graph.distance + s->graph.start[i];
    for (size_t first = 0, end, n = s->n; first < n; first = end) {
        end = first + STRIDE < n ? first + STRIDE : n;
        if (end - first == STRIDE && !count_within(row + first, threshold)) continue;
        for (size_t j = first; j < end; j++) {
            if (j == i || !(row[j] <= threshold)) continue;
            *point++ = (uint32_t)j;
            *distance++ = row[j];
        }
    }
}

static void set_short(rips_space *s, size_t places) {
    s->lists_are_short = places < (size_t)s->n * s->n / RIPS_SHORTER;
}

glshape_status rips_graph_of_matrix(error *err, rips_space *s, bool always) {
    OWNED size_t *degree = NULL;
    size_t all = 0;
    if (s->graph.start) { /* they are there */
        set_short(s, s->graph.start[s->n]);
        if (!s->lists_are_short && !always) rips_graph_free(&s->graph);
        return GLSHAPE_OK;
    }
    TRY(allocate(err, &degree, s->n, sizeof *degree, "neighbors"));
    matrix_lists lists = {s, degree};
    threads_run(rips_threads(s, 0), s->n, count_row, &lists);
    for (size_t i = 0; i < s->n; i++) all += degree[i];
    set_short(s, all);
    if (!s->lists_are_short && !always) return GLSHAPE_OK;
    TRY(rips_graph_allocate(err, s, degree));
    threads_run(rips_threads(s, 0), s->n, list_row, &lists);
    return GLSHAPE_OK;
}

static void fill_row(void *of, size_t i) {
    rips_space *s = of;
    float *row = s->distance + i * s->n;
    for (size_t j = 0; j < s->n; j++) row[j] = j == i ? 0 : INFINITY;
    for (size_t k = s->graph.start[i]; k < s->graph.start[i + 1]; k++)
        row[s->graph.point[k]] = s->graph.distance[k];
}

glshape_status rips_matrix_of_graph(error *err, rips_space *s) {
    TRY(allocate(err, &s->distance, times(s->n, s->n), sizeof *s->distance, "the matrix of distances"));
    threads_run(rips_threads(s, 0), s->n, fill_row, s);
    s->matrix_of_lists = false;
    return GLSHAPE_OK;
}
