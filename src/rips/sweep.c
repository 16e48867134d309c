/* Each point is compared with those before it. These are in the order of their numbers or, if that leaves out
 * many pairs, in that of the coordinate in which they spread most, because points are as far apart as their
 * coordinates at least.
 *
 * Euclidean pairs are compared in single precision first, a tile of points at a time: distances are made of
 * those alone that may be within the threshold. */
#include "rips/graph.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/owned.h"
#include "base/random.h"
#include "base/threads.h"
#include "dist/source.h"

#define SAMPLE 64u /* points whose neighbors are counted to forecast all */

/* Sums of squares are neither lost nor too large in single precision between these. */
#define LEAST_SUM 0x1p-60
#define MOST_SUM 0x1p100
#define MOST_VALUE 0x1p48

typedef struct neighbor {
    uint32_t place; /* in the order */
    float distance;
} neighbor;

/* The neighbors before them of the points of one tile. */
typedef struct block {
    neighbor *items; /* of one point after the other, ascending */
    size_t count, room;
    size_t ends[RIPS_LANES];
} block;

typedef struct sweep {
    const rips_points *points;
    rips_space *s;
    uint32_t *order; /* of points */
    double *along;   /* the coordinate, by place; NULL: the order is that of numbers */
    float *rows;     /* points by place, about their middle; NULL: all pairs are compared as they are … */
    float *tiles;    /* … and the same as tiles of columns */
    float error;     /* how far a distance of these may be from that of the points */
    float limit;     /* sums of squares of pairs within the threshold are not greater */
    float *most;     /* the greatest sum of each place … */
    float *greatest; /* … and the greatest distance, where that sum may be of the greatest of all */
    block *blocks;
    size_t block_count;
    size_t *degree; /* by place */
    size_t ranges;
    size_t most_pairs; /* more are not wanted; 0: all are */
    atomic_size_t pairs;
    atomic_bool stopped, failed;
} sweep;

static void sweep_free(sweep *w) {
    for (size_t b = 0; w->blocks && b < w->block_count; b++) free(w->blocks[b].items);
    free(w->blocks);
    free(w->order);
    free(w->along);
    free(w->rows);
    free(w->tiles);
    free(w->most);
    free(w->greatest);
    free(w->degree);
}

/* ---- the order ----------------------------------------------------------------------------------- */

typedef struct keyed {
    double value;
    uint32_t point;
} keyed;

static int by_key(const void *a, const void *b) {
    const keyed *x = a, *y = b;
    if (x->value != y->value) return x->value < y->value ? -1 : 1;
    return (x->point > y->point) - (x->point < y->point);
}

/* The first place whose coordinate is not too far below that of place k: rounding may make a distance a
 * little less than the exact difference of coordinates, and 0 of one that is less than single precision has.
 */
static size_t first_place(const sweep *w, size_t k) {
    size_t low = 0, high = k;
    if (!w->along) return 0;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (w->along[k] - w->along[middle] > 1.000001 * w->s->threshold + 0x1p-149) low = middle + 1;
        else high = middle;
    }
    return low;
}

typedef struct spread {
    double low, high;
} spread;

static spread spread_of(const rips_points *p, size_t c) {
    spread all = {INFINITY, -INFINITY};
    for (size_t i = 0; i < p->n; i++) {
        all.low = fmin(all.low, rips_points_value(p, i, c));
        all.high = fmax(all.high, rips_points_value(p, i, c));
    }
    return all;
}

static size_t widest_column(const rips_points *p) {
    size_t widest = 0;
    double most = -1;
    for (size_t c = 0; c < p->width; c++) {
        spread all = spread_of(p, c);
        if (all.high - all.low > most) most = all.high - all.low, widest = c;
    }
    return widest;
}

static glshape_status order_by_number(error *err, sweep *w) {
    TRY(allocate(err, &w->order, w->points->n, sizeof *w->order, "the order of the points"));
    for (uint32_t i = 0; i < w->points->n; i++) w->order[i] = i;
    return GLSHAPE_OK;
}

/* By the widest coordinate, where that is a bound of distances and leaves out more than half of the pairs. */
static glshape_status order_points(error *err, sweep *w) {
    const rips_points *p = w->points;
    OWNED keyed *keys = NULL;
    size_t n = p->n, column, near = 0;
    TRY(order_by_number(err, w));
    if (!n || !p->width || dist_metric_is_angular(p->metric) || p->sphere) return GLSHAPE_OK;
    column = widest_column(p);
    TRY(allocate(err, &keys, n, sizeof *keys, "the order of the points"));
    TRY(allocate(err, &w->along, n, sizeof *w->along, "the order of the points"));
    for (uint32_t i = 0; i < n; i++) keys[i] = (keyed){rips_points_value(p, i, column), i};
    qsort(keys, n, sizeof *keys, by_key);
    for (size_t k = 0; k < n; k++) w->along[k] = keys[k].value;
    for (size_t k = 0; k < n; k++) near += k - first_place(w, k);
    if (near > n * (n - 1) / 4) free(MOVE(w->along));
    for (size_t k = 0; w->along && k < n; k++) w->order[k] = keys[k].point;
    return GLSHAPE_OK;
}

