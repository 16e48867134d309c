/* Ordinal scaling (Kruskal 1964): the layout, and numbers d̂ that ascend with the dissimilarities, of least
 * stress-1 √(Σw(d - d̂)² / Σwd²). For a layout d̂ is known (isotonic.h), so stress-1 is a function of the
 * layout alone, and smooth: at the best d̂ its gradient has no part of d̂'s. It goes downhill from the layout
 * of classical scaling and from random ones; the best end counts. */
#include "mds/ordinal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/owned.h"
#include "base/random.h"
#include "base/threads.h"
#include "dist/narrow.h"
#include "mds/classical.h"
#include "mds/descent.h"
#include "mds/eigen.h"
#include "mds/isotonic.h"
#include "mds/ranked.h"
#include "mds/rows.h"
#include "mds/signs.h"
#include "mds/start.h"
#include "mds/state.h"
#include "place/place.h"

#define MOST_ATTEMPTS 24u
#define LEAST_ATTEMPTS 1u
#define TRIED_POINTS 4000u /* attempts × points */
#define MOST_STEPS 1000
#define PROGRESS 1e-6      /* of the squared stress, in ten steps */
#define FIRST_STEP 0.05    /* of the layout's size */
#define PARTS 32u          /* of the rows; their sums are added in order */
#define CLASSICAL_DIM 100u /* at most */
#define NO_STRESS 1e-8

typedef struct ordinal {
    gpu *g;
    uint32_t n, dim;
    float *weight;             /* by pairs, or NULL */
    double *distance, *fitted; /* by places of `order` */
    mds_isotonic order;
    run_why why;
    bool by_passes;
    mds_ranked ranked; /* by passes, in place of all from weight to order, and of parts */
    double given;      /* Σwδ² */
    double square;     /* Σwd² of the last layout */
    double *parts; /* PARTS × (2 × n × dim + 2): gradients of Σw(d - d̂)² and of Σwd², and both sums */
    const double *x;
    uint64_t missing;
} ordinal;

static void ordinal_free(ordinal *s) {
    free(s->weight);
    free(s->distance);
    free(s->fitted);
    free(s->parts);
    mds_isotonic_free(&s->order);
    mds_ranked_free(&s->ranked);
}

/* ---- dissimilarities --------------------------------------------------------------------------- */

static glshape_status read_pairs(ordinal *s, const dist_reader *reader, float *out) {
    OWNED float *row = NULL;
    TRY(allocate(run_error(run_of(s->g)), &row, s->n, sizeof *row, "a row of distances"));
    for (uint32_t i = 0; i + 1 < s->n; i++) {
        TRY(dist_read_raw(run_error(run_of(s->g)), reader, i, 1, row));
        memcpy(out + mds_pair_number(s->n, i, i + 1), row + i + 1, (s->n - i - 1) * sizeof *row);
    }
    return GLSHAPE_OK;
}

static glshape_status read_weights(ordinal *s, const glshape_source *source, size_t pairs) {
    dist_reader reader = {.read = source->weights, .user = source->weights_user, .n = s->n, .unit = 1};
    if (!source->weights) return GLSHAPE_OK;
    TRY(dist_weights_check(run_of(s->g), &reader));
    TRY(allocate(run_error(run_of(s->g)), &s->weight, pairs, sizeof *s->weight, "the weights"));
    TRY(read_pairs(s, &reader, s->weight));
    for (size_t p = 0; p < pairs; p++) s->weight[p] = (float)((double)s->weight[p] / reader.unit);
    return GLSHAPE_OK;
}

/* Passes do not know secondary ties. */
static glshape_status choose_place(ordinal *s, bool secondary) {
    uint64_t bytes = mds_ranked_bytes(s->n, s->weight != NULL);
    bool can = !secondary && s->dim <= MDS_RANKED_DIMS;
    TRY(place_choose(s->g, PLACE_RANKS, (double)s->n * (s->n - 1) / 2, can, bytes, &s->why));
    if (run_why_device(s->why) && !mds_ranked_fits(s->g, s->n)) s->why = RUN_NOT_LIMITS;
    s->by_passes = run_why_device(s->why);
    return GLSHAPE_OK;
}

