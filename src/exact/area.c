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
