#include "alpha/radii.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "alpha/mantissa.h"
#include "base/memory.h"
#include "base/owned.h"
#include "base/threads.h"
#include "exact/integer.h"

enum { MANTISSA = 53, KEY_BITS = 126 };
#define BLOCK ((size_t)4096) /* faces that a thread takes at a time */

void radii_begin(alpha_radii *r, const alpha_faces *faces) {
    bool scaled = exact_on_device(faces->points);
    *r = (alpha_radii){.faces = *faces, .shift = scaled ? 0 : EXACT_UNITS};
    r->exponent = 2 * (scaled ? faces->points->exponent : -EXACT_UNITS);
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

/* Sets numerator[i] / denominator[i] = a²b²c² / Δ² of a triangle, or the squared length of an edge. */
static void set_fraction(alpha_radii *r, int i, uint32_t f) {
    const alpha_faces *faces = &r->faces;
    mpz_set_ui(r->denominator[i], 1);
    if (f < faces->edges) {
        set_difference(r, 0, faces->ends[2 * (size_t)f], faces->ends[2 * (size_t)f + 1]);
        dot_product(r, r->numerator[i], 0, 0);
        return;
    }
    const uint32_t *v = faces->vertex + 3 * (size_t)(f - faces->edges);
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

int radii_compare(alpha_radii *r, uint32_t f, uint32_t g) {
    if (r->faces.points->bits <= ALPHA_SMALL_BITS) {
        r->compared++;
        return alpha_compare_small(&r->faces, f, g);
    }
    set_fraction(r, 0, f);
    set_fraction(r, 1, g);
    mpz_mul(r->numerator[0], r->numerator[0], r->denominator[1]);
    mpz_mul(r->numerator[1], r->numerator[1], r->denominator[0]);
    r->compared++;
    return sign(mpz_cmp(r->numerator[0], r->numerator[1]));
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
    mpz_ptr shifted = shift >= 0 ? r->numerator[0] : r->denominator[0];
    mpz_mul_2exp(shifted, shifted, (mp_bitcnt_t)abs(shift));
    r->compared++;
    return sign(mpz_cmp(r->numerator[0], r->denominator[0]));
}

bool radii_obtuse(alpha_radii *r, uint32_t triangle, int k) {
    const uint32_t *v = r->faces.vertex + 3 * (size_t)triangle;
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
    const alpha_faces *faces = &r->faces;
    bool edge = f < faces->edges;
    const uint32_t *v = edge ? faces->ends + 2 * (size_t)f : faces->vertex + 3 * (size_t)(f - faces->edges);
    number x = {UINT64_C(1) << 63, 0};
    for (int k = 0; k < (edge ? 1 : 3); k++) {
        set_difference(r, k, v[k], v[(k + 1) % 3]);
        dot_product(r, r->other, k, k);
        x = product(x, number_of(r->other));
    }
    if (!edge) {
        mpz_mul(r->area, r->difference[0][0], r->difference[1][1]);
        mpz_submul(r->area, r->difference[0][1], r->difference[1][0]);
        number area = number_of(r->area);
        x = quotient(x, product(area, area));
    }
    return radii_of_key(x.e, x.m << 1 >> 10, r->exponent / 2);
}

/* ---- order ------------------------------------------------------------------------------------- */

/* The first bits of 4ρ², cut: 4ρ² is at least high·2^64 + low, and less than 1 more, times the power of two
 * that `exponent` says. If keys differ, radii differ in the same direction. */
typedef struct sort_key {
    uint64_t high, low;
    int32_t exponent;
    uint32_t place;
} sort_key;

static void set_key(alpha_radii *r, uint32_t f, sort_key *out) {
    uint64_t word[2] = {0};
    set_fraction(r, 0, f);
    out->exponent =
        (int32_t)mpz_sizeinbase(r->numerator[0], 2) - (int32_t)mpz_sizeinbase(r->denominator[0], 2);
    int shift = KEY_BITS - out->exponent;
    mpz_ptr shifted = shift >= 0 ? r->numerator[0] : r->denominator[0];
    mpz_mul_2exp(shifted, shifted, (mp_bitcnt_t)abs(shift));
    mpz_tdiv_q(r->other, r->numerator[0], r->denominator[0]);
    if (mpz_sizeinbase(r->other, 2) == KEY_BITS) out->exponent--;
    else mpz_tdiv_q_2exp(r->other, r->other, 1);
    mpz_export(word, NULL, -1, sizeof *word, 0, 0, r->other);
    out->high = word[1];
    out->low = word[0];
}

static int compare_keys(const sort_key *a, const sort_key *b) {
    if (a->exponent != b->exponent) return a->exponent < b->exponent ? -1 : 1;
    if (a->high != b->high) return a->high < b->high ? -1 : 1;
    return (a->low > b->low) - (a->low < b->low);
}

static int by_key(const void *a, const void *b) {
    const sort_key *p = a, *q = b;
    int order = compare_keys(p, q);
    return order ? order : (p->place > q->place) - (p->place < q->place);
}

typedef struct sorting {
    alpha_radii *r;
    const uint32_t *faces;
    sort_key *key;
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
    alpha_radii own;
    radii_begin(&own, &s->r->faces);
    for (size_t i = block * BLOCK; i < end_of(s, block); i++) {
        s->key[i].place = (uint32_t)i;
        set_key(&own, s->faces[i], &s->key[i]);
    }
    radii_end(&own);
}

static int compare_to_previous(alpha_radii *r, const sorting *s, size_t i) {
    int order = i ? compare_keys(&s->key[i - 1], &s->key[i]) : -1;
    return order ? order : radii_compare(r, s->faces[s->key[i - 1].place], s->faces[s->key[i].place]);
}

static void compare_neighbors(void *user, size_t block) {
    sorting *s = user;
    alpha_radii own;
    radii_begin(&own, &s->r->faces);
    for (size_t i = block * BLOCK; i < end_of(s, block); i++)
        s->order[i] = (int8_t)compare_to_previous(&own, s, i);
    atomic_fetch_add(&s->compared, own.compared);
    radii_end(&own);
}

/* Merges the sorted halves from[0 … half) and from[half … count) into `to`. */
static void merge_halves(sorting *s, const sort_key *from, sort_key *to, size_t half, size_t count) {
    size_t i = 0, j = half;
    for (size_t k = 0; k < count; k++) {
        bool first = j == count ||
                     (i < half && radii_compare(s->r, s->faces[from[i].place], s->faces[from[j].place]) <= 0);
        to[k] = first ? from[i++] : from[j++];
    }
}

/* Sorts count items from `from` on by exact comparison: their keys are equal, but not all of their radii. */
static glshape_status sort_equal_keys(error *err, sorting *s, size_t from, size_t count) {
    OWNED sort_key *spare = NULL;
    TRY(allocate(err, &spare, count, sizeof *spare, "the order of the radii"));
    for (size_t half = 1; half < count; half *= 2) {
        for (size_t at = 0; at < count; at += 2 * half) {
            size_t here = count - at < 2 * half ? count - at : 2 * half;
            merge_halves(s, s->key + from + at, spare + at, half < here ? half : here, here);
        }
        memcpy(s->key + from, spare, count * sizeof *spare);
    }
    for (size_t i = from; i < from + count; i++) s->order[i] = (int8_t)compare_to_previous(s->r, s, i);
    return GLSHAPE_OK;
}

static glshape_status sort_all_equal_keys(error *err, sorting *s) {
    for (size_t from = 0, to; from < s->count; from = to) {
        bool sorted = true;
        for (to = from + 1; to < s->count && !compare_keys(&s->key[from], &s->key[to]); to++)
            sorted &= s->order[to] <= 0;
        if (!sorted) TRY(sort_equal_keys(err, s, from, to - from));
    }
    return GLSHAPE_OK;
}

static void free_sorting(sorting *s) {
    free(s->key);
    free(s->order);
}

glshape_status radii_sort(error *err, alpha_radii *r, const uint32_t *faces, size_t count, uint32_t *order,
                          bool *same) {
    OWNED_BY(free_sorting) sorting s = {.r = r, .faces = faces, .count = count};
    TRY(allocate(err, &s.key, count, sizeof *s.key, "the order of the radii"));
    TRY(allocate(err, &s.order, count, sizeof *s.order, "the order of the radii"));
    size_t blocks = (count + BLOCK - 1) / BLOCK;
    threads_run(0, blocks, make_keys, &s);
    qsort(s.key, count, sizeof *s.key, by_key);
    threads_run(0, blocks, compare_neighbors, &s);
    TRY(sort_all_equal_keys(err, &s));
    for (size_t i = 0; i < count; i++) {
        order[i] = s.key[i].place;
        same[i] = s.order[i] == 0;
    }
    r->compared += s.compared;
    return GLSHAPE_OK;
}