static glshape_status prepare(ordinal *s, const mds_rows *rows, bool secondary) {
    OWNED float *given = NULL;
    error *err = run_error(run_of(s->g));
    size_t pairs = (size_t)s->n * (s->n - 1) / 2;
    TRY(allocate(err, &given, pairs, sizeof *given, "the dissimilarities"));
    TRY(read_pairs(s, &rows->reader, given));
    TRY(read_weights(s, &rows->source, pairs));
    for (size_t p = 0; p < pairs; p++) {
        double w = s->weight ? (double)s->weight[p] : 1;
        s->missing += isnan(given[p]);
        if (!isnan(given[p])) s->given += w * (double)given[p] * (double)given[p];
    }
    TRY(choose_place(s, secondary));
    if (s->by_passes) return mds_ranked_new(s->g, s->n, s->dim, given, s->weight, &s->ranked);
    TRY(mds_isotonic_new(err, s->n, given, s->weight, secondary, &s->order));
    TRY(allocate(err, &s->distance, s->order.count, sizeof *s->distance, "distances"));
    TRY(allocate(err, &s->fitted, s->order.count, sizeof *s->fitted, "distances"));
    return allocate(err, &s->parts, PARTS, times(2 * (size_t)s->n * s->dim + 2, sizeof *s->parts),
                    "gradients");
}

/* ---- the stress of a layout -------------------------------------------------------------------- */

static double length_of(const ordinal *s, mds_pair p) {
    double sum = 0;
    for (uint32_t c = 0; c < s->dim; c++) {
        double d = s->x[(size_t)p.i * s->dim + c] - s->x[(size_t)p.j * s->dim + c];
        sum += d * d;
    }
    return sqrt(sum);
}

static uint32_t part_begin(const ordinal *s, size_t part) {
    return (uint32_t)(s->order.count * (uint64_t)part / PARTS);
}

static void measure_part(void *user, size_t part) {
    const ordinal *s = user;
    for (uint32_t k = part_begin(s, part); k < part_begin(s, part + 1); k++)
        s->distance[k] = length_of(s, s->order.pair[k]);
}

/* Adds a pair's part of both gradients: those of squares of d, and of d - d̂. */
static void add_slope(const ordinal *s, mds_pair p, double off, double square, double *slope) {
    size_t a = (size_t)p.i * s->dim, b = (size_t)p.j * s->dim, size = (size_t)s->n * s->dim;
    for (uint32_t c = 0; c < s->dim; c++, a++, b++) {
        double x = s->x[a] - s->x[b];
        slope[a] += off * x;
        slope[b] -= off * x;
        slope[size + a] += square * x;
        slope[size + b] -= square * x;
    }
}

static void add_part(void *user, size_t part) {
    const ordinal *s = user;
    size_t size = 2 * (size_t)s->n * s->dim;
    double *slope = s->parts + part * (size + 2);
    memset(slope, 0, (size + 2) * sizeof *slope);
    for (uint32_t k = part_begin(s, part); k < part_begin(s, part + 1); k++) {
        double d = s->distance[k], off = d - s->fitted[k], w = mds_pair_weight(&s->order, k);
        slope[size] += w * off * off;
        slope[size + 1] += w * d * d;
        add_slope(s, s->order.pair[k], d > 0 ? w * off / d : 0, w, slope);
    }
}

/* Adds up the parts: the squared stress, and its gradient. */
static void finish(ordinal *s, double *value, double *gradient) {
    size_t size = (size_t)s->n * s->dim;
    double off = 0, square = 0;
    for (size_t part = 0; part < PARTS; part++) {
        off += s->parts[part * (2 * size + 2) + 2 * size];
        square += s->parts[part * (2 * size + 2) + 2 * size + 1];
    }
    *value = square > 0 ? off / square : 0;
    s->square = square;
    for (size_t k = 0; k < size; k++) {
        gradient[k] = 0;
        for (size_t part = 0; part < PARTS; part++) {
            const double *slope = s->parts + part * (2 * size + 2);
            gradient[k] += slope[k] - *value * slope[size + k];
        }
        gradient[k] = square > 0 ? 2 * gradient[k] / square : 0;
    }
}

