#include "exact/predicates.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>

#include "exact/integer.h"

enum { UNCERTAIN = 2 };

void exact_predicates_begin(exact_predicates *p, const double *xy, int shift) {
    *p = (exact_predicates){.xy = xy, .shift = shift};
    for (int i = 0; i < EXACT_NUMBERS; i++) mpz_init(p->number[i]);
}

void exact_predicates_end(exact_predicates *p) {
    for (int i = 0; i < EXACT_NUMBERS; i++) mpz_clear(p->number[i]);
}

/* A point as seen from another: differences of coordinates, rounded. */
typedef struct offset {
    double x, y;
} offset;

static inline offset offset_of(const exact_predicates *p, uint32_t a, uint32_t from) {
    const double *u = p->xy + 2 * (size_t)a, *v = p->xy + 2 * (size_t)from;
    return (offset){u[0] - v[0], u[1] - v[1]};
}

static inline bool below(offset a, double limit) { return fabs(a.x) < limit && fabs(a.y) < limit; }

/* ---- in doubles -------------------------------------------------------------------------------- */

/* Returns false if a product of four differences, or its rounding error, may leave the range of doubles. */
static inline bool is_far(double v) { return v == 0 || fabs(v) > 1e-60; }
static inline bool in_range(offset a) { return below(a, 1e60) && is_far(a.x) && is_far(a.y); }

/* Returns the sign of det, or UNCERTAIN if its rounding error may be larger than it. No integer was
 * rounded if magnitude is small. */
static inline int sign_of(const exact_predicates *p, double det, double magnitude, double relative_error) {
    if (fabs(det) <= magnitude * relative_error && (p->shift || magnitude >= 0x1p52)) return UNCERTAIN;
    return (det > 0) - (det < 0);
}

static inline int orient2d_in_doubles(const exact_predicates *p, offset a, offset b) {
    double left = a.x * b.y, right = a.y * b.x;
    if (!in_range(a) || !in_range(b)) return UNCERTAIN;
    return sign_of(p, left - right, fabs(left) + fabs(right), 0x1p-50);
}

static inline int in_circle_in_doubles(const exact_predicates *p, const offset o[3]) {
    double det = 0, magnitude = 0;
    if (!in_range(o[0]) || !in_range(o[1]) || !in_range(o[2])) return UNCERTAIN;
    for (int i = 0, j = 1, k = 2; i < 3; j = k, k = i++) {
        double lift = o[i].x * o[i].x + o[i].y * o[i].y, left = o[j].x * o[k].y, right = o[j].y * o[k].x;
        det += lift * (left - right);
        magnitude += lift * (fabs(left) + fabs(right));
    }
    return sign_of(p, det, magnitude, 0x1p-48);
}

/* The same in long doubles, whose error is the same multiple of what one operation rounds. Their range, where
 * it is wide enough, holds the product of any four differences of doubles. It decides nearly all that doubles
 * do not, but for ties. */
static int in_circle_in_long_doubles(const exact_predicates *p, const uint32_t abc[3], uint32_t d) {
#if LDBL_MAX_EXP >= 16384
    const double *from = p->xy + 2 * (size_t)d;
    long double x[3], y[3], det = 0, magnitude = 0;
    for (int i = 0; i < 3; i++) {
        const double *u = p->xy + 2 * (size_t)abc[i];
        x[i] = (long double)u[0] - from[0];
        y[i] = (long double)u[1] - from[1];
    }
    for (int i = 0, j = 1, k = 2; i < 3; j = k, k = i++) {
        long double lift = x[i] * x[i] + y[i] * y[i], left = x[j] * y[k], right = y[j] * x[k];
        det += lift * (left - right);
        magnitude += lift * (fabsl(left) + fabsl(right));
    }
    if (fabsl(det) > magnitude * 16 * LDBL_EPSILON) return det > 0 ? 1 : -1;
#else
    (void)p, (void)abc, (void)d;
#endif
    return UNCERTAIN;
}

/* ---- in integers of the processor, where doubles are uncertain ---------------------------------- */

__extension__ typedef __int128 int128;
__extension__ typedef unsigned __int128 uint128;

#define SMALL 0x1p61 /* coordinates below this have differences below 2^62 */

/* A point as seen from another, exactly. */
typedef struct step {
    int64_t x, y;
} step;

/* Sets *out to a as seen from `from`. Returns false if the coordinates are not small integers. */
static inline bool step_of(const exact_predicates *p, uint32_t a, uint32_t from, step *out) {
    const double *u = p->xy + 2 * (size_t)a, *v = p->xy + 2 * (size_t)from;
    if (p->shift || !(fabs(u[0]) < SMALL && fabs(u[1]) < SMALL && fabs(v[0]) < SMALL && fabs(v[1]) < SMALL))
        return false;
    *out = (step){(int64_t)u[0] - (int64_t)v[0], (int64_t)u[1] - (int64_t)v[1]};
    return true;
}

static inline int128 cross_of(step a, step b) { return (int128)a.x * b.y - (int128)a.y * b.x; }

/* high · 2^128 + low */
typedef struct int256 {
    int128 high;
    uint128 low;
} int256;

