#include "alpha/radii.h"

#include <limits.h>
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "alpha/mantissa.h"
#include "base/memory.h"
#include "base/owned.h"
#include "base/radix.h"
#include "base/threads.h"
#include "exact/integer.h"

enum { MANTISSA = 53 };
#define BLOCK ((size_t)4096) /* faces that a thread takes at a time */

void radii_begin(alpha_radii *r, const alpha_faces *faces) {
    *r = (alpha_radii){.faces = *faces, .exponent = 2 * faces->points->exponent};
    r->held[0] = r->held[1] = UINT32_MAX;
    for (int i = 0; i < 2; i++) mpz_inits(r->numerator[i], r->denominator[i], NULL);
    for (int i = 0; i < 3; i++) mpz_inits(r->difference[i][0], r->difference[i][1], NULL);
    mpz_inits(r->area, r->other, NULL);
}

void radii_end(alpha_radii *r) {
    for (int i = 0; i < 2; i++) mpz_clears(r->numerator[i], r->denominator[i], NULL);
    for (int i = 0; i < 3; i++) mpz_clears(r->difference[i][0], r->difference[i][1], NULL);
    mpz_clears(r->area, r->other, NULL);
}

/* ---- fractions --------------------------------------------------------------------------------- */

/* The power of two that v, which is not 0, is an odd multiple of. */
static int unit_of(double v) {
    int e;
    int64_t m = (int64_t)ldexp(frexp(v, &e), MANTISSA);
    return e - MANTISSA + __builtin_ctzll((uint64_t)m);
}

/* Sets shift and exponent for a face: of points that the device decides on, all have one. Else each has its
 * own, a multiple of 32, so that many faces have the same. */
static void set_unit(alpha_radii *r, const uint32_t *v, int corners) {
    const double *xy = r->faces.points->xy;
    int unit = INT_MAX;
    if (exact_on_device(r->faces.points)) return;
    for (int k = 0; k < 2 * corners; k++) {
        double x = xy[2 * (size_t)v[k / 2] + k % 2];
        if (x != 0 && unit_of(x) < unit) unit = unit_of(x);
    }
    r->shift = unit == INT_MAX ? 0 : -(unit & ~31);
    r->exponent = -2 * r->shift;
}

/* Sets difference[k] = b - a. */
static void set_difference(alpha_radii *r, int k, uint32_t a, uint32_t b) {
    const double *xy = r->faces.points->xy;
    for (int i = 0; i < 2; i++) {
        exact_integer(r->difference[k][i], xy[2 * (size_t)b + i], r->shift);
        exact_integer(r->other, xy[2 * (size_t)a + i], r->shift);
        mpz_sub(r->difference[k][i], r->difference[k][i], r->other);
    }
}

static void dot_product(alpha_radii *r, mpz_t out, int i, int j) {
    mpz_mul(out, r->difference[i][0], r->difference[j][0]);
    mpz_addmul(out, r->difference[i][1], r->difference[j][1]);
}

/* Sets numerator[i] / denominator[i] = a²b²c² / 4Δ² of a triangle, or the squared length of an edge, divided
 * by 2^exponent. */
static void set_fraction(alpha_radii *r, int i, uint32_t f) {
    int corners;
    const uint32_t *v = alpha_corners(&r->faces, f, &corners);
    set_unit(r, v, corners);
    mpz_set_ui(r->denominator[i], 1);
    if (corners == 2) {
        set_difference(r, 0, v[0], v[1]);
        dot_product(r, r->numerator[i], 0, 0);
        return;
    }
    for (int k = 0; k < 3; k++) set_difference(r, k, v[k], v[(k + 1) % 3]);
    mpz_mul(r->area, r->difference[0][0], r->difference[1][1]);
    mpz_submul(r->area, r->difference[0][1], r->difference[1][0]);
    mpz_mul(r->denominator[i], r->area, r->area);
    mpz_set_ui(r->numerator[i], 1);
    for (int k = 0; k < 3; k++) {
        dot_product(r, r->other, k, k);
        mpz_mul(r->numerator[i], r->numerator[i], r->other);
    }
}

static int sign(int x) { return (x > 0) - (x < 0); }

static void set_small_fraction(alpha_radii *r, alpha_fraction *out, uint32_t f) {
    int corners;
    const uint32_t *v = alpha_corners(&r->faces, f, &corners);
    set_unit(r, v, corners);
    alpha_fraction_of(&r->faces, f, r->shift, out);
}

/* Returns which of the two fractions that are held is that of f; not that of `other`, if it has to make it.
 */
static const alpha_fraction *hold_fraction(alpha_radii *r, uint32_t f, uint32_t other) {
    for (int i = 0; i < 2; i++)
        if (r->held[i] == f) return &r->fraction[i];
    int i = r->held[0] == other;
    set_small_fraction(r, &r->fraction[i], f);
    r->held[i] = f;
    return &r->fraction[i];
}

