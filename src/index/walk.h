/* A walk through the tree on the CPU; glsl/index/walk.glsl is the same on the GPU. For src/index, and for
 * searches of other kinds than it has.
 *
 * The nodes on the way down are the node's own number, shifted; of each, a bit of `trail` says whether its
 * other half is still to be visited. On the GPU there is no stack; here the other halves' bounds are kept, as
 * to compute them takes longer. */
#ifndef GLSHAPE_INDEX_WALK_H
#define GLSHAPE_INDEX_WALK_H

#include <math.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "index/index.h"

/* What a walk looks for: points before (sum, point) in the order. It moves nearer as points are found. */
typedef struct walk_reach {
    double sum;
    uint32_t point;
} walk_reach;

static inline bool walk_before(double sum, uint32_t point, const walk_reach *reach) {
    return sum < reach->sum || (sum == reach->sum && point < reach->point);
}

/* A loop over a constant, small number of columns is written out. */
#if defined(__clang__) || !defined(__GNUC__)
#define WALK_UNROLLED
#else
#define WALK_UNROLLED _Pragma("GCC unroll 4")
#endif

/* The sum of two rows. power: x->norm.power, a constant where it can be. */
static inline double walk_sum(const spatial_index *x, const double *a, const double *b, uint32_t columns,
                              uint32_t power) {
    double sum = 0;
    WALK_UNROLLED
    for (uint32_t c = 0; c < columns; c++) sum = norm_add(&x->norm, power, sum, a[c] - b[c]);
    return sum;
}

/* Less than a bound by more than pow() is wrong by; of very small numbers, whose last bit is a large part of
 * them, 0. */
static inline double walk_doubt(double bound) { return bound < 0x1p-960 ? 0 : bound * (1 - 0x1p-40); }

/* The bound of a box. */
static inline double walk_bound(const spatial_index *x, const double *box, const double *q, uint32_t columns,
                                uint32_t power) {
    double sum = 0;
    WALK_UNROLLED
    for (uint32_t c = 0; c < columns; c++) {
        double below = box[2 * c] - q[c], above = q[c] - box[2 * c + 1], d = below > above ? below : above;
        sum = norm_add(&x->norm, power, sum, d > 0 ? d : 0);
    }
    return power == NORM_BROKEN ? walk_doubt(sum) : sum;
}

/* The bounds of two boxes, and the sums of two rows, one behind the other in memory. Every number is computed
 * as above, so that it is the same; but two at a time, where the processor can and the sum is of no higher
 * powers. */
#ifdef __SSE2__
static inline __m128d walk_add(__m128d sum, __m128d d, uint32_t power) {
    return power == 2   ? _mm_add_pd(sum, _mm_mul_pd(d, d))
           : power == 1 ? _mm_add_pd(sum, d)
                        : _mm_max_pd(sum, d);
}
#endif

static inline void walk_bounds(const spatial_index *x, const double *box, const double *q, uint32_t columns,
                               uint32_t power, double out[2]) {
    const double *other = box + 2 * (size_t)columns;
#ifdef __SSE2__
    if (power <= 2) {
        __m128d sum = _mm_setzero_pd(), zero = sum;
        WALK_UNROLLED
        for (uint32_t c = 0; c < columns; c++) {
            __m128d a = _mm_loadu_pd(box + 2 * c), b = _mm_loadu_pd(other + 2 * c), at = _mm_set1_pd(q[c]);
            __m128d below = _mm_sub_pd(_mm_unpacklo_pd(a, b), at),
                    above = _mm_sub_pd(at, _mm_unpackhi_pd(a, b));
            sum = walk_add(sum, _mm_max_pd(_mm_max_pd(below, above), zero), power);
        }
        _mm_storeu_pd(out, sum);
        return;
    }
#endif
    out[0] = walk_bound(x, box, q, columns, power);
    out[1] = walk_bound(x, other, q, columns, power);
}

