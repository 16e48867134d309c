#include "exact/area.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>

#include "exact/integer.h"

/* Returns true if *out is within 64 roundings of twice the area: differences, products and their difference
 * are off by 4 roundings of `size` in all, and `size` is less than 16 times *out. */
static bool in_doubles(const double a[2], const double b[2], const double c[2], double *out) {
    double left = (b[0] - a[0]) * (c[1] - a[1]), right = (b[1] - a[1]) * (c[0] - a[0]);
    double size = fabs(left) + fabs(right);
    *out = left - right;
    return size > DBL_MIN * 0x1p64 && size < INFINITY && fabs(*out) * 16 > size;
}

static void set_difference(mpz_t z, mpz_t scratch, double to, double from) {
    exact_integer(z, to, EXACT_UNITS);
    exact_integer(scratch, from, EXACT_UNITS);
    mpz_sub(z, z, scratch);
}

static double in_integers(const double a[2], const double b[2], const double c[2], long *exponent) {
    mpz_t area, x, y, scratch;
    mpz_inits(area, x, y, scratch, NULL);
    set_difference(x, scratch, b[0], a[0]);
    set_difference(y, scratch, c[1], a[1]);
    mpz_mul(area, x, y);
    set_difference(x, scratch, c[0], a[0]);
    set_difference(y, scratch, b[1], a[1]);
    mpz_submul(area, x, y);
    double out = mpz_get_d_2exp(exponent, area);
    mpz_clears(area, x, y, scratch, NULL);
    *exponent -= 2 * EXACT_UNITS;
    return out;
}

double exact_twice_area(const double a[2], const double b[2], const double c[2], long *exponent) {
    double out;
    *exponent = 0;
    return in_doubles(a, b, c, &out) ? out : in_integers(a, b, c, exponent);
}

/* ---- rings ------------------------------------------------------------------------------------- */

/* A number as the sum of two doubles (Dekker 1971). */
typedef struct pair {
    double high, low;
} pair;

/* What is added up, and the magnitude of what was. Each addition is off by 2^-104 of that at most. */
typedef struct total {
    pair sum;
    double size;
} total;

/* What rings are measured from, and the exponent of the largest coordinate. */
typedef struct frame {
    double x, y;
    int exponent;
} frame;

/* x - from, exactly (TwoDiff). */
static pair difference(double x, double from) {
    double high = x - from, back = high - x;
    return (pair){high, (x - (high - back)) - (from + back)};
}

static void add_product(total *t, pair a, pair b, double sign) {
    double high = sign * a.high * b.high, rest = fma(sign * a.high, b.high, -high);
    double sum = t->sum.high + high, back = sum - t->sum.high;
    rest += sign * (a.high * b.low + a.low * b.high);
    t->sum = (pair){sum, t->sum.low + ((t->sum.high - (sum - back)) + (high - back)) + rest};
    t->size += fabs(high);
}

static void add_ring(total *t, const frame *f, const double *xy, const uint32_t *ring, size_t count) {
    for (size_t i = 0; i < count; i++) {
        const double *a = xy + 2 * (size_t)ring[i], *b = xy + 2 * (size_t)ring[i + 1 < count ? i + 1 : 0];
        pair ax = difference(ldexp(a[0], -f->exponent), f->x),
             ay = difference(ldexp(a[1], -f->exponent), f->y),
             bx = difference(ldexp(b[0], -f->exponent), f->x),
             by = difference(ldexp(b[1], -f->exponent), f->y);
        add_product(t, ax, by, 1);
        add_product(t, ay, bx, -1);
    }
}

static frame frame_of(const double *xy, const uint32_t *ring, size_t count) {
    double most = 0;
    for (size_t i = 0; i < count; i++)
        most = fmax(most, fmax(fabs(xy[2 * (size_t)ring[i]]), fabs(xy[2 * (size_t)ring[i] + 1])));
    frame f = {.exponent = most > 0 ? ilogb(most) : 0};
    f.x = ldexp(xy[2 * (size_t)ring[0]], -f.exponent);
    f.y = ldexp(xy[2 * (size_t)ring[0] + 1], -f.exponent);
    return f;
}

static double rings_in_integers(const double *xy, const uint32_t *ring, const size_t *start, size_t rings,
                                long *exponent) {
    mpz_t area, a[2], b[2], scratch;
    mpz_inits(area, a[0], a[1], b[0], b[1], scratch, NULL);
    for (size_t r = 0; r < rings; r++)
        for (size_t i = start[r]; i < start[r + 1]; i++) {
            size_t next = i + 1 < start[r + 1] ? i + 1 : start[r];
            for (int c = 0; c < 2; c++) {
                set_difference(a[c], scratch, xy[2 * (size_t)ring[i] + c],
                               xy[2 * (size_t)ring[start[0]] + c]);
                set_difference(b[c], scratch, xy[2 * (size_t)ring[next] + c],
                               xy[2 * (size_t)ring[start[0]] + c]);
            }
            mpz_addmul(area, a[0], b[1]);
            mpz_submul(area, a[1], b[0]);
        }
    double out = mpz_get_d_2exp(exponent, area);
    mpz_clears(area, a[0], a[1], b[0], b[1], scratch, NULL);
    *exponent -= 2 * EXACT_UNITS;
    return out;
}

double exact_twice_area_of_rings(const double *xy, const uint32_t *ring, const size_t *start, size_t rings,
                                 long *exponent) {
    total t = {0};
    frame f = frame_of(xy, ring + start[0], start[1] - start[0]);
    for (size_t r = 0; r < rings; r++) add_ring(&t, &f, xy, ring + start[r], start[r + 1] - start[r]);
    double sum = t.sum.high + t.sum.low;
    *exponent = 2 * (long)f.exponent;
    /* 2^32 terms are off by less than 2^-72 of their size. */
    bool sure = t.size > DBL_MIN * 0x1p128 && fabs(sum) * 0x1p30 > t.size;
    return sure ? sum : rings_in_integers(xy, ring, start, rings, exponent);
}
