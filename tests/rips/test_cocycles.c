/* Representative cocycles, by computing coboundaries: of every interval of small random matrices. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "io/files.h"
#include "reference/rips.h"
#include "suites.h"

enum { MOST = 12, ALL = 1024, TOP = 3 }; /* points; simplices of a dimension, at most */

static float matrix[MOST * MOST];
static random_state dice;
static glshape_context *context;

typedef struct shape {
    uint32_t n, values; /* distances are 1 … values; 0: reals */
    bool gaps;          /* some pairs have none */
    float threshold;
    int top, modulus;
} shape;

static const shape shapes[] = {
    {4, 2, false, INFINITY, 1, 2},  {8, 3, false, INFINITY, 2, 2},   {8, 3, false, INFINITY, 2, 3},
    {11, 4, false, 2, 2, 2},        {11, 4, false, 2, 2, 3},         {12, 0, false, INFINITY, 2, 2},
    {12, 0, false, INFINITY, 2, 3}, {12, 0, false, 0.7f, 2, 3},      {10, 2, true, INFINITY, 3, 2},
    {10, 2, true, INFINITY, 3, 3},  {10, 40, false, INFINITY, 2, 7}, {11, 0, true, INFINITY, 3, 5},
};
enum { SHAPES = sizeof shapes / sizeof *shapes, ROUNDS = 6 };

static ref_rips make(const shape *s) {
    for (uint32_t i = 0; i < s->n; i++)
        for (uint32_t j = 0; j < i; j++) {
            float d =
                s->values ? (float)(1 + random_below(&dice, s->values)) : (float)random_unit(&dice) + 0.1f;
            matrix[i * s->n + j] = matrix[j * s->n + i] = s->gaps && !random_below(&dice, 3) ? INFINITY : d;
        }
    for (uint32_t i = 0; i < s->n; i++) matrix[i * s->n + i] = 0;
    return (ref_rips){s->n, matrix, s->threshold, NULL};
}

static bool read_matrix(void *user, uint32_t first, uint32_t count, float *out, char *message, size_t size) {
    const ref_rips *r = user;
    (void)message, (void)size;
    memcpy(out, r->distances + (size_t)first * r->n, (size_t)count * r->n * sizeof *out);
    return true;
}

/* The same with 3 less for each value, births that lie below all. */
static float low[MOST];
static double low_births[MOST];

static void lower(ref_rips *r) {
    for (uint32_t i = 0; i < r->n; i++) low[i] = -3, low_births[i] = -3;
    for (size_t k = 0; k < (size_t)r->n * r->n; k++) matrix[k] -= 3;
    r->births = low;
    r->threshold -= 3;
}

static glshape_rips_result compute(ref_rips *r, const shape *s, glshape_optional length) {
    glshape_rips_result result;
    glshape_source source = {.reader = read_matrix, .user = r, .n = r->n};
    glshape_rips_options o = {.dim = GLSHAPE_SET(s->top),
                              .modulus = s->modulus,
                              .threshold = GLSHAPE_SET(r->threshold),
                              .threads = 3,
                              .births = r->births ? low_births : NULL,
                              .cocycles = true,
                              .cocycle_length = length};
    ck_assert_msg(!glshape_rips(context, &source, &o, &result), "%s", glshape_last_error(context));
    return result;
}

/* ---- cochains ---------------------------------------------------------------------------------- */

/* The value on every simplex of the dimension, by its index; simplices that are not there have 0. */
typedef struct cochain {
    uint32_t at[ALL];
} cochain;

static uint64_t facet(const ref_simplex *s, int without) {
    uint64_t index = 0;
    for (int i = 0, left = s->dim; i <= s->dim; i++)
        if (i != without) index += ref_binomial(s->v[i], (uint64_t)left--);
    return index;
}

/* Of c on s: the alternating sum over its facets, vertices in descending order. */
static uint32_t coboundary(const cochain *c, const ref_simplex *s, uint32_t p) {
    uint32_t sum = 0;
    for (int i = 0; i <= s->dim; i++) {
        uint32_t value = c->at[facet(s, i)];
        sum = (sum + (i % 2 ? p - value : value)) % p;
    }
    return sum;
}

static cochain cochain_of(const glshape_cocycle *k, uint32_t p) {
    cochain c = {{0}};
    for (size_t i = 0; i < k->count; i++) {
        const glshape_cocycle_term *t = &k->terms[i];
        IO_HOLDS(t->simplex < ALL && t->coefficient > 0 && t->coefficient < p, "coefficient %u",
                 t->coefficient);
        IO_HOLDS(!c.at[t->simplex], "simplex %llu twice", (unsigned long long)t->simplex);
        c.at[t->simplex] = t->coefficient;
    }
    return c;
}

