#include "mds/attach.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"

#define NEAREST 8u /* places of so many nearest points are tried, and their mean, beside the others */
#define TRIED (NEAREST + 1 + MDS_OTHERS + 1)
#define DESCENTS 4u /* from the best of these */
#define MOST_STEPS 200
#define LEAST_STEP 1e-6 /* of the root mean square of the distances */
#define SOLVED_DIM 64u  /* dimensions in which a step solves a system of equations */

/* Draws points, and a direction for each. */
static void draw_others(mds_anchors *a) {
    random_state random = {1};
    for (size_t i = 0; i < MDS_OTHERS; i++) {
        double length = 0, *around = a->around + i * a->dim;
        a->other[i] = random_below(&random, (uint32_t)a->n);
        for (size_t c = 0; c < a->dim; c++) {
            around[c] = random_unit(&random) + random_unit(&random) + random_unit(&random) - 1.5;
            length += around[c] * around[c];
        }
        for (size_t c = 0; c < a->dim; c++) around[c] = length > 0 ? around[c] / sqrt(length) : 0;
    }
}

glshape_status mds_anchors_new(error *err, const glshape_mds_result *model, mds_anchors *a) {
    *a = (mds_anchors){.n = model->n, .dim = (size_t)model->dim};
    TRY(allocate(err, &a->x, a->n, a->dim * sizeof *a->x, "the layout"));
    TRY(allocate(err, &a->around, MDS_OTHERS, a->dim * sizeof *a->around, "directions"));
    for (size_t k = 0; k < a->n * a->dim; k++) a->x[k] = (double)model->layout[k];
    draw_others(a);
    return GLSHAPE_OK;
}

void mds_anchors_free(mds_anchors *a) {
    free(a->x);
    free(a->around);
}

/* A point on its way. */
typedef struct attaching {
    const mds_anchors *a;
    const double *distance;
    double least; /* step */
} attaching;

/* Where a point is, and what is known of that place. A step is solved for with the triangle of `square`. */
typedef struct state {
    double *y, *wanted, *slope,
        *square; /* dim, dim, dim, dim × dim: the mean of where others want it, half the
                    gradient, and its derivative without the curvature of distances */
    double stress;
} state;

size_t mds_attach_scratch(const mds_anchors *a) {
    size_t solved = a->dim <= SOLVED_DIM ? a->dim * a->dim : 0;
    return 2 * (3 * a->dim + solved) + TRIED * (a->dim + 1);
}

static double *take(double **scratch, size_t count) { return (*scratch += count) - count; }

static state state_of(const mds_anchors *a, double **scratch) {
    size_t dim = a->dim;
    state s = {.y = take(scratch, dim), .wanted = take(scratch, dim), .slope = take(scratch, dim)};
    s.square = dim <= SOLVED_DIM ? take(scratch, dim * dim) : NULL;
    return s;
}

static void copy_state(const mds_anchors *a, state *to, const state *from) {
    memcpy(to->y, from->y, a->dim * sizeof *to->y);
    memcpy(to->wanted, from->wanted, a->dim * sizeof *to->y);
    memcpy(to->slope, from->slope, a->dim * sizeof *to->y);
    if (to->square) memcpy(to->square, from->square, a->dim * a->dim * sizeof *to->y);
    to->stress = from->stress;
}

static double length_to(const mds_anchors *a, size_t k, const double *y) {
    double sum = 0;
    for (size_t c = 0; c < a->dim; c++) {
        double d = y[c] - a->x[k * a->dim + c];
        sum += d * d;
    }
    return sqrt(sum);
}

/* Adds what point k says of the place. */
static void add_point(const mds_anchors *a, size_t k, double length, double distance, state *s) {
    const double *x = a->x + k * a->dim;
    double toward = length > 0 ? 1 / length : 0;
    for (size_t c = 0; c < a->dim; c++) {
        double unit = (s->y[c] - x[c]) * toward;
        s->wanted[c] += x[c] + distance * unit;
        s->slope[c] += (length - distance) * unit;
        for (size_t e = 0; s->square && e <= c; e++)
            s->square[c * a->dim + e] += unit * (s->y[e] - x[e]) * toward;
    }
    s->stress += (length - distance) * (length - distance);
}

