#include "alpha/fraction.h"

#include <string.h>

#include "alpha/sides.h"

_Static_assert(GMP_NUMB_BITS == 64, "GMP's limbs have 64 bits");

/* ---- limbs ------------------------------------------------------------------------------------- */

static int limbs_of(wide a, mp_limb_t out[4]) {
    const mp_limb_t limb[] = {(uint64_t)a.low, (uint64_t)(a.low >> 64), (uint64_t)a.high,
                              (uint64_t)(a.high >> 64)};
    int count = 4;
    memcpy(out, limb, sizeof limb);
    while (count && !limb[count - 1]) count--;
    return count;
}

/* Returns how many limbs the product has. */
static int multiply_limbs(mp_limb_t *out, const mp_limb_t *a, int a_count, const mp_limb_t *b, int b_count) {
    mp_limb_t top =
        a_count < b_count ? mpn_mul(out, b, b_count, a, a_count) : mpn_mul(out, a, a_count, b, b_count);
    return a_count + b_count - !top;
}

/* ---- fractions --------------------------------------------------------------------------------- */

/* The product of the squared lengths of three sides, and of twice the area with itself. */
static void divide_sides(const side s[3], alpha_fraction *out) {
    mp_limb_t length[3][4], two[8], area[4];
    int count[3];
    for (int k = 0; k < 3; k++) count[k] = limbs_of(squared_length(&s[k]), length[k]);
    int both = multiply_limbs(two, length[0], count[0], length[1], count[1]);
    out->numerators = multiply_limbs(out->numerator, two, both, length[2], count[2]);
    int limbs = limbs_of(area_of(&s[0], &s[1]), area);
    out->denominators = multiply_limbs(out->denominator, area, limbs, area, limbs);
}

#define MOST 0x1p126 /* what a side holds */

void alpha_fraction_of(const alpha_faces *faces, uint32_t f, int shift, alpha_fraction *out) {
    int corners;
    const uint32_t *v = alpha_corners(faces, f, &corners);
    bool small = true;
    double p[3][2];
    side s[3];
    out->exponent = -2 * shift;
    out->fits = true;
    for (int k = 0; k < corners; k++) {
        const double *xy = faces->points->xy + 2 * (size_t)v[k];
        for (int i = 0; i < 2; i++) p[k][i] = shift ? ldexp(xy[i], shift) : xy[i];
        small &= is_small(p[k]);
    }
    for (int k = 0; k < 2 * corners - 3; k++) {
        const double *a = p[k], *b = p[(k + 1) % corners];
        out->fits &= fabs(b[0] - a[0]) < MOST && fabs(b[1] - a[1]) < MOST;
        if (out->fits) set_side(&s[k], a, b, small);
    }
    if (!out->fits) return;
    if (corners == 3) {
        divide_sides(s, out);
    } else {
        out->numerators = limbs_of(squared_length(&s[0]), out->numerator);
        out->denominator[0] = 1;
        out->denominators = 1;
    }
}

int alpha_fraction_compare(const alpha_fraction *a, const alpha_fraction *b) {
    mp_limb_t left[ALPHA_NUMERATOR + ALPHA_DENOMINATOR], right[ALPHA_NUMERATOR + ALPHA_DENOMINATOR];
    int lefts = multiply_limbs(left, a->numerator, a->numerators, b->denominator, b->denominators);
    int rights = multiply_limbs(right, b->numerator, b->numerators, a->denominator, a->denominators);
    if (lefts != rights) return lefts < rights ? -1 : 1;
    int order = mpn_cmp(left, right, lefts);
    return (order > 0) - (order < 0);
}

/* ---- keys -------------------------------------------------------------------------------------- */

enum { DIVISOR = 3, DIVIDEND = DIVISOR + 3, QUOTIENT = DIVIDEND - DIVISOR + 1 };

/* The divisor is cut to 3 limbs, and the dividend cut or filled to 3 more. The quotient then has more than
 * 128 bits, and is off by less than 2^-125 of itself. */
alpha_fraction_key alpha_key_of(const mp_limb_t *numerator, int numerators, const mp_limb_t *denominator,
                                int denominators, int exponent) {
    mp_limb_t dividend[DIVIDEND] = {0}, quotient[QUOTIENT], rest[DIVISOR];
    int divisors = denominators < DIVISOR ? denominators : DIVISOR, dividends = divisors + 3;
    int taken = numerators < dividends ? numerators : dividends, count = QUOTIENT;
    memcpy(dividend + dividends - taken, numerator + numerators - taken, (size_t)taken * sizeof *dividend);
    mpn_tdiv_qr(quotient, rest, 0, dividend, dividends, denominator + denominators - divisors, divisors);
    while (!quotient[count - 1]) count--;
    int zeros = __builtin_clzl(quotient[count - 1]);
    int e = exponent + 64 * (count + numerators - dividends - (denominators - divisors)) - 1 - zeros;
    if (zeros) mpn_lshift(quotient, quotient, count, (unsigned)zeros);
    const mp_limb_t *top = quotient + count - 3;
    uint64_t first = top[2] << 1 | top[1] >> 63, second = top[1] << 1 | top[0] >> 63;
    return (alpha_fraction_key){(uint64_t)(e + (1 << 15)) << 48 | first >> 16, first << 48 | second >> 16};
}

/* ---- small integers ---------------------------------------------------------------------------- */

/* 4ρ²: of a triangle numbers below 2^123 and 2^82. */
typedef struct small_fraction {
    uint128 numerator, denominator;
} small_fraction;

static inline small_fraction small_fraction_of(const alpha_faces *faces, uint32_t f) {
    int corners;
    const uint32_t *v = alpha_corners(faces, f, &corners);
    const double *xy = faces->points->xy, *a = xy + 2 * (size_t)v[0], *b = xy + 2 * (size_t)v[1];
    int64_t x = (int64_t)(b[0] - a[0]), y = (int64_t)(b[1] - a[1]);
    small_fraction r = {(uint64_t)(x * x + y * y), 1};
    if (corners == 2) return r;
    const double *c = xy + 2 * (size_t)v[2];
    int64_t x2 = (int64_t)(c[0] - a[0]), y2 = (int64_t)(c[1] - a[1]), area = x * y2 - y * x2;
    r.numerator *= (uint64_t)(x2 * x2 + y2 * y2);
    r.numerator *= (uint64_t)((x2 - x) * (x2 - x) + (y2 - y) * (y2 - y));
    r.denominator = (uint128)(area < 0 ? -area : area) * (uint64_t)(area < 0 ? -area : area);
    return r;
}

int alpha_compare_small(const alpha_faces *faces, uint32_t f, uint32_t g) {
    small_fraction a = small_fraction_of(faces, f), b = small_fraction_of(faces, g);
    wide left = multiply(a.numerator, b.denominator), right = multiply(b.numerator, a.denominator);
    return is_less(right, left) - is_less(left, right);
}
