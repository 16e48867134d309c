/* Few points, without a device: stress majorization, one point at a time.
 *
 * A point moves to the weighted mean of the places where its partners want it: each at the right distance, in
 * the direction where the point is now. The stress never grows (Gansner, Koren, North, "Graph drawing by
 * stress majorization", 2004, section 2.3). All pairs count, in double. */
#include "mds/few.h"
#include "mds/attempts.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/noise.h"
#include "base/owned.h"
#include "base/random.h"
#include "mds/compare.h"
#include "mds/start.h"
#include "place/place.h"

#define MOST_SWEEPS 1000
#define PAIR_SWEEPS 60
#define LEAST_MOVE 1e-6 /* of the largest distance: when no point moves further, the layout is done */

/* Of rows i and columns j. In the unit of the largest distance. */
typedef struct few_points {
    run *r;
    uint32_t n, dim;
    uint64_t missing; /* values that a reader gave as NaN */
    double unit, radius;
    double *distance, *weight; /* n × n each; weight 0: the pair does not count */
    double *x, *step;          /* n × dim: the layout; dim */
} few_points;

static void few_points_free(few_points *f) {
    free(f->distance);
    free(f->weight);
    free(f->x);
    free(f->step);
}

bool mds_is_few(const gpu *g, const glshape_source *source, const glshape_mds_options *o, uint32_t n) {
    return n <= MDS_FEW_POINTS && place_is_little(g, PLACE_LAYOUT, n) && o->method == GLSHAPE_MDS_GLIMMER &&
           !source->feeder && source->keep == GLSHAPE_KEEP_AUTO;
}

/* ---- the distances ----------------------------------------------------------------------------- */

static glshape_status compare_rows(few_points *f, const glshape_source *source) {
    OWNED_BY(mds_compared_free) mds_compared compared = {0};
    glshape_source unused;
    TRY(mds_compare(run_error(f->r), source, &compared, &unused));
    for (uint32_t i = 0; i < f->n; i++)
        for (uint32_t j = 0; j < f->n; j++)
            TRY(mds_compared_distance(run_error(f->r), &compared, i, j, &f->distance[i * f->n + j]));
    return GLSHAPE_OK;
}

/* Reads a matrix of n × n. */
static glshape_status read_all(few_points *f, glshape_row_reader read, void *user, double *out) {
    float row[MDS_FEW_POINTS];
    for (uint32_t i = 0; i < f->n; i++) {
        TRY(dist_read_raw(run_error(f->r), &(dist_reader){.read = read, .user = user, .n = f->n, .unit = 1},
                          i, 1, row));
        noise_clear(row, f->n, i, 1, NOISE_TOLERANCE);
        for (uint32_t j = 0; j < f->n; j++) out[i * f->n + j] = row[j];
    }
    return GLSHAPE_OK;
}

static void free_paths(dist_paths **p) { dist_paths_free(*p); }

static glshape_status read_graph(few_points *f, const glshape_graph *graph) {
    OWNED_BY(free_paths) dist_paths *paths = NULL;
    TRY(dist_paths_new(run_error(f->r), graph, 0, &paths));
    return read_all(f, dist_paths_read, paths, f->distance);
}

static glshape_status read_distances(few_points *f, const glshape_source *source) {
    if (source->reader) return read_all(f, source->reader, source->user, f->distance);
    return source->graph ? read_graph(f, source->graph) : compare_rows(f, source);
}

static glshape_status read_weights(few_points *f, const glshape_source *source) {
    size_t n = f->n;
    for (size_t k = 0; k < n * n; k++) f->weight[k] = 1;
    if (source->weights) {
        dist_reader r = {.read = source->weights, .user = source->weights_user, .n = f->n, .unit = 1};
        TRY(dist_weights_check(f->r, &r));
        TRY(read_all(f, source->weights, source->weights_user, f->weight));
        for (size_t k = 0; k < n * n; k++) f->weight[k] /= r.unit;
    }
    for (size_t k = 0; k < n; k++) f->weight[k * (n + 1)] = 0;
    for (size_t k = 0; k < n * n; k++)
        if (isnan(f->distance[k])) {
            f->missing++;
            f->distance[k] = f->weight[k] = 0;
        }
    return GLSHAPE_OK;
}

