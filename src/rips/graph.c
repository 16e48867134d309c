/* Pairs of points within the threshold are found through an index (near.c), or by a sweep along the
 * coordinate in which the points spread most: only pairs whose difference there is within the threshold are
 * compared. */
#include "rips/graph.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/owned.h"
#include "base/threads.h"
#include "dist/source.h"
#include "rips/points.h"

#define ROWS 64u /* points that a thread takes at a time */

typedef struct neighbor {
    uint32_t point;
    float distance;
} neighbor;

/* The neighbors of ROWS points in the order of the sweep. */
typedef struct block {
    neighbor *items; /* of one point after the other */
    size_t count, room;
    size_t ends[ROWS];
} block;

typedef struct sweep {
    rips_points points;
    uint32_t *order; /* by the coordinate, if sorted */
    size_t column;
    bool sorted; /* the metric is one in which the difference of a coordinate is at most the distance */
    float threshold;
    block *blocks;
    size_t block_count;
    atomic_bool failed;
} sweep;

static double coordinate(const sweep *w, uint32_t point) {
    return rips_points_value(&w->points, point, w->column);
}

static bool append(block *b, neighbor item) {
    if (memory_reserve(NULL, &b->items, &b->room, b->count + 1, sizeof item, NULL)) return false;
    b->items[b->count++] = item;
    return true;
}

/* Appends the neighbors of the point at place k among those after it (direction 1) or before it (-1). False:
 * not enough memory. */
static bool sweep_one_way(const sweep *w, block *b, size_t k, int direction) {
    uint32_t i = w->order[k];
    double here = w->sorted ? coordinate(w, i) : 0;
    for (size_t at = k + (size_t)direction; at < w->points.n; at += (size_t)direction) {
        uint32_t j = w->order[at];
        /* Rounding may make the distance a little less than the exact difference of coordinates. */
        if (w->sorted && fabs(coordinate(w, j) - here) > 1.000001 * w->threshold) break;
        float d = i > j ? rips_points_distance(&w->points, i, j) : rips_points_distance(&w->points, j, i);
        if (d <= w->threshold && !append(b, (neighbor){j, d})) return false;
    }
    return true;
}

static int by_point(const void *a, const void *b) {
    const neighbor *x = a, *y = b;
    return (x->point > y->point) - (x->point < y->point);
}

static void sweep_block(void *of, size_t which) {
    sweep *w = of;
    block *b = &w->blocks[which];
    for (size_t k = which * ROWS, r = 0; r < ROWS && k < w->points.n; k++, r++) {
        size_t first = b->count;
        if (!sweep_one_way(w, b, k, 1) || !sweep_one_way(w, b, k, -1)) atomic_store(&w->failed, true);
        if (b->count > first) qsort(b->items + first, b->count - first, sizeof *b->items, by_point);
        b->ends[r] = b->count;
    }
}

typedef struct keyed {
    double value;
    uint32_t point;
} keyed;

static int by_key(const void *a, const void *b) {
    const keyed *x = a, *y = b;
    if (x->value != y->value) return x->value < y->value ? -1 : 1;
    return (x->point > y->point) - (x->point < y->point);
}

static size_t widest_column(const rips_points *p) {
    size_t widest = 0;
    double spread = -1;
    for (size_t c = 0; c < p->width; c++) {
        double low = INFINITY, high = -INFINITY;
        for (size_t i = 0; i < p->n; i++) {
            low = fmin(low, rips_points_value(p, i, c));
            high = fmax(high, rips_points_value(p, i, c));
        }
        if (high - low > spread) spread = high - low, widest = c;
    }
    return widest;
}

static glshape_status order_points(error *err, sweep *w) {
    OWNED keyed *keys = NULL;
    size_t n = w->points.n;
    w->sorted = w->points.width && !dist_metric_is_angular(w->points.metric) && !w->points.sphere;
    if (w->sorted) w->column = widest_column(&w->points);
    TRY(allocate(err, &w->order, n, sizeof *w->order, "the order of the points"));
    TRY(allocate(err, &keys, n, sizeof *keys, "the order of the points"));
    for (uint32_t i = 0; i < n; i++) keys[i] = (keyed){w->sorted ? coordinate(w, i) : 0, i};
    if (n) qsort(keys, n, sizeof *keys, by_key);
    for (size_t k = 0; k < n; k++) w->order[k] = keys[k].point;
    return GLSHAPE_OK;
}

glshape_status rips_graph_allocate(error *err, rips_space *s, const size_t *degree) {
    rips_graph *g = &s->graph;
    TRY(allocate(err, &g->start, (size_t)s->n + 1, sizeof *g->start, "neighbors"));
    for (size_t v = 0; v < s->n; v++) g->start[v + 1] = g->start[v] + degree[v];
    TRY(allocate(err, &g->point, g->start[s->n], sizeof *g->point, "neighbors"));
    return allocate(err, &g->distance, g->start[s->n], sizeof *g->distance, "neighbors");
}

static size_t block_begin(const block *b, size_t r) { return r ? b->ends[r - 1] : 0; }

static glshape_status fill_graph(error *err, sweep *w, rips_space *s) {
    OWNED size_t *degree = NULL;
    TRY(allocate(err, &degree, s->n, sizeof *degree, "neighbors"));
    for (size_t k = 0; k < s->n; k++) {
        const block *b = &w->blocks[k / ROWS];
        degree[w->order[k]] = b->ends[k % ROWS] - block_begin(b, k % ROWS);
    }
    TRY(rips_graph_allocate(err, s, degree));
    for (size_t k = 0; k < s->n; k++) {
        const block *b = &w->blocks[k / ROWS];
        size_t to = s->graph.start[w->order[k]];
        for (size_t at = block_begin(b, k % ROWS); at < b->ends[k % ROWS]; at++, to++) {
            s->graph.point[to] = b->items[at].point;
            s->graph.distance[to] = b->items[at].distance;
        }
    }
    return GLSHAPE_OK;
}

static void sweep_free(sweep *w) {
    for (size_t b = 0; w->blocks && b < w->block_count; b++) free(w->blocks[b].items);
    free(w->blocks);
    free(w->order);
    rips_points_free(&w->points);
}

static glshape_status graph_of_points(gpu *g, const glshape_source *source, int threads, rips_space *s) {
    OWNED_BY(sweep_free) sweep w = {.threshold = s->threshold, .block_count = (s->n + ROWS - 1) / ROWS};
    error *err = run_error(run_of(g));
    TRY(rips_points_new(err, source, &w.points));
    if (rips_near_pays(&w.points, s)) return rips_graph_near(g, &w.points, threads, s);
    TRY(order_points(err, &w));
    TRY(allocate(err, &w.blocks, w.block_count, sizeof *w.blocks, "neighbors"));
    threads_run(threads, w.block_count, sweep_block, &w);
    if (atomic_load(&w.failed))
        return fail(err, GLSHAPE_NO_MEMORY,
                    "not enough memory for all pairs of points within %g; lower the threshold",
                    (double)w.threshold);
    return fill_graph(err, &w, s);
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

#define SHORTER 8 /* lists that are shorter than rows by this factor are faster */

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
    s->lists_are_short = places < (size_t)s->n * s->n / SHORTER;
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
