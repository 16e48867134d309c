#include "reference/mds.h"

#include <math.h>
#include <stdlib.h>

double ref_low(const ref_spaces *s, uint32_t i, uint32_t j) {
    double sum = 0;
    for (uint32_t c = 0; c < s->dim; c++) {
        double difference = (double)s->place[(size_t)i * s->dim + c] - s->place[(size_t)j * s->dim + c];
        sum += difference * difference;
    }
    return sqrt(sum);
}

double ref_high(const ref_spaces *s, uint32_t i, uint32_t j) {
    return ref_dissimilarity(&s->points, s->metric, i, j);
}

uint32_t ref_partner(const ref_draw *d, uint32_t point, uint32_t k) {
    uint64_t at = (uint64_t)d->perm[point % d->m] + d->offset + k;
    return d->perm[at % d->m];
}

/* ---- stages 1 to 4, and 8 ---------------------------------------------------------------------- */

typedef struct candidate {
    uint32_t index;
    float high;
} candidate;

static int by_index(const void *a, const void *b) {
    const candidate *x = a, *y = b;
    if (x->index != y->index) return x->index < y->index ? -1 : 1;
    return (x->high > y->high) - (x->high < y->high);
}

static int by_distance(const void *a, const void *b) {
    const candidate *x = a, *y = b;
    if (x->high != y->high) return x->high < y->high ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

static candidate drawn(const ref_spaces *s, const ref_draw *d, uint32_t point, uint32_t k) {
    uint32_t index = ref_partner(d, point, k);
    return (candidate){index, (float)ref_high(s, point, index)};
}

/* "We first sort by index, mark duplicates as having infinite high-dimensional distance, and then resort by
 * distHi." A point is no neighbour of itself. */
static void sort_candidates(uint32_t point, candidate all[8]) {
    qsort(all, 8, sizeof *all, by_index);
    bool marked[8];
    for (int k = 0; k < 8; k++) marked[k] = all[k].index == point || (k && all[k].index == all[k - 1].index);
    for (int k = 0; k < 8; k++)
        if (marked[k]) all[k].high = REF_NONE;
    qsort(all, 8, sizeof *all, by_distance);
}

void ref_sample(const ref_spaces *s, const ref_draw *d, uint32_t point, bool fresh, ref_sets *sets) {
    candidate all[8];
    for (uint32_t k = 0; k < 4; k++) {
        all[k] = fresh ? (candidate){point, REF_NONE} : (candidate){sets->index[k], sets->high[k]};
        all[4 + k] = drawn(s, d, point, k);
    }
    sort_candidates(point, all);
    for (int k = 0; k < 8; k++) {
        bool member = all[k].high < REF_NONE;
        sets->index[k] = k >= 4 && !member ? point : all[k].index;
        sets->high[k] = all[k].high;
        sets->strain[k] = member ? (double)all[k].high - ref_low(s, point, all[k].index) : 0;
    }
}

/* Adds one pair to Σ(d-δ)² and Σδ². */
static void add_pair(const ref_spaces *s, uint32_t i, uint32_t j, double sums[2]) {
    double high = ref_high(s, i, j), rest = ref_low(s, i, j) - high;
    sums[0] += rest * rest;
    sums[1] += high * high;
}

void ref_sparse_terms(const ref_spaces *s, uint32_t point, const ref_sets *sets, double sums[2]) {
    for (int k = 0; k < 8; k++)
        if (sets->high[k] < REF_NONE) add_pair(s, point, sets->index[k], sums);
}

/* ---- stages 5 to 7 ----------------------------------------------------------------------------- */

/* The coordinate along which coinciding points part: any that both agree on would do. */
static uint32_t parting_axis(const ref_spaces *s, uint32_t i, uint32_t j) {
    uint32_t hash = (i ^ j) * 2654435761u;
    return (hash >> 16) % s->dim;
}

/* Coordinate c of the unit vector from j to i; where they coincide, the smaller index goes up. */
double ref_direction(const ref_spaces *s, uint32_t i, uint32_t j, uint32_t c) {
    double distance = ref_low(s, i, j);
    if (distance > 0) {
        double difference = (double)s->place[(size_t)i * s->dim + c] - s->place[(size_t)j * s->dim + c];
        return difference / distance;
    }
    if (i == j || c != parting_axis(s, i, j)) return 0;
    return i < j ? 1 : -1;
}

void ref_move(const ref_spaces *s, const float *velocities, double inertia, uint32_t point,
              const ref_sets *sets, double *place, double *velocity) {
    const double time_step = 0.3, damping = 0.3, size_factor = 1.0 / (4 + 4);
    for (uint32_t c = 0; c < s->dim; c++) {
        size_t own = (size_t)point * s->dim + c;
        double here = inertia * velocities[own], force = 0;
        for (int k = 0; k < 8; k++) {
            uint32_t j = sets->index[k];
            if (sets->high[k] >= REF_NONE || j == point) continue;
            double relative = here - inertia * velocities[(size_t)j * s->dim + c];
            force += sets->strain[k] * ref_direction(s, point, j, c) - damping * relative;
        }
        velocity[c] = here + time_step * (size_factor * force);
        place[c] = s->place[own] + time_step * velocity[c];
    }
}

/* ---- beyond the paper's iteration -------------------------------------------------------------- */

void ref_closing_step(const ref_spaces *s, const ref_draw *d, uint32_t point, double step, double *place) {
    for (uint32_t c = 0; c < s->dim; c++) {
        double here = s->place[(size_t)point * s->dim + c], mean = 0;
        for (uint32_t k = 0; k < 8; k++) {
            uint32_t j = ref_partner(d, point, k);
            double there = s->place[(size_t)j * s->dim + c];
            mean += (there + ref_high(s, point, j) * ref_direction(s, point, j, c)) / 8;
        }
        place[c] = (1 - step) * here + step * mean;
    }
}

void ref_settling_step(const ref_spaces *s, const float *before, uint32_t point, double step, double momentum,
                       double *place) {
    for (uint32_t c = 0; c < s->dim; c++) {
        double here = s->place[(size_t)point * s->dim + c], mean = 0;
        for (uint32_t j = 0; j < s->n; j++) {
            mean += s->place[(size_t)j * s->dim + c] / s->n;
            if (j != point) mean += ref_high(s, point, j) * ref_direction(s, point, j, c) / s->n;
        }
        place[c] = (1 - step) * here + step * mean + momentum * (here - before[(size_t)point * s->dim + c]);
    }
}

void ref_estimate(const ref_spaces *s, const ref_draw *d, uint32_t point, double sums[2]) {
    for (uint32_t k = 0; k < 64; k++) add_pair(s, point, ref_partner(d, point, k), sums);
}

void ref_stress_terms(const ref_spaces *s, uint32_t i0, uint32_t i1, uint32_t j0, uint32_t j1,
                      double sums[2]) {
    for (uint32_t i = i0; i < i1 && i < s->n; i++)
        for (uint32_t j = j0 > i ? j0 : i + 1; j < j1 && j < s->n; j++) add_pair(s, i, j, sums);
}

double ref_stress(const ref_spaces *s) {
    double sums[2] = {0, 0};
    ref_stress_terms(s, 0, s->n, 0, s->n, sums);
    return sums[1] > 0 ? sums[0] / sums[1] : 0;
}

double ref_sampled_stress(const ref_spaces *s, random_state *random, size_t pairs, double *standard_error) {
    double x = 0, y = 0, xx = 0, xy = 0, yy = 0;
    for (size_t k = 0; k < pairs; k++) {
        double sums[2] = {0, 0};
        add_pair(s, random_below(random, s->n), random_below(random, s->n), sums);
        x += sums[0];
        y += sums[1];
        xx += sums[0] * sums[0];
        xy += sums[0] * sums[1];
        yy += sums[1] * sums[1];
    }
    double ratio = x / y;
    *standard_error = sqrt(xx - 2 * ratio * xy + ratio * ratio * yy) / y;
    return ratio;
}