static void multiply_by_power(mpz_t z, int power) {
    if (power > 0) mpz_mul_2exp(z, z, (mp_bitcnt_t)power);
}

static int compare_big(alpha_radii *r, uint32_t f, uint32_t g) {
    set_fraction(r, 0, f);
    int more = r->exponent;
    set_fraction(r, 1, g);
    more -= r->exponent;
    mpz_mul(r->numerator[0], r->numerator[0], r->denominator[1]);
    mpz_mul(r->numerator[1], r->numerator[1], r->denominator[0]);
    multiply_by_power(r->numerator[0], more);
    multiply_by_power(r->numerator[1], -more);
    return sign(mpz_cmp(r->numerator[0], r->numerator[1]));
}

int radii_compare(alpha_radii *r, uint32_t f, uint32_t g) {
    r->compared++;
    if (r->faces.points->bits <= ALPHA_SMALL_BITS) return alpha_compare_small(&r->faces, f, g);
    const alpha_fraction *a = hold_fraction(r, f, g), *b = hold_fraction(r, g, f);
    bool small = a->fits && b->fits && a->exponent == b->exponent;
    return small ? alpha_fraction_compare(a, b) : compare_big(r, f, g);
}

/* Compares numerator · 2^exponent with 4 · denominator · m² · 2^(2e), where α = m · 2^e. */
int radii_compare_alpha(alpha_radii *r, uint32_t f, double alpha) {
    int e;
    double m = frexp(alpha, &e);
    set_fraction(r, 0, f);
    mpz_set_d(r->other, ldexp(m, MANTISSA));
    mpz_mul(r->other, r->other, r->other);
    mpz_mul(r->denominator[0], r->denominator[0], r->other);
    int shift = r->exponent - 2 * (e - MANTISSA) - 2;
    multiply_by_power(r->numerator[0], shift);
    multiply_by_power(r->denominator[0], -shift);
    r->compared++;
    return sign(mpz_cmp(r->numerator[0], r->denominator[0]));
}

bool radii_obtuse(alpha_radii *r, uint32_t triangle, int k) {
    const uint32_t *v = r->faces.vertex + 3 * (size_t)triangle;
    set_unit(r, v, 3);
    set_difference(r, 0, v[k], v[(k + 1) % 3]);
    set_difference(r, 1, v[k], v[(k + 2) % 3]);
    dot_product(r, r->area, 0, 1);
    return mpz_sgn(r->area) < 0;
}

/* ---- radii --------------------------------------------------------------------------------------- */

/* The first 64 bits of a, which is positive; overwrites a. */
static number number_of(mpz_t a) {
    int bits = (int)mpz_sizeinbase(a, 2);
    number out = {.e = bits - 1};
    if (bits > 64) mpz_tdiv_q_2exp(a, a, (mp_bitcnt_t)bits - 64);
    mpz_export(&out.m, NULL, -1, sizeof out.m, 0, 0, a);
    if (bits < 64) out.m <<= 64 - bits;
    return out;
}

double radii_of_key(int e, uint64_t fraction, int exponent) {
    double m = (double)(1 + 2 * fraction + (UINT64_C(1) << 55)); /* in the middle */
    double root = sqrt(m * (e & 1 ? 0x1p-54 : 0x1p-55));         /* 1 or more, below 2 */
    int power = (e >> 1) - 1 + exponent;
    if (abs(power) > 1000) return ldexp(root, power);
    uint64_t bits = (uint64_t)(power + 1023) << 52;
    double scale;
    memcpy(&scale, &bits, sizeof scale);
    return root * scale;
}

double radii_radius(alpha_radii *r, uint32_t f) {
    int corners;
    const uint32_t *v = alpha_corners(&r->faces, f, &corners);
    set_unit(r, v, corners);
    number x = {UINT64_C(1) << 63, 0};
    for (int k = 0; k < 2 * corners - 3; k++) {
        set_difference(r, k, v[k], v[(k + 1) % 3]);
        dot_product(r, r->other, k, k);
        x = product(x, number_of(r->other));
    }
    if (corners == 3) {
        mpz_mul(r->area, r->difference[0][0], r->difference[1][1]);
        mpz_submul(r->area, r->difference[0][1], r->difference[1][0]);
        number area = number_of(r->area);
        x = quotient(x, product(area, area));
    }
    return radii_of_key(x.e, x.m << 1 >> 10, r->exponent / 2);
}

/* ---- order ------------------------------------------------------------------------------------- */

static alpha_fraction_key key_of(alpha_radii *r, uint32_t f) {
    alpha_fraction a;
    set_small_fraction(r, &a, f);
    if (a.fits) return alpha_key_of(a.numerator, a.numerators, a.denominator, a.denominators, a.exponent);
    set_fraction(r, 0, f);
    return alpha_key_of(mpz_limbs_read(r->numerator[0]), (int)mpz_size(r->numerator[0]),
                        mpz_limbs_read(r->denominator[0]), (int)mpz_size(r->denominator[0]), r->exponent);
}

