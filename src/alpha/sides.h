/* Sides of triangles, of points that the device decides on (exact_on_device), by integers of the processor.
 */
#ifndef GLSHAPE_ALPHA_SIDES_H
#define GLSHAPE_ALPHA_SIDES_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

__extension__ typedef unsigned __int128 uint128;

/* The coordinates of a side, by magnitude: integers below 2^EXACT_DEVICE_BITS. */
typedef struct side {
    uint128 x, y;
    bool left, down; /* x, y are negative */
} side;

/* An integer of 256 bits: a sum of two products of coordinates is below 2^253. */
typedef struct wide {
    uint128 low, high;
} wide;

/* ---- integers ---------------------------------------------------------------------------------- */

#define SMALL 0x1p61 /* coordinates below this have differences below 2^62 */

static inline bool is_small(const double *p) { return fabs(p[0]) < SMALL && fabs(p[1]) < SMALL; }

/* An integer of at least 0, below 2^127. */
static inline uint128 whole(double v) {
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    int shift = (int)(bits >> 52 & 2047) - 1075;
    uint64_t m = (bits & ((UINT64_C(1) << 52) - 1)) | UINT64_C(1) << 52;
    return shift >= 0 ? (uint128)m << shift : shift > -53 ? m >> -shift : 0;
}

/* |b - a| of integers whose difference is below 2^126; small: they are. */
static inline uint128 difference(double a, double b, bool small) {
    if (small) return (uint64_t)llabs((int64_t)b - (int64_t)a);
    double high = b > a ? b : a, low = b > a ? a : b;
    double rounded = high - low, part = rounded - high; /* TwoSum: rest is what rounding took away */
    double rest = (high - (rounded - part)) - (low + part);
    return whole(rounded) + (rest < 0 ? -whole(-rest) : whole(rest));
}

static inline void set_side(side *s, const double *a, const double *b, bool small) {
    s->x = difference(a[0], b[0], small);
    s->y = difference(a[1], b[1], small);
    s->left = b[0] < a[0];
    s->down = b[1] < a[1];
}

static inline wide multiply(uint128 a, uint128 b) {
    uint64_t a0 = (uint64_t)a, a1 = (uint64_t)(a >> 64), b0 = (uint64_t)b, b1 = (uint64_t)(b >> 64);
    wide w = {(uint128)a0 * b0, 0};
    if (!(a1 | b1)) return w;
    uint128 one = (uint128)a1 * b0, two = (uint128)a0 * b1, middle = one + two; /* below 2^127 */
    w.low += middle << 64;
    w.high = (uint128)a1 * b1 + (middle >> 64) + (w.low < middle << 64);
    return w;
}

static inline wide add(wide a, wide b) {
    wide w = {a.low + b.low, a.high + b.high};
    w.high += w.low < a.low;
    return w;
}

static inline bool is_less(wide a, wide b) { return a.high != b.high ? a.high < b.high : a.low < b.low; }

/* |a - b| */
static inline wide distance(wide a, wide b) {
    wide more = is_less(a, b) ? b : a, less = is_less(a, b) ? a : b;
    return (wide){more.low - less.low, more.high - less.high - (more.low < less.low)};
}

static inline wide squared_length(const side *s) { return add(multiply(s->x, s->x), multiply(s->y, s->y)); }

/* |a × b|, twice the area of the triangle. */
static inline wide area_of(const side *a, const side *b) {
    wide one = multiply(a->x, b->y), two = multiply(a->y, b->x);
    return (a->left != b->down) == (a->down != b->left) ? distance(one, two) : add(one, two);
}

/* Whether a · b is positive. */
static inline bool is_dot_positive(const side *a, const side *b) {
    wide one = multiply(a->x, b->x), two = multiply(a->y, b->y);
    bool less = a->left != b->left, also = a->down != b->down; /* one, two are to be subtracted */
    if (less == also) return !less && (one.low | one.high | two.low | two.high);
    return less ? is_less(one, two) : is_less(two, one);
}

#endif