static void look(const attaching *p, state *s) {
    const mds_anchors *a = p->a;
    size_t met = 0;
    memset(s->wanted, 0, a->dim * sizeof *s->wanted);
    memset(s->slope, 0, a->dim * sizeof *s->slope);
    if (s->square) memset(s->square, 0, a->dim * a->dim * sizeof *s->square);
    s->stress = 0;
    for (size_t k = 0; k < p->a->n; k++) {
        if (isnan(p->distance[k])) continue;
        add_point(a, k, length_to(a, k, s->y), p->distance[k], s);
        met++;
    }
    for (size_t c = 0; c < a->dim && met; c++) s->wanted[c] /= (double)met;
}

/* step becomes minus the solution of square · step = slope, by Cholesky's method; false: there is none.
 * square is overwritten. */
static bool solve(size_t dim, double *square, const double *slope, double *step) {
    for (size_t c = 0; c < dim; c++) {
        for (size_t e = 0; e <= c; e++) {
            double sum = square[c * dim + e];
            for (size_t k = 0; k < e; k++) sum -= square[c * dim + k] * square[e * dim + k];
            if (c == e && !(sum > 0)) return false;
            square[c * dim + e] = c == e ? sqrt(sum) : sum / square[e * dim + e];
        }
        step[c] = -slope[c];
        for (size_t k = 0; k < c; k++) step[c] -= square[c * dim + k] * step[k];
        step[c] /= square[c * dim + c];
    }
    for (size_t c = dim; c-- > 0;) {
        for (size_t k = c + 1; k < dim; k++) step[c] -= square[k * dim + c] * step[k];
        step[c] /= square[c * dim + c];
    }
    return true;
}

/* Tries a step of Gauss and Newton from s, to t. Returns true if it leads down. */
static bool solve_step(const attaching *p, state *s, state *t) {
    size_t dim = p->a->dim;
    if (!s->square || !solve(dim, s->square, s->slope, t->y)) return false;
    for (size_t c = 0; c < dim; c++) t->y[c] += s->y[c];
    look(p, t);
    return t->stress < s->stress;
}

/* Goes downhill from s->y; t is room. Where a solved step does not lead down, the mean of where all others
 * want the point does (majorization). */
static void descend(const attaching *p, state *s, state *t) {
    look(p, s);
    for (int step = 0; step < MOST_STEPS; step++) {
        double moved = 0;
        if (!solve_step(p, s, t)) {
            memcpy(t->y, s->wanted, p->a->dim * sizeof *t->y);
            look(p, t);
        }
        if (!(t->stress < s->stress)) return;
        for (size_t c = 0; c < p->a->dim; c++) moved += (t->y[c] - s->y[c]) * (t->y[c] - s->y[c]);
        copy_state(p->a, s, t);
        if (moved <= p->least * p->least) return;
    }
}

/* ---- where to begin ---------------------------------------------------------------------------- */

/* The points of the least distances, the least first; returns how many there are. */
static size_t find_nearest(const attaching *p, size_t *nearest) {
    size_t count = 0;
    for (size_t k = 0; k < p->a->n; k++) {
        size_t at = count;
        if (isnan(p->distance[k]) || (count == NEAREST && p->distance[k] >= p->distance[nearest[count - 1]]))
            continue;
        if (count < NEAREST) count++;
        else at--;
        for (; at > 0 && p->distance[nearest[at - 1]] > p->distance[k]; at--) nearest[at] = nearest[at - 1];
        nearest[at] = k;
    }
    return count;
}

static double stress_at(const attaching *p, const double *y) {
    double stress = 0;
    for (size_t k = 0; k < p->a->n; k++) {
        if (isnan(p->distance[k])) continue;
        double off = length_to(p->a, k, y) - p->distance[k];
        stress += off * off;
    }
    return stress;
}

/* Puts a place into the list, which is in order of stress, unless it is there: place, then stress. Returns
 * how many there then are. */
static size_t put(const attaching *p, double *tried, size_t count, const double *y) {
    size_t size = p->a->dim + 1, at = count;
    double stress = stress_at(p, y);
    for (size_t k = 0; k < count; k++)
        if (!memcmp(tried + k * size, y, p->a->dim * sizeof *y)) return count;
    for (; at > 0 && tried[at * size - 1] > stress; at--)
        memcpy(tried + at * size, tried + (at - 1) * size, size * sizeof *tried);
    memcpy(tried + at * size, y, p->a->dim * sizeof *y);
    tried[at * size + size - 1] = stress;
    return count + 1;
}