/* No term is below birth; the coboundary is 0 below death, and is not on the death simplex. */
static void check_cocycle(const ref_rips *r, const glshape_interval *i, const cochain *c, uint32_t p) {
    size_t count, more, terms = 0, present = 0;
    ref_simplex *own = ref_rips_simplices(r, i->dim, &count);
    ref_simplex *above = ref_rips_simplices(r, i->dim + 1, &more);
    for (size_t k = 0; k < ALL; k++) terms += c->at[k] > 0;
    for (size_t k = 0; k < count; k++) {
        present += c->at[own[k].index] > 0;
        IO_HOLDS(!c->at[own[k].index] || own[k].diameter >= i->birth, "a term before birth");
    }
    IO_HOLDS(present == terms, "terms that are no simplices");
    IO_HOLDS(c->at[i->birth_simplex], "the birth simplex is no term");
    for (size_t k = 0; k < more; k++) {
        uint32_t value = coboundary(c, &above[k], p);
        IO_HOLDS(!value || !(above[k].diameter < i->death), "coboundary %u at %g in [%g, %g)", value,
                 (double)above[k].diameter, (double)i->birth, (double)i->death);
        IO_HOLDS(value || above[k].index != i->death_simplex, "no coboundary on the death simplex");
    }
    free(own);
    free(above);
}

/* ---- classes ----------------------------------------------------------------------------------- */

/* Rows that are independent, each with the place of a leading entry. */
typedef struct basis {
    uint32_t p;
    size_t count, lead[ALL];
    cochain *rows;
} basis;

static uint32_t inverse(uint32_t a, uint32_t p) {
    uint32_t x = 1;
    while (a * x % p != 1) x++;
    return x;
}

/* Adds v, if it is no sum of what is there. */
static bool extend(basis *b, cochain v) {
    for (size_t k = 0; k < b->count; k++) {
        uint32_t factor = v.at[b->lead[k]] * inverse(b->rows[k].at[b->lead[k]], b->p) % b->p;
        for (size_t i = 0; i < ALL && factor; i++)
            v.at[i] = (v.at[i] + (b->p - factor) * b->rows[k].at[i]) % b->p;
    }
    size_t lead = 0;
    while (lead < ALL && !v.at[lead]) lead++;
    if (lead == ALL) return false;
    b->lead[b->count] = lead;
    b->rows[b->count++] = v;
    return true;
}

/* c on simplices of diameter up to t. */
static cochain restricted(const cochain *c, const ref_simplex *own, size_t count, float t) {
    cochain part = {{0}};
    for (size_t k = 0; k < count; k++)
        if (own[k].diameter <= t) part.at[own[k].index] = c->at[own[k].index];
    return part;
}

/* The coboundaries of all simplices of one dimension less, at t. */
static void add_coboundaries(basis *b, const ref_rips *r, int dim, const ref_simplex *own, size_t count,
                             float t) {
    size_t below;
    ref_simplex *facets = ref_rips_simplices(r, dim - 1, &below);
    for (size_t f = 0; f < below; f++) {
        cochain one = {{0}}, all = {{0}};
        if (facets[f].diameter > t) continue;
        one.at[facets[f].index] = 1;
        for (size_t k = 0; k < count; k++)
            if (own[k].diameter <= t) all.at[own[k].index] = coboundary(&one, &own[k], b->p);
        extend(b, all);
    }
    free(facets);
}

/* At t the cocycles of the classes alive are independent of each other and of coboundaries. */
static void check_classes(const ref_rips *r, const glshape_rips_result *result, int dim, float t,
                          uint32_t p) {
    size_t count;
    ref_simplex *own = ref_rips_simplices(r, dim, &count);
    basis b = {.p = p, .rows = malloc(ALL * sizeof(cochain))};
    add_coboundaries(&b, r, dim, own, count, t);
    for (size_t k = 0; k < result->cocycle_count; k++) {
        const glshape_interval *i = &result->intervals[result->cocycles[k].interval];
        if (i->dim != dim || !(i->birth <= t && t < i->death)) continue;
        cochain c = cochain_of(&result->cocycles[k], p);
        IO_HOLDS(extend(&b, restricted(&c, own, count, t)), "[%g, %g) is no class of its own at %g",
                 (double)i->birth, (double)i->death, (double)t);
    }
    free(b.rows);
    free(own);
}