/* Returns sum + a · b, for a ≥ 0. a and b are below 2^126. */
static int256 add_product(int256 sum, int128 a, int128 b) {
    uint128 u = (uint128)a, v = b < 0 ? -(uint128)b : (uint128)b;
    uint64_t u0 = (uint64_t)u, u1 = (uint64_t)(u >> 64), v0 = (uint64_t)v, v1 = (uint64_t)(v >> 64);
    uint128 low = (uint128)u0 * v0, across = (uint128)u0 * v1;
    uint128 middle = (uint128)u1 * v0 + (low >> 64) + (uint64_t)across;
    int256 product = {(int128)((uint128)u1 * v1 + (middle >> 64) + (across >> 64)),
                      middle << 64 | (uint64_t)low};
    if (b < 0) product = (int256){-product.high - (product.low > 0), -product.low};
    uint128 total = sum.low + product.low;
    return (int256){sum.high + product.high + (total < sum.low), total};
}

static int in_circle_of_steps(const step o[3]) {
    int256 det = {0, 0};
    for (int i = 0, j = 1, k = 2; i < 3; j = k, k = i++)
        det = add_product(det, (int128)o[i].x * o[i].x + (int128)o[i].y * o[i].y, cross_of(o[j], o[k]));
    return det.high < 0 ? -1 : det.high > 0 || det.low > 0;
}

/* ---- in big integers --------------------------------------------------------------------------- */

/* z = (a - b) · 2^shift. t is a working number. */
static void set_difference(const exact_predicates *p, mpz_t z, mpz_t t, double a, double b) {
    exact_integer(z, a, p->shift);
    exact_integer(t, b, p->shift);
    mpz_sub(z, z, t);
}

/* x, y = the offset of a from `from`, exactly. */
static void set_offset(exact_predicates *p, mpz_t x, mpz_t y, uint32_t a, uint32_t from) {
    const double *u = p->xy + 2 * (size_t)a, *v = p->xy + 2 * (size_t)from;
    set_difference(p, x, p->number[EXACT_NUMBERS - 1], u[0], v[0]);
    set_difference(p, y, p->number[EXACT_NUMBERS - 1], u[1], v[1]);
}

int exact_orient2d_slowly(exact_predicates *p, uint32_t a, uint32_t b, uint32_t c) {
    offset u = offset_of(p, a, c), v = offset_of(p, b, c);
    int sign = orient2d_in_doubles(p, u, v);
    if (sign != UNCERTAIN) return sign;
    if (a == b || b == c || c == a) return 0;
    step ac, bc;
    if (step_of(p, a, c, &ac) && step_of(p, b, c, &bc)) {
        int128 cross = cross_of(ac, bc);
        return (cross > 0) - (cross < 0);
    }
    mpz_t *t = p->number;
    p->in_integers++;
    set_offset(p, t[0], t[1], a, c);
    set_offset(p, t[2], t[3], b, c);
    mpz_mul(t[0], t[0], t[3]);
    mpz_submul(t[0], t[1], t[2]);
    return mpz_sgn(t[0]);
}

/* Returns true if a, b and c, d are opposite sides of an upright rectangle. */
static bool are_sides(const double *xy, size_t a, size_t b, size_t c, size_t d) {
    const double *x = xy, *y = xy + 1;
    if (x[2 * a] != x[2 * b] || x[2 * c] != x[2 * d]) return false;
    return y[2 * a] == y[2 * c] ? y[2 * b] == y[2 * d] : y[2 * a] == y[2 * d] && y[2 * b] == y[2 * c];
}

/* The corners of any grid of rows and columns are such, whatever their distances. */
static bool are_rectangle(const double *xy, uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
    return are_sides(xy, a, b, c, d) || are_sides(xy, b, c, d, a) || are_sides(xy, a, c, b, d);
}

int exact_in_circle_slowly(exact_predicates *p, uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
    const uint32_t abc[3] = {a, b, c};
    const offset o[3] = {offset_of(p, a, d), offset_of(p, b, d), offset_of(p, c, d)};
    int sign = in_circle_in_doubles(p, o);
    if (sign != UNCERTAIN) return sign;
    step small[3];
    if (step_of(p, a, d, &small[0]) && step_of(p, b, d, &small[1]) && step_of(p, c, d, &small[2]))
        return in_circle_of_steps(small);
    if (are_rectangle(p->xy, a, b, c, d)) return 0;
    sign = in_circle_in_long_doubles(p, abc, d);
    if (sign != UNCERTAIN) return sign;
    mpz_t *x = p->number, *y = x + 3, *lift = x + 6, *cross = x + 9, *det = x + 10;
    p->in_integers++;
    for (int i = 0; i < 3; i++) {
        set_offset(p, x[i], y[i], abc[i], d);
        mpz_mul(lift[i], x[i], x[i]);
        mpz_addmul(lift[i], y[i], y[i]);
    }
    mpz_set_ui(*det, 0);
    for (int i = 0, j = 1, k = 2; i < 3; j = k, k = i++) {
        mpz_mul(*cross, x[j], y[k]);
        mpz_submul(*cross, y[j], x[k]);
        mpz_addmul(*det, *cross, lift[i]);
    }
    return mpz_sgn(*det);
}