/* ---- in single precision -------------------------------------------------------------------------- */

/* What a distance in single precision is wrong by, as a part of it: a difference, its square and the sum are
 * rounded, and so is the distance that it is compared with. This is twice what that can be. */
static double part_of(const rips_points *p) { return (double)(p->width + 4) * 0x1p-23; }

/* The points less the middle of each column, so that little is lost when they are rounded; `most`: the
 * greatest value. Single precision has all values of points that are no doubles, and these stay. */
static void take_middles(sweep *w, const double *middle, double *most) {
    const rips_points *p = w->points;
    for (size_t k = 0; k < p->n; k++)
        for (size_t c = 0; c < p->width; c++) {
            double value = rips_points_value(p, w->order[k], c) - (p->exact ? middle[c] : 0);
            w->rows[k * p->width + c] = (float)value;
            *most = fmax(*most, fabs(value));
        }
}

/* Makes rows and tiles, where these can leave out pairs. */
static glshape_status make_tiles(error *err, sweep *w, int threads) {
    const rips_points *p = w->points;
    OWNED double *middle = NULL;
    double most = 0;
    if (p->sphere || dist_metric_is_angular(p->metric) || p->norm.power != 2 || !(w->s->threshold > 0))
        return GLSHAPE_OK;
    TRY(allocate(err, &middle, p->width, sizeof *middle, "the middle of the points"));
    TRY(allocate(err, &w->rows, times(p->n, p->width), sizeof *w->rows, "the rows of the points"));
    for (size_t c = 0; p->exact && c < p->width; c++) {
        spread all = spread_of(p, c);
        middle[c] = all.low + (all.high - all.low) / 2;
    }
    take_middles(w, middle, &most);
    /* Each of two values is rounded by 2^-24 of the greatest at most; twice that. */
    double wrong = p->exact ? sqrt((double)p->width) * most * 0x1p-22 : 0;
    double within = (w->s->threshold + wrong) * (1 + part_of(p)), sum = within * within;
    if (!(sum >= LEAST_SUM && sum <= MOST_SUM && most <= MOST_VALUE)) {
        free(MOVE(w->rows));
        return GLSHAPE_OK;
    }
    w->error = (float)wrong;
    w->limit = nextafterf((float)sum, INFINITY);
    TRY(allocate(err, &w->most, p->n, sizeof *w->most, "the greatest distances"));
    TRY(allocate(err, &w->tiles, times(rips_tiled(p->n), p->width), sizeof *w->tiles,
                 "the columns of the points"));
    rips_tile(w->rows, sizeof *w->rows, p->n, p->width, threads, w->tiles);
    return GLSHAPE_OK;
}

/* ---- pairs --------------------------------------------------------------------------------------- */

static float distance_of(const sweep *w, size_t k, size_t at) {
    uint32_t i = w->order[k], j = w->order[at];
    return i > j ? rips_points_distance(w->points, i, j) : rips_points_distance(w->points, j, i);
}

/* Appends place `at` to the neighbors of place k. False: not enough memory. */
static bool keep(const sweep *w, block *b, size_t k, size_t at) {
    float d = distance_of(w, k, at);
    if (!(d <= w->s->threshold)) return true;
    if (memory_reserve(NULL, &b->items, &b->room, b->count + 1, sizeof *b->items, NULL)) return false;
    b->items[b->count++] = (neighbor){(uint32_t)at, d};
    return true;
}

/* Compares place k with some of one tile. */
static bool sweep_tile(const sweep *w, block *b, size_t k, size_t from, size_t end) {
    float sum[RIPS_LANES];
    size_t width = w->points->width;
    bool kept = true;
    rips_lane_sums(w->rows + k * width, w->tiles + from / RIPS_LANES * RIPS_LANES * width, width, sum);
    for (size_t at = from, lane = from % RIPS_LANES; kept && at < end; at++, lane++) {
        if (sum[lane] > w->most[k]) w->most[k] = sum[lane];
        if (sum[lane] <= w->limit) kept = keep(w, b, k, at);
    }
    return kept;
}

/* Compares place k with those before it. */
static bool sweep_one(const sweep *w, block *b, size_t k) {
    bool kept = true;
    for (size_t at = first_place(w, k), end; kept && at < k; at = end) {
        end = w->tiles ? (at / RIPS_LANES + 1) * RIPS_LANES : k;
        end = end < k ? end : k;
        if (w->tiles) kept = sweep_tile(w, b, k, at, end);
        else
            for (; kept && at < end; at++) kept = keep(w, b, k, at);
    }
    return kept;
}