/* The greatest distance before death. */
static float last_of(const ref_rips *r, float death) {
    float last = -INFINITY;
    for (size_t k = 0; k < (size_t)r->n * r->n; k++)
        if (k % (r->n + 1) && r->distances[k] < death && r->distances[k] <= r->threshold)
            last = fmaxf(last, r->distances[k]);
    return last;
}

START_TEST(cocycles) {
    const shape *s = &shapes[_i];
    size_t seen = 0;
    dice.state = 500 + (uint64_t)_i;
    for (int round = 0; round < ROUNDS; round++) {
        ref_rips r = make(s);
        if (round % 3 == 2) lower(&r);
        glshape_rips_result result = compute(&r, s, GLSHAPE_SET(0));
        size_t next = 0;
        for (size_t k = 0; k < result.count; k++) {
            const glshape_interval *i = &result.intervals[k];
            if (!i->dim) continue;
            ck_assert_uint_lt(next, result.cocycle_count);
            ck_assert_uint_eq(result.cocycles[next].interval, k);
            cochain c = cochain_of(&result.cocycles[next++], (uint32_t)s->modulus);
            check_cocycle(&r, i, &c, (uint32_t)s->modulus);
            check_classes(&r, &result, i->dim, i->birth, (uint32_t)s->modulus);
            check_classes(&r, &result, i->dim, last_of(&r, i->death), (uint32_t)s->modulus);
        }
        ck_assert_uint_eq(next, result.cocycle_count);
        seen += next;
        glshape_rips_free(&result);
    }
    if (_i) ck_assert_uint_gt(seen, 3);
}
END_TEST

/* ---- which ------------------------------------------------------------------------------------- */

/* Of each dimension those longer than the length; by default than half the longest that ends. */
START_TEST(the_long_ones) {
    static const float lengths[] = {0, 0.05f, 0.2f, INFINITY};
    const shape s = {12, 0, false, 0.8f, 2, 2};
    size_t kept = 0, left = 0;
    dice.state = 77;
    for (int round = 0; round < 20; round++) {
        ref_rips r = make(&s);
        if (round % 2) lower(&r);
        glshape_rips_result result =
            compute(&r, &s, round % 4 ? GLSHAPE_SET(lengths[round % 4]) : (glshape_optional){0});
        float least[TOP + 1], longest[TOP + 1] = {0};
        for (size_t k = 0; k < result.count; k++) {
            const glshape_interval *i = &result.intervals[k];
            if (i->death < INFINITY) longest[i->dim] = fmaxf(longest[i->dim], i->death - i->birth);
        }
        for (int d = 0; d <= TOP; d++) least[d] = round % 4 ? lengths[round % 4] : longest[d] / 2;
        size_t next = 0;
        for (size_t k = 0; k < result.count; k++) {
            const glshape_interval *i = &result.intervals[k];
            bool wanted = i->dim && (isinf(i->death) || i->death - i->birth > least[i->dim]);
            ck_assert(wanted == (next < result.cocycle_count && result.cocycles[next].interval == k));
            next += wanted;
            left += i->dim && !wanted;
        }
        kept += next;
        glshape_rips_free(&result);
    }
    ck_assert(kept > 10 && left > 10);
}
END_TEST

START_TEST(unasked) {
    ref_rips r = make(&shapes[1]);
    glshape_rips_result result;
    glshape_source source = {.reader = read_matrix, .user = &r, .n = r.n};
    ck_assert_int_eq(glshape_rips(context, &source, NULL, &result), GLSHAPE_OK);
    ck_assert(!result.cocycles && !result.cocycle_count);
    glshape_rips_free(&result);
    glshape_rips_options o = {.cocycles = true, .cocycle_length = GLSHAPE_SET(-1)};
    ck_assert_int_eq(glshape_rips(context, &source, &o, &result), GLSHAPE_BAD_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(glshape_last_error(context), "cocycle_length"));
}
END_TEST

static void open_context(void) {
    ck_assert_int_eq(glshape_open(&(glshape_options){.debug = true, .device = test_device()}, &context),
                     GLSHAPE_OK);
}
static void close_context(void) { ck_assert_int_eq(glshape_close(context), 0); }

Suite *rips_cocycles_suite(void) {
    Suite *s = suite_create("rips_cocycles");
    TCase *t = tcase_create("cocycles");
    tcase_set_timeout(t, 120);
    tcase_add_unchecked_fixture(t, open_context, close_context);
    tcase_add_loop_test(t, cocycles, 0, SHAPES);
    tcase_add_test(t, the_long_ones);
    tcase_add_test(t, unasked);
    suite_add_tcase(s, t);
    return s;
}