static glshape_status look(void *user, const double *x, double *value, double *gradient) {
    ordinal *s = user;
    if (s->by_passes) {
        TRY(mds_ranked_look(&s->ranked, x, value, gradient));
        s->square = s->ranked.square;
        return GLSHAPE_OK;
    }
    s->x = x;
    threads_run(0, PARTS, measure_part, s);
    mds_isotonic_fit(&s->order, s->distance, s->fitted);
    threads_run(0, PARTS, add_part, s);
    finish(s, value, gradient);
    return run_tick(run_of(s->g), 0);
}

/* ---- layouts ----------------------------------------------------------------------------------- */

/* The root of the mean squared distance from the mean; x becomes centered. */
static double center(const ordinal *s, double *x) {
    double squares = 0;
    for (uint32_t c = 0; c < s->dim; c++) {
        double mean = 0;
        for (size_t i = 0; i < s->n; i++) mean += x[i * s->dim + c] / s->n;
        for (size_t i = 0; i < s->n; i++) {
            x[i * s->dim + c] -= mean;
            squares += x[i * s->dim + c] * x[i * s->dim + c];
        }
    }
    return sqrt(squares / s->n);
}

static void scatter(const ordinal *s, random_state *random, double *x) {
    for (size_t k = 0; k < (size_t)s->n * s->dim; k++) x[k] = 2 * random_unit(random) - 1;
}

/* The layout of classical scaling, in as many dimensions as that has; *made says whether there is one: no
 * pair is missing. */
static glshape_status start_classical(ordinal *s, const glshape_source *rows, double *x, bool *made) {
    glshape_mds_result r = {0};
    glshape_source source = *rows;
    uint32_t most = s->n - 1 < CLASSICAL_DIM ? s->n - 1 : CLASSICAL_DIM, dim = s->dim < most ? s->dim : most;
    *made = !s->missing;
    if (s->missing) return GLSHAPE_OK;
    source.weights = NULL;
    glshape_mds_options o = {.dim = (int)dim, .method = GLSHAPE_MDS_CLASSICAL};
    glshape_status status = mds_classical(s->g, &source, &o, &r);
    for (size_t i = 0; i < s->n && !status; i++)
        for (uint32_t c = 0; c < s->dim; c++) x[i * s->dim + c] = c < dim ? (double)r.layout[i * dim + c] : 0;
    glshape_mds_free(&r);
    return status;
}

/* x becomes centered, in its principal axes, the longest first. */
static glshape_status rotate(const ordinal *s, double *x) {
    OWNED double *square = NULL;
    size_t dim = s->dim;
    center(s, x);
    TRY(allocate(run_error(run_of(s->g)), &square, 2 * dim * dim + 2 * dim, sizeof *square, "the axes"));
    double *vector = square + dim * dim, *value = vector + dim * dim, *row = value + dim;
    for (size_t i = 0; i < s->n; i++)
        for (size_t a = 0; a < dim; a++)
            for (size_t b = 0; b < dim; b++) square[a * dim + b] += x[i * dim + a] * x[i * dim + b];
    mds_eigen(s->dim, square, value, vector);
    for (size_t i = 0; i < s->n; i++) {
        for (size_t k = 0; k < dim; k++) {
            row[k] = 0;
            for (size_t a = 0; a < dim; a++) row[k] += x[i * dim + a] * vector[a * dim + k];
        }
        memcpy(x + i * dim, row, dim * sizeof *row);
    }
    return GLSHAPE_OK;
}

/* What brings the last layout to the size of the dissimilarities: the mean squares are then the same. */
static double size_of(const ordinal *s) { return s->square > 0 ? sqrt(s->given / s->square) : 0; }

static glshape_status write_layout(ordinal *s, double *x, double *gradient, glshape_mds_result *r) {
    double stress;
    TRY(rotate(s, x));
    TRY(look(s, x, &stress, gradient));
    double size = size_of(s);
    for (uint32_t c = 0; c < s->dim; c++) mds_write_column(r, (int)c, x + c, s->dim, size);
    r->stress = sqrt(stress);
    return GLSHAPE_OK;
}

static glshape_status descend(ordinal *s, double *x, mds_descent *d) {
    double size = center(s, x);
    if (!(size > 0)) size = 1;
    for (size_t k = 0; k < (size_t)s->n * s->dim; k++) x[k] /= size;
    *d = (mds_descent){.most = MOST_STEPS, .first = FIRST_STEP * sqrt(s->n), .progress = PROGRESS};
    return mds_descend(run_error(run_of(s->g)), &(mds_function){look, s, (size_t)s->n * s->dim}, x, d);
}