/* y becomes a place in the direction drawn from other point i, at its distance. */
static void place_around(const attaching *p, size_t i, double *y) {
    const mds_anchors *a = p->a;
    size_t k = a->other[i];
    for (size_t c = 0; c < a->dim; c++)
        y[c] = a->x[k * a->dim + c] + a->around[i * a->dim + c] * p->distance[k];
}

/* The mean of points' positions, in s->wanted; returns the mean of |x|² - δ². */
static double mean_point(const attaching *p, state *s) {
    const mds_anchors *a = p->a;
    double mean = 0, met = 0;
    memset(s->wanted, 0, a->dim * sizeof *s->wanted);
    for (size_t k = 0; k < p->a->n; k++) met += !isnan(p->distance[k]);
    for (size_t k = 0; k < p->a->n; k++) {
        if (isnan(p->distance[k])) continue;
        mean -= p->distance[k] * p->distance[k] / met;
        for (size_t c = 0; c < a->dim; c++) {
            double x = a->x[k * a->dim + c];
            s->wanted[c] += x / met;
            mean += x * x / met;
        }
    }
    return mean;
}

/* s->y becomes the place whose squared distances are nearest to the wanted ones, up to a number for all: an
 * equation that is linear. It is right where all distances are. False: there is no such place. */
static bool trilaterate(const attaching *p, state *s) {
    const mds_anchors *a = p->a;
    if (!s->square) return false;
    double mean = mean_point(p, s);
    memset(s->slope, 0, a->dim * sizeof *s->slope);
    memset(s->square, 0, a->dim * a->dim * sizeof *s->square);
    for (size_t k = 0; k < p->a->n; k++) {
        const double *x = a->x + k * a->dim;
        double square = -p->distance[k] * p->distance[k] - mean;
        if (isnan(square)) continue;
        for (size_t c = 0; c < a->dim; c++) square += x[c] * x[c];
        for (size_t c = 0; c < a->dim; c++) {
            double off = x[c] - s->wanted[c];
            s->slope[c] -= off * square / 2;
            for (size_t e = 0; e <= c; e++) s->square[c * a->dim + e] += off * (x[e] - s->wanted[e]);
        }
    }
    return solve(a->dim, s->square, s->slope, s->y);
}

/* Fills the list of places; returns how many there are. s: room. */
static size_t try_places(const attaching *p, double *tried, state *s) {
    const mds_anchors *a = p->a;
    double *mean = s->wanted;
    size_t nearest[NEAREST], near = find_nearest(p, nearest), count = 0;
    if (trilaterate(p, s)) count = put(p, tried, count, s->y);
    memset(mean, 0, a->dim * sizeof *mean);
    for (size_t i = 0; i < near; i++) {
        count = put(p, tried, count, a->x + nearest[i] * a->dim);
        for (size_t c = 0; c < a->dim; c++) mean[c] += a->x[nearest[i] * a->dim + c] / (double)near;
    }
    count = put(p, tried, count, mean);
    for (size_t i = 0; i < MDS_OTHERS; i++) {
        if (isnan(p->distance[a->other[i]])) continue;
        place_around(p, i, mean);
        count = put(p, tried, count, mean);
    }
    return count;
}

static double root_mean_square(const attaching *p) {
    double sum = 0, met = 0;
    for (size_t k = 0; k < p->a->n; k++)
        if (!isnan(p->distance[k])) sum += p->distance[k] * p->distance[k], met++;
    return met > 0 ? sqrt(sum / met) : 0;
}

void mds_attach(const mds_anchors *a, const double *distance, double *scratch, double *place) {
    attaching p = {.a = a, .distance = distance};
    state s = state_of(a, &scratch), t = state_of(a, &scratch);
    double *tried = take(&scratch, TRIED * (a->dim + 1)), least = INFINITY;
    p.least = LEAST_STEP * root_mean_square(&p);
    size_t count = try_places(&p, tried, &s);
    for (size_t i = 0; i < DESCENTS && i < count; i++) {
        memcpy(s.y, tried + i * (a->dim + 1), a->dim * sizeof *s.y);
        descend(&p, &s, &t);
        if (!(s.stress < least)) continue;
        least = s.stress;
        memcpy(place, s.y, a->dim * sizeof *place);
    }
}