/* Brings the distances to their unit. Refuses what a layout in float32 could not tell from 0. */
static glshape_status scale(few_points *f) {
    double largest = 0, squares = 0;
    size_t count = (size_t)f->n * f->n;
    for (size_t k = 0; k < count; k++) largest = fmax(largest, f->distance[k]);
    if (largest > 0 && largest < FLT_MIN)
        return fail(run_error(f->r), GLSHAPE_BAD_INPUT,
                    "distances are at most %g, less than float32 holds; scale the input up", largest);
    f->unit = largest > 0 ? largest : 1;
    for (size_t k = 0; k < count; k++) {
        f->distance[k] /= f->unit;
        squares += f->distance[k] * f->distance[k];
    }
    f->radius = largest > 0 ? sqrt(squares / (double)count / 2) : 1;
    return GLSHAPE_OK;
}

/* ---- a layout ---------------------------------------------------------------------------------- */

static double length(const few_points *f, uint32_t i, uint32_t j) {
    double sum = 0;
    for (uint32_t c = 0; c < f->dim; c++) {
        double d = f->x[i * f->dim + c] - f->x[j * f->dim + c];
        sum += d * d;
    }
    return sqrt(sum);
}

/* Moves point i. Returns how far. A distance or a weight that differs by direction counts in both. */
static double move(few_points *f, uint32_t i) {
    double weights = 0, moved = 0, *at = f->x + (size_t)i * f->dim;
    memset(f->step, 0, f->dim * sizeof *f->step);
    for (uint32_t j = 0; j < f->n; j++) {
        size_t to = (size_t)i * f->n + j, from = (size_t)j * f->n + i;
        double weight = f->weight[to] + f->weight[from], now = length(f, i, j);
        double wanted = f->weight[to] * f->distance[to] + f->weight[from] * f->distance[from];
        double pull = weight - (now > 0 ? wanted / now : 0);
        weights += weight;
        for (uint32_t c = 0; c < f->dim; c++) f->step[c] += pull * (f->x[j * f->dim + c] - at[c]);
    }
    for (uint32_t c = 0; weights > 0 && c < f->dim; c++) {
        at[c] += f->step[c] / weights;
        moved += f->step[c] / weights * (f->step[c] / weights);
    }
    return sqrt(moved);
}

/* Moves points i and j toward their distance from each other, by a part of what is missing. */
static void move_pair(few_points *f, uint32_t i, uint32_t j, double part) {
    size_t to = (size_t)i * f->n + j, from = (size_t)j * f->n + i;
    double weight = f->weight[to] + f->weight[from], now = length(f, i, j);
    if (!(weight > 0 && now > 0)) return;
    double wanted = (f->weight[to] * f->distance[to] + f->weight[from] * f->distance[from]) / weight;
    double share = fmin(1, weight / 2 * part) * (wanted - now) / now / 2;
    for (uint32_t c = 0; c < f->dim; c++) {
        double step = share * (f->x[i * f->dim + c] - f->x[j * f->dim + c]);
        f->x[i * f->dim + c] += step;
        f->x[j * f->dim + c] -= step;
    }
}

/* Moves all pairs once, in a random order. */
static void move_pairs(few_points *f, random_state *random, double part) {
    uint32_t order[MDS_FEW_POINTS] = {0};
    random_permutation(random, f->n, order);
    for (uint32_t apart = 1; apart < f->n; apart++)
        for (uint32_t k = 0; k + apart < f->n; k++) move_pair(f, order[k], order[k + apart], part);
}

/* Moves each point in turn until none moves far. Returns the number of sweeps, those before counted. */
static int descend(few_points *f, int sweeps) {
    double most = INFINITY;
    for (; sweeps < MOST_SWEEPS && most > LEAST_MOVE; sweeps++) {
        most = 0;
        for (uint32_t i = 0; i < f->n; i++) most = fmax(most, move(f, i));
    }
    return sweeps;
}