static void sweep_block(void *of, size_t which) {
    sweep *w = of;
    block *b = &w->blocks[which = w->block_count - 1 - which]; /* the long ones first */
    if (atomic_load(&w->stopped)) return;
    for (size_t r = 0, k = which * RIPS_LANES; r < RIPS_LANES && k < w->points->n; r++, k++) {
        if (!sweep_one(w, b, k)) atomic_store(&w->failed, true);
        b->ends[r] = b->count;
    }
    size_t all = atomic_fetch_add(&w->pairs, b->count) + b->count;
    if ((w->most_pairs && all > w->most_pairs) || atomic_load(&w->failed)) atomic_store(&w->stopped, true);
}

/* ---- lists --------------------------------------------------------------------------------------- */

static size_t begin_of(const sweep *w, size_t k) {
    return k % RIPS_LANES ? w->blocks[k / RIPS_LANES].ends[k % RIPS_LANES - 1] : 0;
}

static size_t end_of(const sweep *w, size_t k) { return w->blocks[k / RIPS_LANES].ends[k % RIPS_LANES]; }

/* The places of one range: of pairs, each thread takes those whose smaller place is in a range of its own. */
static size_t range_begin(const sweep *w, size_t range) { return w->points->n * range / w->ranges; }

/* The first neighbor of place k that is at place p or after it. */
static size_t seek(const sweep *w, size_t k, size_t p) {
    const neighbor *items = w->blocks[k / RIPS_LANES].items;
    size_t low = begin_of(w, k), high = end_of(w, k);
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (items[middle].place < p) low = middle + 1;
        else high = middle;
    }
    return low;
}

static void count_range(void *of, size_t range) {
    sweep *w = of;
    size_t first = range_begin(w, range), end = range_begin(w, range + 1);
    for (size_t k = first; k < end; k++) w->degree[k] += end_of(w, k) - begin_of(w, k);
    for (size_t k = first; k < w->points->n; k++) {
        const neighbor *items = w->blocks[k / RIPS_LANES].items;
        for (size_t at = seek(w, k, first); at < end_of(w, k) && items[at].place < end; at++)
            w->degree[items[at].place]++;
    }
}

/* w->degree: where the next neighbor of each place goes. */
static void put(sweep *w, size_t k, size_t neighbor, float distance) {
    size_t to = w->degree[k]++;
    w->s->graph.point[to] = w->order[neighbor];
    w->s->graph.distance[to] = distance;
}

/* By number, neighbors come in their order: first those before a place, then those after it. */
static void fill_range(void *of, size_t range) {
    sweep *w = of;
    size_t first = range_begin(w, range), end = range_begin(w, range + 1);
    for (size_t k = first; k < w->points->n; k++) {
        const neighbor *items = w->blocks[k / RIPS_LANES].items;
        for (size_t at = begin_of(w, k); k < end && at < end_of(w, k); at++)
            put(w, k, items[at].place, items[at].distance);
        for (size_t at = seek(w, k, first); at < end_of(w, k) && items[at].place < end; at++)
            put(w, items[at].place, k, items[at].distance);
    }
}

/* A point and its distance in one number, which is sorted by the point. */
static uint64_t packed(const rips_graph *g, size_t at) {
    uint32_t bits;
    memcpy(&bits, &g->distance[at], sizeof bits);
    return (uint64_t)g->point[at] << 32 | bits;
}

