#include "alpha/keys.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "alpha/mantissa.h"

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

/* |b - a| of integers whose difference is below 2^126; small: they are. */
static inline uint128 difference(double a, double b, bool small) {
    if (small) return (uint64_t)llabs((int64_t)b - (int64_t)a);
    double high = b > a ? b : a, low = b > a ? a : b;
    double rounded = high - low, part = rounded - high; /* TwoSum: rest is what rounding took away */
    double rest = (high - (rounded - part)) - (low + part);
    return (uint128)rounded + (rest < 0 ? -(uint128)-rest : (uint128)rest);
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

/* The first 64 bits of a, which is positive. */
static inline number number_of(wide a) {
    uint64_t limb[5] = {0, (uint64_t)a.low, (uint64_t)(a.low >> 64), (uint64_t)a.high,
                        (uint64_t)(a.high >> 64)};
    int top = 4;
    while (!limb[top]) top--;
    int left = __builtin_clzll(limb[top]);
    uint64_t rest = left ? limb[top - 1] >> (64 - left) : 0;
    return (number){limb[top] << left | rest, 64 * top - 1 - left};
}

/* ---- keys -------------------------------------------------------------------------------------- */

static inline uint64_t key_of(number x) { return (uint64_t)x.e << 54 | x.m << 1 >> 10; }

static inline uint64_t edge_key(const double *a, const double *b, bool small) {
    side s;
    set_side(&s, a, b, small);
    return key_of(number_of(squared_length(&s)));
}

static inline uint64_t triangle_key(const double *const p[3], unsigned *obtuse, bool small) {
    side s[3];
    number x = {UINT64_C(1) << 63, 0};
    for (int k = 0; k < 3; k++) {
        set_side(&s[k], p[k], p[(k + 1) % 3], small);
        x = product(x, number_of(squared_length(&s[k])));
    }
    number area = number_of(area_of(&s[0], &s[1]));
    *obtuse = 0;
    for (int k = 0; k < 3; k++) /* between sides k and k + 1 lies corner k + 1 */
        *obtuse |= (unsigned)is_dot_positive(&s[k], &s[(k + 1) % 3]) << (k + 1) % 3;
    return key_of(quotient(x, product(area, area)));
}

uint64_t alpha_edge_key(const alpha_faces *faces, uint32_t edge) {
    const uint32_t *v = faces->ends + 2 * (size_t)edge;
    const double *a = faces->points->xy + 2 * (size_t)v[0], *b = faces->points->xy + 2 * (size_t)v[1];
    return is_small(a) && is_small(b) ? edge_key(a, b, true) : edge_key(a, b, false);
}

uint64_t alpha_triangle_key(const alpha_faces *faces, uint32_t triangle, unsigned *obtuse) {
    const uint32_t *v = faces->vertex + 3 * (size_t)triangle;
    const double *xy = faces->points->xy;
    const double *const p[3] = {xy + 2 * (size_t)v[0], xy + 2 * (size_t)v[1], xy + 2 * (size_t)v[2]};
    return is_small(p[0]) && is_small(p[1]) && is_small(p[2]) ? triangle_key(p, obtuse, true)
                                                              : triangle_key(p, obtuse, false);
}

/* ---- small integers ---------------------------------------------------------------------------- */

/* 4ρ²: of a triangle numbers below 2^123 and 2^82. */
typedef struct fraction {
    uint128 numerator, denominator;
} fraction;

static inline fraction fraction_of(const alpha_faces *faces, uint32_t f) {
    bool edge = f < faces->edges;
    const uint32_t *v = edge ? faces->ends + 2 * (size_t)f : faces->vertex + 3 * (size_t)(f - faces->edges);
    const double *xy = faces->points->xy, *a = xy + 2 * (size_t)v[0], *b = xy + 2 * (size_t)v[1];
    int64_t x = (int64_t)(b[0] - a[0]), y = (int64_t)(b[1] - a[1]);
    fraction r = {(uint64_t)(x * x + y * y), 1};
    if (edge) return r;
    const double *c = xy + 2 * (size_t)v[2];
    int64_t x2 = (int64_t)(c[0] - a[0]), y2 = (int64_t)(c[1] - a[1]), area = x * y2 - y * x2;
    r.numerator *= (uint64_t)(x2 * x2 + y2 * y2);
    r.numerator *= (uint64_t)((x2 - x) * (x2 - x) + (y2 - y) * (y2 - y));
    r.denominator = (uint128)(area < 0 ? -area : area) * (uint64_t)(area < 0 ? -area : area);
    return r;
}

int alpha_compare_small(const alpha_faces *faces, uint32_t f, uint32_t g) {
    fraction a = fraction_of(faces, f), b = fraction_of(faces, g);
    wide left = multiply(a.numerator, b.denominator), right = multiply(b.numerator, a.denominator);
    return is_less(right, left) - is_less(left, right);
}