static inline void walk_sums(const spatial_index *x, const double *row, const double *q, uint32_t columns,
                             uint32_t power, double out[2]) {
    const double *other = row + columns;
#ifdef __SSE2__
    if (power <= 2) {
        __m128d sum = _mm_setzero_pd(), sign = _mm_set1_pd(-0.0);
        WALK_UNROLLED
        for (uint32_t c = 0; c < columns; c++) {
            __m128d d = _mm_sub_pd(_mm_set1_pd(q[c]), _mm_set_pd(other[c], row[c]));
            sum = walk_add(sum, power == 2 ? d : _mm_andnot_pd(sign, d), power);
        }
        _mm_storeu_pd(out, sum);
        return;
    }
#endif
    out[0] = walk_sum(x, q, row, columns, power);
    out[1] = walk_sum(x, q, other, columns, power);
}

/* Leaves out a whole node, or a single point at a position, whatever its distance. */
typedef bool (*walk_skips)(void *user, uint32_t node);
/* Takes a point that is before *reach, and may move *reach. */
typedef void (*walk_takes)(void *user, double sum, uint32_t position, walk_reach *reach);

/* Goes through the points at positions from … end - 1. */
static inline __attribute__((always_inline)) void walk_leaf(const spatial_index *x, uint32_t from,
                                                            uint32_t end, const double *q, uint32_t columns,
                                                            uint32_t power, walk_reach *reach,
                                                            walk_takes takes, void *user) {
    for (uint32_t i = from; i < end; i += 2) {
        const double *row = x->row + (size_t)i * columns;
        uint32_t count = end - i < 2 ? 1 : 2;
        double sum[2];
        if (count == 2) walk_sums(x, row, q, columns, power, sum);
        else sum[0] = walk_sum(x, q, row, columns, power);
        for (uint32_t k = 0; k < count; k++)
            if (walk_before(sum[k], x->point[i + k], reach)) takes(user, sum[k], i + k, reach);
    }
}

/* Goes through all points before *reach of row q. seen: boxes and points it looked at. To be inlined with
 * constant functions. */
static inline __attribute__((always_inline)) void walk_columns(const spatial_index *x, const double *q,
                                                               uint32_t columns, uint32_t power,
                                                               walk_reach *reach, walk_skips skips,
                                                               walk_takes takes, void *user, uint64_t *seen) {
    uint32_t node = 1, trail = 0, depth = 0;
    size_t box = 2 * (size_t)columns;
    double pending[32]; /* the bound of the other half at each depth */
    if (skips && skips(user, 1)) return;
    for (;;) {
        if (node >= x->leaves) {
            uint32_t from = index_leaf_start(x, node - x->leaves),
                     end = index_leaf_start(x, node - x->leaves + 1);
            walk_leaf(x, from, end, q, columns, power, reach, takes, user);
            *seen += end - from;
        } else {
            uint32_t a = 2 * node;
            double bound[2];
            walk_bounds(x, x->box + a * box, q, columns, power, bound);
            double first = bound[0], second = bound[1];
            bool go_first = walk_before(first, x->least[a], reach) && !(skips && skips(user, a)),
                 go_second = walk_before(second, x->least[a + 1], reach) && !(skips && skips(user, a + 1));
            *seen += 2;
            if (go_first || go_second) {
                bool near_second = go_second && !(go_first && first <= second);
                node = a + near_second;
                trail = trail << 1 | (go_first && go_second);
                pending[++depth] = near_second ? first : second;
                continue;
            }
        }
        /* Up, to the last node whose other half is still to be visited, and may hold something. */
        for (;;) {
            if (!trail) return;
            uint32_t up = (uint32_t)__builtin_ctz(trail);
            node = node >> up ^ 1;
            trail = trail >> up ^ 1;
            depth -= up;
            if (walk_before(pending[depth], x->least[node], reach)) break;
        }
    }
}

/* The same; the compiler makes a copy for few columns, where a loop over them would cost most. */
static inline __attribute__((always_inline)) void walk(const spatial_index *x, const double *q,
                                                       walk_reach *reach, walk_skips skips, walk_takes takes,
                                                       void *user, uint64_t *seen) {
    uint32_t power = x->norm.power;
    if (x->columns == 2 && power == 2) walk_columns(x, q, 2, 2, reach, skips, takes, user, seen);
    else if (x->columns == 3 && power == 2) walk_columns(x, q, 3, 2, reach, skips, takes, user, seen);
    else if (power == 2) walk_columns(x, q, x->columns, 2, reach, skips, takes, user, seen);
    else walk_columns(x, q, x->columns, power, reach, skips, takes, user, seen);
}

#endif