static int by_point(const void *a, const void *b) {
    const uint64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static void sort_list(void *of, size_t v) {
    sweep *w = of;
    rips_graph *g = &w->s->graph;
    size_t first = g->start[v], count = g->start[v + 1] - first;
    OWNED uint64_t *list = malloc((count + 1) * sizeof *list);
    if (!list) {
        atomic_store(&w->failed, true);
        return;
    }
    for (size_t k = 0; k < count; k++) list[k] = packed(g, first + k);
    qsort(list, count, sizeof *list, by_point);
    for (size_t k = 0; k < count; k++) {
        uint32_t bits = (uint32_t)list[k];
        g->point[first + k] = (uint32_t)(list[k] >> 32);
        memcpy(&g->distance[first + k], &bits, sizeof bits);
    }
}

static glshape_status no_memory(error *err, const sweep *w) {
    return fail(err, GLSHAPE_NO_MEMORY,
                "not enough memory for all pairs of points within %g; lower the threshold",
                (double)w->s->threshold);
}

static glshape_status fill_graph(error *err, sweep *w, int threads) {
    OWNED size_t *degree = NULL;
    rips_space *s = w->s;
    w->ranges = (size_t)threads_count(threads);
    TRY(allocate(err, &w->degree, s->n, sizeof *w->degree, "neighbors"));
    TRY(allocate(err, &degree, s->n, sizeof *degree, "neighbors"));
    threads_run(threads, w->ranges, count_range, w);
    for (size_t k = 0; k < s->n; k++) degree[w->order[k]] = w->degree[k];
    TRY(rips_graph_allocate(err, s, degree));
    for (size_t k = 0; k < s->n; k++) w->degree[k] = s->graph.start[w->order[k]];
    threads_run(threads, w->ranges, fill_range, w);
    if (w->along) threads_run(threads, s->n, sort_list, w);
    return atomic_load(&w->failed) ? no_memory(err, w) : GLSHAPE_OK;
}

static glshape_status find_pairs(error *err, sweep *w, int threads) {
    w->block_count = rips_tiled(w->points->n) / RIPS_LANES;
    TRY(allocate(err, &w->blocks, w->block_count, sizeof *w->blocks, "neighbors"));
    threads_run(threads, w->block_count, sweep_block, w);
    return atomic_load(&w->failed) ? no_memory(err, w) : GLSHAPE_OK;
}

glshape_status rips_sweep(error *err, const rips_points *points, int threads, rips_space *s) {
    OWNED_BY(sweep_free) sweep w = {.points = points, .s = s};
    TRY(order_points(err, &w));
    TRY(make_tiles(err, &w, threads));
    TRY(find_pairs(err, &w, threads));
    return fill_graph(err, &w, threads);
}

/* ---- short lists --------------------------------------------------------------------------------- */

/* Whether some points, one by chance of each of equal parts, have neighbors, but so few that the lists of all
 * are probably short. */
static bool looks_short(const sweep *w) {
    size_t n = w->points->n, width = w->points->width, some = n < SAMPLE ? n : SAMPLE, within = 0;
    float sum[RIPS_LANES];
    for (size_t k = 0; k < some; k++) {
        random_state random = {k};
        size_t first = n * k / some, end = n * (k + 1) / some,
               row = first + random_below(&random, (uint32_t)(end - first));
        for (size_t at = 0; at < n; at += RIPS_LANES) {
            size_t count = n - at < RIPS_LANES ? n - at : RIPS_LANES;
            rips_lane_sums(w->rows + row * width, w->tiles + at * width, width, sum);
            for (size_t lane = 0; lane < count; lane++) within += sum[lane] <= w->limit;
        }
    }
    return within > some && within < some * n / RIPS_SHORTER; /* each has itself */
}

/* Finds the greatest distance of place k, where its greatest sum may be that of the greatest of all. */
static void find_greatest(void *of, size_t k) {
    sweep *w = of;
    size_t width = w->points->width;
    float sum[RIPS_LANES];
    for (size_t at = 0; at < k && w->most[k] >= w->limit; at++) {
        if (at % RIPS_LANES == 0) rips_lane_sums(w->rows + k * width, w->tiles + at * width, width, sum);
        if (sum[at % RIPS_LANES] >= w->limit) w->greatest[k] = fmaxf(w->greatest[k], distance_of(w, k, at));
    }
}

/* Sums that are less than the greatest by more than both may be wrong are of smaller distances. */
static glshape_status find_the_greatest(error *err, sweep *w, int threads, float *greatest) {
    double sum = 0, root, part = part_of(w->points);
    size_t n = w->points->n;
    for (size_t k = 0; k < n; k++) sum = w->most[k] > sum ? w->most[k] : sum;
    root = sqrt(sum) * (1 - 2 * part) - 2 * (double)w->error;
    w->limit = root > 0 ? (float)(root * root * (1 - part)) : 0;
    TRY(allocate(err, &w->greatest, n, sizeof *w->greatest, "the greatest distances"));
    threads_run(threads, n, find_greatest, w);
    for (size_t k = 0; k < n; k++) *greatest = fmaxf(*greatest, w->greatest[k]);
    return GLSHAPE_OK;
}

glshape_status rips_sweep_short(error *err, const rips_points *points, int threads, rips_space *s,
                                float *greatest, bool *done) {
    OWNED_BY(sweep_free) sweep w = {.points = points, .s = s};
    size_t n = points->n;
    *done = false;
    *greatest = 0;
    TRY(order_by_number(err, &w));
    TRY(make_tiles(err, &w, threads));
    if (!w.tiles || !looks_short(&w)) return GLSHAPE_OK;
    w.most_pairs = n * n / RIPS_SHORTER / 2;
    TRY(find_pairs(err, &w, threads));
    size_t pairs = atomic_load(&w.pairs);
    if (atomic_load(&w.stopped) || !pairs || 2 * pairs >= n * n / RIPS_SHORTER) return GLSHAPE_OK;
    TRY(fill_graph(err, &w, threads));
    TRY(find_the_greatest(err, &w, threads, greatest));
    *done = true;
    return GLSHAPE_OK;
}
