#include "alpha/radii.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { MANTISSA = 53, SMALLEST = 1074 };
#define LOG_ERROR 1e-9

void exact_begin(exact_radii *r, const exact_faces *faces) {
    bool scaled = alpha_on_device(faces->points);
    *r = (exact_radii){.faces = *faces, .shift = scaled ? 0 : SMALLEST};
    r->exponent = 2 * (scaled ? faces->points->exponent : -SMALLEST);
    for (int i = 0; i < 2; i++) mpz_inits(r->over[i], r->under[i], NULL);
    for (int i = 0; i < 3; i++) mpz_inits(r->span[i][0], r->span[i][1], NULL);
    mpz_inits(r->area, r->other, NULL);
}

void exact_end(exact_radii *r) {
    for (int i = 0; i < 2; i++) mpz_clears(r->over[i], r->under[i], NULL);
    for (int i = 0; i < 3; i++) mpz_clears(r->span[i][0], r->span[i][1], NULL);
    mpz_clears(r->area, r->other, NULL);
}

/* ---- fractions --------------------------------------------------------------------------------- */

/* z = v · 2^shift, which is an integer. */
static void set_integer(mpz_t z, double v, int shift) {
    int e;
    double m = frexp(v, &e);
    mpz_set_d(z, ldexp(m, MANTISSA));
    e += shift - MANTISSA;
    if (e >= 0) mpz_mul_2exp(z, z, (mp_bitcnt_t)e);
    else mpz_tdiv_q_2exp(z, z, (mp_bitcnt_t)-e);
}

/* span[k] = b - a. */
static void set_span(exact_radii *r, int k, uint32_t a, uint32_t b) {
    const double *xy = r->faces.points->xy;
    for (int i = 0; i < 2; i++) {
        set_integer(r->span[k][i], xy[2 * (size_t)b + i], r->shift);
        set_integer(r->other, xy[2 * (size_t)a + i], r->shift);
        mpz_sub(r->span[k][i], r->span[k][i], r->other);
    }
}

static void inner(exact_radii *r, mpz_t out, int i, int j) {
    mpz_mul(out, r->span[i][0], r->span[j][0]);
    mpz_addmul(out, r->span[i][1], r->span[j][1]);
}

/* over[i] / under[i] = a²b²c² / Δ², or the squared length of an edge. */
static void set_fraction(exact_radii *r, int i, uint32_t f) {
    const exact_faces *faces = &r->faces;
    mpz_set_ui(r->under[i], 1);
    if (f < faces->edges) {
        set_span(r, 0, faces->ends[2 * (size_t)f], faces->ends[2 * (size_t)f + 1]);
        inner(r, r->over[i], 0, 0);
        return;
    }
    const uint32_t *v = faces->vertex + 3 * (size_t)(f - faces->edges);
    for (int k = 0; k < 3; k++) set_span(r, k, v[k], v[(k + 1) % 3]);
    mpz_mul(r->area, r->span[0][0], r->span[1][1]);
    mpz_submul(r->area, r->span[0][1], r->span[1][0]);
    mpz_mul(r->under[i], r->area, r->area);
    mpz_set_ui(r->over[i], 1);
    for (int k = 0; k < 3; k++) {
        inner(r, r->other, k, k);
        mpz_mul(r->over[i], r->over[i], r->other);
    }
}

static int sign(int x) { return (x > 0) - (x < 0); }

int exact_compare(exact_radii *r, uint32_t f, uint32_t g) {
    set_fraction(r, 0, f);
    set_fraction(r, 1, g);
    mpz_mul(r->over[0], r->over[0], r->under[1]);
    mpz_mul(r->over[1], r->over[1], r->under[0]);
    r->compared++;
    return sign(mpz_cmp(r->over[0], r->over[1]));
}

/* over · 2^exponent against 4 · under · m² · 2^(2e), α = m · 2^e. */
int exact_compare_alpha(exact_radii *r, uint32_t f, double alpha) {
    int e;
    double m = frexp(alpha, &e);
    set_fraction(r, 0, f);
    mpz_set_d(r->other, ldexp(m, MANTISSA));
    mpz_mul(r->other, r->other, r->other);
    mpz_mul(r->under[0], r->under[0], r->other);
    int shift = r->exponent - 2 * (e - MANTISSA) - 2;
    mpz_ptr shifted = shift >= 0 ? r->over[0] : r->under[0];
    mpz_mul_2exp(shifted, shifted, (mp_bitcnt_t)abs(shift));
    r->compared++;
    return sign(mpz_cmp(r->over[0], r->under[0]));
}

bool exact_obtuse(exact_radii *r, uint32_t triangle, int k) {
    const uint32_t *v = r->faces.vertex + 3 * (size_t)triangle;
    set_span(r, 0, v[k], v[(k + 1) % 3]);
    set_span(r, 1, v[k], v[(k + 2) % 3]);
    inner(r, r->area, 0, 1);
    return mpz_sgn(r->area) < 0;
}

double exact_radius(exact_radii *r, uint32_t f, double *log) {
    long over, under;
    set_fraction(r, 0, f);
    double m = mpz_get_d_2exp(&over, r->over[0]) / mpz_get_d_2exp(&under, r->under[0]);
    long e = over - under + r->exponent;
    *log = log2(m) / 2 + (double)e / 2 - 1;
    if (e & 1) m *= 2, e--;
    return ldexp(sqrt(m), (int)(e / 2 - 1));
}

/* ---- order ------------------------------------------------------------------------------------- */

static bool after(exact_radii *r, const double *logs, uint32_t f, uint32_t g) {
    if (logs && fabs(logs[f] - logs[g]) > 2 * LOG_ERROR) return logs[f] > logs[g];
    return exact_compare(r, f, g) > 0;
}

/* Merges from[0 … half) and from[half … count) into to. */
static void merge(exact_radii *r, const double *logs, const uint32_t *from, uint32_t *to, size_t half,
                  size_t count) {
    size_t i = 0, j = half;
    for (size_t k = 0; k < count; k++)
        to[k] = j == count || (i < half && !after(r, logs, from[i], from[j])) ? from[i++] : from[j++];
}

glshape_status exact_sort(error *err, exact_radii *r, uint32_t *faces, size_t count, const double *logs) {
    uint32_t *spare, *from = faces, *to;
    TRY(allocate(err, &spare, count, sizeof *spare, "the order of the radii"));
    to = spare;
    for (size_t half = 1; half < count; half *= 2) {
        for (size_t at = 0; at < count; at += 2 * half) {
            size_t here = count - at < 2 * half ? count - at : 2 * half;
            merge(r, logs, from + at, to + at, half < here ? half : here, here);
        }
        uint32_t *swap = from;
        from = to;
        to = swap;
    }
    if (from != faces) memcpy(faces, from, count * sizeof *faces);
    free(spare);
    return GLSHAPE_OK;
}