typedef struct sorting {
    alpha_radii *r;
    const uint32_t *faces;
    alpha_fraction_key *key;   /* by place */
    radix_item *items, *spare; /* a: the place */
    size_t count;
    int8_t *order; /* order of each radius and the one before it: -1, 0 or 1 */
    atomic_ullong compared;
} sorting;

static size_t end_of(const sorting *s, size_t block) {
    size_t end = (block + 1) * BLOCK;
    return end < s->count ? end : s->count;
}

static void make_keys(void *user, size_t block) {
    sorting *s = user;
    OWNED_BY(radii_end) alpha_radii own;
    radii_begin(&own, &s->r->faces);
    for (size_t i = block * BLOCK; i < end_of(s, block); i++) {
        s->key[i] = key_of(&own, s->faces[i]);
        s->items[i] = (radix_item){s->key[i].low, (uint32_t)i, 0};
    }
}

static void take_high_keys(void *user, size_t block) {
    sorting *s = user;
    for (size_t i = block * BLOCK; i < end_of(s, block); i++) s->items[i].at = s->key[s->items[i].a].high;
}

/* Whether the keys of an item and the one before it leave their order open. */
static bool is_close(const sorting *s, size_t i) {
    const alpha_fraction_key *a = &s->key[s->items[i - 1].a], *b = &s->key[s->items[i].a];
    return a->high == b->high ? b->low - a->low <= 1 : b->high - a->high == 1 && !b->low && !~a->low;
}

static uint32_t face_of(const sorting *s, const radix_item *item) { return s->faces[item->a]; }

static int compare_to_previous(alpha_radii *r, const sorting *s, size_t i) {
    if (!i || !is_close(s, i)) return -1;
    return radii_compare(r, face_of(s, &s->items[i - 1]), face_of(s, &s->items[i]));
}

static void compare_neighbors(void *user, size_t block) {
    sorting *s = user;
    OWNED_BY(radii_end) alpha_radii own;
    radii_begin(&own, &s->r->faces);
    for (size_t i = block * BLOCK; i < end_of(s, block); i++)
        s->order[i] = (int8_t)compare_to_previous(&own, s, i);
    atomic_fetch_add(&s->compared, own.compared);
}

static void swap_items(radix_item *a, radix_item *b) {
    radix_item was = *a;
    *a = *b;
    *b = was;
}

/* Sorts items [from, end) by exact comparison, by a quicksort in three parts: many are equal, as keys leave
 * open little else. Goes on with the larger part itself. */
static void sort_exactly(sorting *s, size_t from, size_t end) {
    while (from < end) {
        size_t less = from, more = end, k = from;
        uint32_t pivot = face_of(s, &s->items[from + (end - from) / 2]);
        while (k < more) {
            int order = radii_compare(s->r, face_of(s, &s->items[k]), pivot);
            if (order > 0) swap_items(&s->items[k], &s->items[--more]);
            else if (order < 0) swap_items(&s->items[k++], &s->items[less++]);
            else k++;
        }
        memset(s->order + less, 0, more - less);
        s->order[less] = -1;
        bool first = less - from < end - more;
        sort_exactly(s, first ? from : more, first ? less : end);
        if (first) from = more;
        else end = less;
    }
}

static void sort_close(sorting *s) {
    for (size_t from = 0, to; from < s->count; from = to) {
        bool sorted = true;
        for (to = from + 1; to < s->count && is_close(s, to); to++) sorted &= s->order[to] <= 0;
        if (!sorted) sort_exactly(s, from, to);
    }
}

static void free_sorting(sorting *s) {
    free(s->key);
    free(s->items);
    free(s->spare);
    free(s->order);
}

glshape_status radii_sort(error *err, alpha_radii *r, const uint32_t *faces, size_t count, uint32_t *order,
                          bool *same) {
    OWNED_BY(free_sorting) sorting s = {.r = r, .faces = faces, .count = count};
    TRY(allocate(err, &s.key, count, sizeof *s.key, "the order of the radii"));
    TRY(allocate(err, &s.items, count, sizeof *s.items, "the order of the radii"));
    TRY(allocate(err, &s.spare, count, sizeof *s.spare, "the order of the radii"));
    TRY(allocate(err, &s.order, count, sizeof *s.order, "the order of the radii"));
    size_t blocks = (count + BLOCK - 1) / BLOCK;
    threads_run(0, blocks, make_keys, &s);
    radix_sort(s.items, s.spare, count);
    threads_run(0, blocks, take_high_keys, &s);
    radix_sort(s.items, s.spare, count);
    threads_run(0, blocks, compare_neighbors, &s);
    sort_close(&s);
    for (size_t i = 0; i < count; i++) {
        order[i] = s.items[i].a;
        same[i] = s.order[i] == 0;
    }
    r->compared += s.compared;
    return GLSHAPE_OK;
}