static int attempts_of(const ordinal *s, const glshape_mds_options *o) {
    uint32_t count = TRIED_POINTS / s->n;
    if (o->attempts) return o->attempts;
    if (o->start) return 1;
    return (int)(count < LEAST_ATTEMPTS ? LEAST_ATTEMPTS : count < MOST_ATTEMPTS ? count : MOST_ATTEMPTS);
}

static glshape_status lay_out_best(ordinal *s, const glshape_source *rows, const glshape_mds_options *o,
                                   glshape_mds_result *r) {
    OWNED double *x = NULL, *best = NULL, *start = NULL;
    random_state random = {o->seed};
    size_t size = (size_t)s->n * s->dim;
    bool classical; /* x is where the first attempt starts */
    double least = INFINITY;
    int count = attempts_of(s, o);
    TRY(allocate(run_error(run_of(s->g)), &x, size, sizeof *x, "the layout"));
    TRY(allocate(run_error(run_of(s->g)), &best, size, sizeof *best, "the layout"));
    TRY(mds_start_new(run_error(run_of(s->g)), o, s->n, s->dim, &start));
    classical = start != NULL;
    if (start) memcpy(x, start, size * sizeof *x);
    else TRY(start_classical(s, rows, x, &classical));
    run_begin_stage(run_of(s->g), "ordinal", s->why);
    for (int k = 0; k < count && least > NO_STRESS * NO_STRESS; k++) {
        mds_descent d;
        if (k || !classical) scatter(s, &random, x);
        TRY(descend(s, x, &d));
        r->iterations += d.steps;
        if (d.value < least) memcpy(best, x, size * sizeof *x);
        least = fmin(least, d.value);
        TRY(run_tick(run_of(s->g), (k + 1.0) / count));
    }
    return write_layout(s, best, x, r);
}

static glshape_status check_options(error *err, const glshape_mds_options *o, size_t n) {
    if (n > MDS_ISOTONIC_POINTS)
        return fail(err, GLSHAPE_BAD_INPUT,
                    "there are %zu points; ordinal scaling sorts all pairs, of at most %u points", n,
                    MDS_ISOTONIC_POINTS);
    return error_check_choice(err, (int)o->ties, GLSHAPE_MDS_TIES_SECONDARY, "way with ties");
}

static glshape_status lay_out(gpu *g, const glshape_source *source, const glshape_mds_options *o,
                              uint32_t dim, glshape_mds_result *r) {
    OWNED_BY(mds_rows_free) mds_rows rows = {.paths = NULL};
    OWNED_BY(ordinal_free) ordinal s = {.g = g, .dim = dim};
    TRY(mds_rows_new(run_of(g), source, &rows));
    s.n = rows.reader.n;
    r->n = s.n;
    r->dim = (int)dim;
    r->pairs = (uint64_t)s.n * (s.n - 1) / 2;
    TRY(allocate(run_error(run_of(g)), &r->layout, times(s.n, dim), sizeof *r->layout, "the layout"));
    glshape_status status = mds_check_joined(run_error(run_of(g)), &rows.source);
    if (!status) status = prepare(&s, &rows, o->ties == GLSHAPE_MDS_TIES_SECONDARY);
    if (!status) status = lay_out_best(&s, &rows.source, o, r);
    r->missing = s.missing;
    return status && rows.checked.refused ? GLSHAPE_BAD_INPUT : status;
}

glshape_status mds_ordinal(gpu *g, const glshape_source *given, const glshape_mds_options *o,
                           glshape_mds_result *r) {
    OWNED_BY(dist_narrowed_free) dist_narrowed narrowed = {0};
    error *err = run_error(run_of(g));
    glshape_source source;
    double since = wall_seconds();
    uint32_t dim;
    size_t n;
    TRY(mds_check_options(err, o, &dim));
    TRY(mds_check_source(err, given, &n));
    TRY(check_options(err, o, n));
    run_begin_stage(run_of(g), "rows", RUN_NOT_BY_PASSES);
    TRY(dist_narrow_source(err, given, &narrowed, &source));
    TRY(lay_out(g, &source, o, dim, r));
    r->seconds.ordinal = clock_lap(&since);
    return run_tick(run_of(g), 1);
}
