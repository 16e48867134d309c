#include "exact/predicates.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "exact/integer.h"

enum { UNCERTAIN = 2 };

glshape_status exact_predicates_new(error *err, const double *xy, size_t n, exact_predicates *out) {
    *out = (exact_predicates){.n = n, .xy = xy};
    for (int i = 0; i < EXACT_NUMBERS; i++) mpz_init(out->number[i]);
    TRY(allocate(err, &out->z, 2 * n, sizeof *out->z, "coordinates"));
    for (size_t i = 0; i < 2 * n; i++) {
        mpz_init(out->z[i]);
        exact_integer(out->z[i], xy[i], EXACT_UNITS);
    }
    return GLSHAPE_OK;
}

void exact_predicates_free(exact_predicates *p) {
    for (int i = 0; i < EXACT_NUMBERS; i++) mpz_clear(p->number[i]);
    for (size_t i = 0; p->z && i < 2 * p->n; i++) mpz_clear(p->z[i]);
    free(p->z);
    *p = (exact_predicates){0};
}

/* ---- in doubles -------------------------------------------------------------------------------- */

/* Sets out to the differences of points a, b, c from d, in double precision. Returns false if a product of
 * four of them, or its rounding error, may leave the range of doubles. */
static bool differences(const double *xy, const uint32_t abc[3], uint32_t d, double out[3][2]) {
    bool in_range = true;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 2; k++) {
            double v = out[i][k] = xy[2 * (size_t)abc[i] + k] - xy[2 * (size_t)d + k];
            in_range &= v == 0 || (fabs(v) > 1e-60 && fabs(v) < 1e60);
        }
    return in_range;
}

/* Returns the sign of det, or UNCERTAIN if its rounding error may be larger than it: as in
 * glsl/exact/predicates.glsl. */
static int sign_of(double det, double magnitude, double relative_error) {
    if (!(fabs(det) > magnitude * relative_error)) return UNCERTAIN;
    return det > 0 ? 1 : -1;
}

static int orient2d_in_doubles(const double *xy, uint32_t a, uint32_t b, uint32_t c) {
    double d[3][2];
    if (!differences(xy, (const uint32_t[3]){a, b, c}, c, d)) return UNCERTAIN;
    double x = d[0][0] * d[1][1], y = d[0][1] * d[1][0];
    return sign_of(x - y, fabs(x) + fabs(y), 0x1p-50);
}

static int in_circle_in_doubles(const double *xy, const uint32_t abc[3], uint32_t at) {
    double d[3][2], det = 0, magnitude = 0;
    if (!differences(xy, abc, at, d)) return UNCERTAIN;
    for (int i = 0, j = 1, k = 2; i < 3; i++, j = (j + 1) % 3, k = (k + 1) % 3) {
        double lift = d[i][0] * d[i][0] + d[i][1] * d[i][1], x = d[j][0] * d[k][1], y = d[j][1] * d[k][0];
        det += lift * (x - y);
        magnitude += lift * (fabs(x) + fabs(y));
    }
    return sign_of(det, magnitude, 0x1p-48);
}

/* ---- in integers, where doubles are uncertain -------------------------------------------------- */

int exact_orient2d(exact_predicates *p, uint32_t a, uint32_t b, uint32_t c) {
    mpz_t *z = p->z, *t = p->number;
    int sign = orient2d_in_doubles(p->xy, a, b, c);
    p->tests++;
    if (sign != UNCERTAIN) return sign;
    p->in_integers++;
    mpz_sub(t[0], z[2 * a], z[2 * c]);
    mpz_sub(t[1], z[2 * b + 1], z[2 * c + 1]);
    mpz_mul(t[0], t[0], t[1]);
    mpz_sub(t[1], z[2 * a + 1], z[2 * c + 1]);
    mpz_sub(t[2], z[2 * b], z[2 * c]);
    mpz_submul(t[0], t[1], t[2]);
    return mpz_sgn(t[0]);
}

int exact_in_circle(exact_predicates *p, const uint32_t abc[3], uint32_t d) {
    mpz_t *z = p->z, *x = p->number, *y = x + 3, *lift = x + 6, *t = x + 9;
    int sign = in_circle_in_doubles(p->xy, abc, d);
    p->tests++;
    if (sign != UNCERTAIN) return sign;
    p->in_integers++;
    for (int i = 0; i < 3; i++) {
        mpz_sub(x[i], z[2 * abc[i]], z[2 * d]);
        mpz_sub(y[i], z[2 * abc[i] + 1], z[2 * d + 1]);
        mpz_mul(lift[i], x[i], x[i]);
        mpz_addmul(lift[i], y[i], y[i]);
    }
    mpz_set_ui(t[1], 0);
    for (int i = 0, j = 1, k = 2; i < 3; i++, j = (j + 1) % 3, k = (k + 1) % 3) {
        mpz_mul(t[0], x[j], y[k]);
        mpz_submul(t[0], y[j], x[k]);
        mpz_addmul(t[1], t[0], lift[i]);
    }
    return mpz_sgn(t[1]);
}