/* Lays out from random positions. Returns the number of sweeps over all points. */
static int lay_out(few_points *f, random_state *random) {
    int sweeps = 0;
    for (size_t k = 0; k < (size_t)f->n * f->dim; k++) f->x[k] = f->radius * (2 * random_unit(random) - 1);
    for (; sweeps < PAIR_SWEEPS; sweeps++) move_pairs(f, random, 1 - (double)sweeps / PAIR_SWEEPS);
    return descend(f, sweeps);
}

/* Lays out from a layout in the unit of the source. */
static int lay_out_from(few_points *f, const double *start) {
    for (size_t k = 0; k < (size_t)f->n * f->dim; k++) f->x[k] = start[k] / f->unit;
    return descend(f, 0);
}

/* Sums over all pairs: [0] of w(d - δ)², [1] of wδ². */
static void add_up(const few_points *f, double sums[2]) {
    sums[0] = sums[1] = 0;
    for (uint32_t i = 0; i < f->n; i++)
        for (uint32_t j = 0; j < f->n; j++) {
            size_t k = (size_t)i * f->n + j;
            double off = length(f, i, j) - f->distance[k];
            sums[0] += f->weight[k] * off * off;
            sums[1] += f->weight[k] * f->distance[k] * f->distance[k];
        }
}

/* Writes the layout centered on 0, in the unit of the source. */
static void write_layout(const few_points *f, float *layout) {
    for (uint32_t c = 0; c < f->dim; c++) {
        double mean = 0;
        for (uint32_t i = 0; i < f->n; i++) mean += f->x[i * f->dim + c] / f->n;
        for (uint32_t i = 0; i < f->n; i++)
            layout[i * f->dim + c] = (float)((f->x[i * f->dim + c] - mean) * f->unit);
    }
}

glshape_status mds_lay_out_few(run *run, const glshape_source *source, const glshape_mds_options *o,
                               uint32_t n, uint32_t dim, int attempts, glshape_mds_result *r, double *total) {
    OWNED_BY(few_points_free) few_points f = {.r = run, .n = n, .dim = dim};
    OWNED double *start = NULL;
    error *err = run_error(run);
    random_state random = {o->seed};
    double since = wall_seconds(), sums[2] = {0, 0};
    run_begin_stage(run, "glimmer", RUN_NOT_SMALL);
    TRY(mds_start_new(err, o, n, dim, &start));
    TRY(allocate(err, &f.distance, (size_t)n * n, sizeof *f.distance, "the distances"));
    TRY(allocate(err, &f.weight, (size_t)n * n, sizeof *f.weight, "the weights"));
    TRY(allocate(err, &f.x, (size_t)n * dim, sizeof *f.x, "the layout"));
    TRY(allocate(err, &f.step, dim, sizeof *f.step, "a step"));
    TRY(allocate(err, &r->layout, (size_t)n * dim, sizeof *r->layout, "the layout"));
    TRY(read_distances(&f, source));
    TRY(read_weights(&f, source));
    TRY(scale(&f));
    r->seconds.upload = clock_lap(&since);
    r->stress = INFINITY;
    for (mds_attempts a = mds_attempts_of(attempts, o->attempts); mds_goes_on(&a, MDS_NO_STRESS);) {
        int sweeps = start && !a.made ? lay_out_from(&f, start) : lay_out(&f, &random);
        add_up(&f, sums);
        double stress = sums[1] > 0 ? sums[0] / sums[1] : 0;
        mds_take_stress(&a, stress);
        r->iterations += sweeps;
        if (stress < r->stress) {
            r->stress = stress;
            r->levels[0] = (glshape_mds_level){.points = n, .relaxation = sweeps, .sparse_stress = stress};
            write_layout(&f, r->layout);
        }
        TRY(run_tick(run, (double)a.made / attempts));
    }
    r->seconds.glimmer = clock_lap(&since);
    r->n = n;
    r->dim = (int)dim;
    r->level_count = 1;
    r->pairs = (uint64_t)n * (n - 1) / 2;
    r->missing = f.missing / 2;             /* a pair is missing from both its points */
    *total = sums[1] / 2 * f.unit * f.unit; /* each pair was added twice */
    return GLSHAPE_OK;
}
