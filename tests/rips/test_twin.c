/* The twin of rips against known answers, against listings of other programs, and against itself. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "io/files.h"
#include "reference/rips.h"
#include "rips/golden.h"

#define LOWER(name) name ".lower_distance_matrix"
#define PLANE LOWER("projective_plane")
#define MOORE3 LOWER("moore3")
#define MOORE5 LOWER("moore5")
#define RANDOM LOWER("random16")
#define TIES LOWER("ties25")

enum { MOST = 40 }; /* points of the matrices made here */

typedef float (*distance)(uint32_t i, uint32_t j);

static float matrix[MOST * MOST];
static random_state dice;

static ref_rips made(uint32_t n, float threshold, distance d) {
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j <= i; j++) matrix[i * n + j] = matrix[j * n + i] = i == j ? 0 : d(i, j);
    return (ref_rips){n, matrix, threshold, NULL};
}

/* The intervals of a dimension of more than zero persistence, in golden_sort's order. */
static golden_interval *intervals(const ref_rips *r, int dim, uint32_t p, size_t *count) {
    size_t all;
    ref_rips_pair *pairs = ref_rips_pairs(r, dim, p, &all);
    golden_interval *list = malloc((all + 1) * sizeof *list);
    *count = 0;
    for (size_t i = 0; i < all; i++)
        if (pairs[i].dim == dim && pairs[i].birth < pairs[i].death)
            list[(*count)++] = (golden_interval){pairs[i].birth, pairs[i].death};
    free(pairs);
    golden_sort(list, *count);
    return list;
}

/* Asserts that dimension dim has `count` intervals of more than zero persistence, all [birth, death). */
static void check_all(const ref_rips *r, int dim, uint32_t p, size_t count, float birth, float death) {
    size_t found;
    golden_interval *list = intervals(r, dim, p, &found);
    IO_HOLDS(found == count, "dimension %d over Z/%u: %zu intervals, not %zu", dim, p, found, count);
    for (size_t i = 0; i < found; i++)
        IO_HOLDS(list[i].birth == birth && list[i].death == death, "dimension %d over Z/%u: [%g, %g)", dim, p,
                 list[i].birth, list[i].death);
    free(list);
}

static float square(uint32_t i, uint32_t j) { return (i - j) % 2 ? 1 : sqrtf(2); }
static float octahedron(uint32_t i, uint32_t j) { return i / 2 == j / 2 ? 2 : sqrtf(2); }
static float regular(uint32_t i, uint32_t j) { return (void)i, (void)j, 3; }
static float nothing(uint32_t i, uint32_t j) { return (void)i, (void)j, INFINITY; }
static float twice(uint32_t i, uint32_t j) { return i % 4 == j % 4 ? 0 : square(i % 4, j % 4); }
static float one_to_four(uint32_t i, uint32_t j) {
    return (void)i, (void)j, (float)(1 + random_below(&dice, 4));
}
static float any(uint32_t i, uint32_t j) { return (void)i, (void)j, (float)random_unit(&dice); }
static float often_none(uint32_t i, uint32_t j) {
    return random_below(&dice, 3) ? (float)random_below(&dice, (i + j) / 2 + 1) : INFINITY;
}

START_TEST(a_square_has_a_loop) {
    ref_rips r = made(4, INFINITY, square);
    for (uint32_t p = 2; p <= 3; p++) {
        size_t found;
        golden_interval *list = intervals(&r, 0, p, &found);
        ck_assert_uint_eq(found, 4);
        for (int i = 0; i < 3; i++) ck_assert_float_eq(list[i].death, 1);
        ck_assert_float_infinite(list[3].death);
        free(list);
        check_all(&r, 1, p, 1, 1, sqrtf(2));
        check_all(&r, 2, p, 0, 0, 0);
    }
    r.threshold = 1;
    check_all(&r, 1, 2, 1, 1, INFINITY);
    r.threshold = 0.99f;
    check_all(&r, 0, 2, 4, 0, INFINITY);
    check_all(&r, 1, 2, 0, 0, 0);
}
END_TEST

START_TEST(an_octahedron_has_a_void) {
    ref_rips r = made(6, INFINITY, octahedron);
    check_all(&r, 1, 2, 0, 0, 0);
    check_all(&r, 2, 2, 1, sqrtf(2), 2);
    check_all(&r, 2, 7, 1, sqrtf(2), 2);
    check_all(&r, 3, 2, 0, 0, 0);
    r = made(8, INFINITY, octahedron); /* of four dimensions */
    check_all(&r, 2, 3, 0, 0, 0);
    check_all(&r, 3, 3, 1, sqrtf(2), 2);
}
END_TEST

START_TEST(a_regular_simplex_has_nothing) {
    ref_rips r = made(9, INFINITY, regular);
    for (int dim = 1; dim <= 3; dim++) {
        size_t count;
        check_all(&r, dim, 2, 0, 0, 0);
        free(ref_rips_left(&r, dim, &count));
        /* Each without the last point pairs with itself and that point; the last point's edges are left. */
        ck_assert_uint_eq(count, dim == 1 ? 8 : 0);
        ck_assert_uint_eq(ref_rips_apparent(&r, dim), ref_binomial(8, (uint64_t)dim + 1));
    }
    ck_assert_uint_eq(ref_rips_apparent(&r, 0), 0);
}
END_TEST

START_TEST(torsion_shows_in_its_own_field_only) {
    static const struct {
        const char *file;
        uint32_t torsion;
    } cases[] = {{PLANE, 2}, {MOORE3, 3}, {MOORE5, 5}};
    for (int c = 0; c < 3; c++) {
        uint32_t n;
        float *d = golden_distances(cases[c].file, &n);
        ref_rips r = {n, d, 1, NULL};
        for (uint32_t p = 2; p <= 7; p += p == 2 ? 1 : 2) {
            size_t classes = p == cases[c].torsion;
            check_all(&r, 1, p, classes, 1, INFINITY);
            check_all(&r, 2, p, classes, 1, INFINITY);
        }
        r.threshold = 2;
        check_all(&r, 1, cases[c].torsion, 1, 1, 2);
        free(d);
    }
}
END_TEST

START_TEST(duplicates_add_nothing) {
    ref_rips r = made(12, INFINITY, twice);
    for (int dim = 0; dim <= 2; dim++) {
        size_t count;
        free(intervals(&r, dim, 2, &count));
        ck_assert_uint_eq(count, dim == 0 ? 4 : dim == 1);
    }
    check_all(&r, 1, 2, 1, 1, sqrtf(2));
    ck_assert_uint_eq(ref_rips_apparent(&r, 0), 8); /* all but one of each three, at distance 0 */
}
END_TEST

START_TEST(one_point_or_none) {
    size_t count;
    for (uint32_t n = 0; n <= 1; n++) {
        ref_rips r = made(n, INFINITY, regular);
        check_all(&r, 0, 2, n, 0, INFINITY);
        for (int dim = 1; dim <= 3; dim++) check_all(&r, dim, 2, 0, 0, 0);
        free(ref_rips_left(&r, 0, &count));
        ck_assert_uint_eq(count, n);
    }
    ref_rips r = made(10, INFINITY, nothing);
    check_all(&r, 0, 2, 10, 0, INFINITY);
    free(ref_rips_simplices(&r, 1, &count));
    ck_assert_uint_eq(count, 0);
}
END_TEST

/* Indices number all simplices without a gap, in lexicographic order of their falling vertices. */
START_TEST(indices_are_a_numbering) {
    ref_rips r = made(11, INFINITY, regular);
    for (int dim = 0; dim <= 5; dim++) {
        size_t count;
        ref_simplex *list = ref_rips_simplices(&r, dim, &count);
        ck_assert_uint_eq(count, ref_binomial(11, (uint64_t)dim + 1));
        for (size_t i = 0; i < count; i++) {
            ck_assert_uint_eq(list[i].index, count - 1 - i); /* diameters are all equal */
            for (int k = 0; k < dim; k++) ck_assert_uint_gt(list[i].v[k], list[i].v[k + 1]);
            if (i) ck_assert(memcmp(list[i].v, list[i - 1].v, sizeof list[i].v) != 0);
        }
        free(list);
    }
    ck_assert_uint_eq(ref_binomial(297, 4), 317691990);
}
END_TEST

/* ---- listings of other programs ---------------------------------------------------------------- */

static void check_listing(const char *name, const char *input, float threshold, float ratio, uint32_t p,
                          int top) {
    uint32_t n;
    float *d = golden_distances(input, &n);
    ref_rips r = {n, d, threshold, NULL};
    for (int dim = 0; dim <= top; dim++) {
        size_t found, listed, kept = 0;
        golden_interval *ours = intervals(&r, dim, p, &found);
        golden_interval *theirs = golden_intervals(name, dim, &listed);
        for (size_t i = 0; i < found; i++)
            if (ours[i].death > ours[i].birth * ratio) ours[kept++] = ours[i];
        IO_HOLDS(kept == listed, "%s: dimension %d: %zu intervals, not %zu", name, dim, kept, listed);
        for (size_t i = 0; i < kept; i++) {
            char text[2][64];
            snprintf(text[0], 64, "[%g, %g)", ours[i].birth, ours[i].death);
            snprintf(text[1], 64, "[%g, %g)", theirs[i].birth, theirs[i].death);
            IO_HOLDS(strcmp(text[0], text[1]) == 0, "%s: dimension %d: %s, not %s", name, dim, text[0],
                     text[1]);
        }
        free(ours), free(theirs);
    }
    free(d);
}

START_TEST(intervals_are_those_of_ripser) {
    check_listing("random16.ripser", RANDOM, INFINITY, 1, 2, 5);
    check_listing("random16-t60.ripser", RANDOM, 60, 1, 2, 5);
    check_listing("random16-t85.5.ripser", RANDOM, 85.5f, 1, 2, 5);
    check_listing("random16-r1.5.ripser", RANDOM, INFINITY, 1.5f, 2, 2);
    check_listing("projective_plane.ripser", PLANE, INFINITY, 1, 2, 3);
    check_listing("projective_plane-t1.ripser", PLANE, 1, 1, 2, 3);
    check_listing("ties25.ripser", TIES, INFINITY, 1, 2, 2);
    check_listing("ties25-t1.ripser", TIES, 1, 1, 2, 4);
    check_listing("ties25-t2.ripser", TIES, 2, 1, 2, 4);
    check_listing("ties25-t3.ripser", TIES, 3, 1, 2, 3);
    check_listing("ties25-sparse.ripser", TIES, 2, 1, 2, 4);
    check_listing("moore3.ripser", MOORE3, INFINITY, 1, 2, 3);
    check_listing("moore3-t1.ripser", MOORE3, 1, 1, 2, 3);
    check_listing("moore5.ripser", MOORE5, INFINITY, 1, 2, 2);
    check_listing("moore5-t1.5.ripser", MOORE5, 1.5f, 1, 2, 2);
    check_listing("cloud40.ripser", "cloud40.txt", INFINITY, 1, 2, 1);
    check_listing("cloud40-t1.75.ripser", "cloud40.txt", 1.75f, 1, 2, 3);
}
END_TEST

START_TEST(intervals_are_those_of_gudhi) {
    static const uint32_t primes[] = {2, 3, 5};
    for (int i = 0; i < 3; i++) {
        char name[64];
        snprintf(name, sizeof name, "projective_plane-p%u.gudhi", primes[i]);
        check_listing(name, PLANE, INFINITY, 1, primes[i], 2);
        snprintf(name, sizeof name, "moore3-p%u.gudhi", primes[i]);
        check_listing(name, MOORE3, INFINITY, 1, primes[i], 2);
    }
    check_listing("moore5-p3.gudhi", MOORE5, INFINITY, 1, 3, 2);
    check_listing("moore5-p5.gudhi", MOORE5, INFINITY, 1, 5, 2);
    check_listing("ties25-p3.gudhi", TIES, INFINITY, 1, 3, 2);
    check_listing("ties25-p11.gudhi", TIES, INFINITY, 1, 11, 2);
    check_listing("random16-p7.gudhi", RANDOM, INFINITY, 1, 7, 3);
}
END_TEST

static int by_dim_and_born(const void *a, const void *b) {
    const ref_rips_pair *x = a, *y = b;
    if (x->dim != y->dim) return x->dim - y->dim;
    return (x->born > y->born) - (x->born < y->born);
}

static void check_pairs(const char *name, const char *input, uint32_t p, int top) {
    uint32_t n;
    float *d = golden_distances(input, &n);
    ref_rips r = {n, d, INFINITY, NULL};
    size_t found, listed;
    ref_rips_pair *ours = ref_rips_pairs(&r, top, p, &found);
    golden_pair *theirs = golden_pairs(name, &listed);
    qsort(ours, found, sizeof *ours, by_dim_and_born);
    ck_assert_uint_eq(found, listed);
    for (size_t i = 0; i < found; i++)
        IO_HOLDS(
            ours[i].dim == theirs[i].dim && ours[i].born == theirs[i].born && ours[i].died == theirs[i].died,
            "%s, line %zu", name, i + 1);
    free(ours), free(theirs), free(d);
}

START_TEST(simplex_pairs_are_those_of_gudhi) {
    check_pairs("projective_plane-p2.pairs", PLANE, 2, 2);
    check_pairs("projective_plane-p3.pairs", PLANE, 3, 2);
    check_pairs("moore3-p3.pairs", MOORE3, 3, 1);
    check_pairs("random16-p2.pairs", RANDOM, 2, 2);
    check_pairs("ties25-p2.pairs", TIES, 2, 1);
}
END_TEST

/* ---- against itself ---------------------------------------------------------------------------- */

/* The Apparent Pairs Lemma (section 4.2.1 of the paper), word for word, without the order: t is s and the
 * greatest vertex that leaves the diameter as it is, and no facet of t of that diameter has a smaller index
 * than s, that is, lacks a greater vertex. */
static bool lemma(const ref_rips *r, const ref_simplex *all, size_t count, const ref_simplex *s,
                  uint64_t *index) {
    for (uint32_t w = r->n; w-- > 0;) {
        bool fits = true;
        for (int i = 0; i <= s->dim; i++)
            fits = fits && s->v[i] != w && r->distances[s->v[i] * r->n + w] <= s->diameter;
        if (!fits) continue;
        uint32_t v[REF_RIPS_VERTICES];
        int k = 0, top = s->dim + 1;
        for (int i = 0; i <= s->dim; i++) v[i + (s->v[i] < w)] = s->v[i], k += s->v[i] > w;
        v[k] = w;
        *index = 0;
        for (int i = 0; i <= top; i++) *index += ref_binomial(v[i], (uint64_t)(top + 1 - i));
        for (int out = 0; out < k; out++) {
            uint64_t facet = 0;
            for (int i = 0; i <= top; i++)
                if (i != out) facet += ref_binomial(v[i], (uint64_t)(top + 1 - i - (i < out)));
            for (size_t i = 0; i < count; i++)
                if (all[i].index == facet && all[i].diameter == s->diameter) return false;
        }
        return true;
    }
    return false;
}

/* Apparent pairs go both ways, are those of the lemma, and are pairs over every field. */
static void check_apparent(const ref_rips *r, int dim, const ref_rips_pair *pairs, size_t n_pairs) {
    size_t count, apparent = 0;
    ref_simplex *all = ref_rips_simplices(r, dim, &count), t, back;
    for (size_t i = 0; i < count; i++) {
        uint64_t index;
        bool is = ref_rips_apparent_cofacet(r, &all[i], &t);
        IO_HOLDS(is == lemma(r, all, count, &all[i], &index), "the lemma differs");
        if (!is) continue;
        apparent++;
        IO_HOLDS(t.index == index, "the lemma's cofacet differs");
        IO_HOLDS(ref_rips_apparent_facet(r, &t, &back) && back.index == all[i].index, "not both ways");
        bool found = false;
        for (size_t k = 0; k < n_pairs; k++)
            found =
                found || (pairs[k].dim == dim && pairs[k].born == all[i].index && pairs[k].died == t.index);
        IO_HOLDS(found, "dimension %d: an apparent pair is none", dim);
    }
    IO_HOLDS(apparent == ref_rips_apparent(r, dim), "apparent pairs are miscounted");
    free(all);
}

/* Every simplex begins a class or ends one. */
static void check_partition(const ref_rips *r, int dim, const ref_rips_pair *pairs, size_t n_pairs) {
    size_t count;
    ref_simplex *all = ref_rips_simplices(r, dim, &count);
    for (size_t i = 0; i < count; i++) {
        int times = 0;
        for (size_t k = 0; k < n_pairs; k++)
            times += (pairs[k].dim == dim && pairs[k].born == all[i].index) ||
                     (pairs[k].dim == dim - 1 && pairs[k].died == all[i].index);
        IO_HOLDS(times == 1, "simplex %zu of dimension %d is in %d pairs", (size_t)all[i].index, dim, times);
    }
    free(all);
}

static void check_left(const ref_rips *r, int dim) {
    size_t count, all, gone = ref_rips_apparent(r, dim) + (dim ? ref_rips_apparent(r, dim - 1) : 0);
    free(ref_rips_simplices(r, dim, &all));
    ref_simplex *left = ref_rips_left(r, dim, &count);
    IO_HOLDS(count + gone == all, "dimension %d: %zu left, %zu gone, of %zu", dim, count, gone, all);
    for (size_t i = 1; i < count; i++)
        IO_HOLDS(left[i - 1].diameter > left[i].diameter ||
                     (left[i - 1].diameter == left[i].diameter && left[i - 1].index < left[i].index),
                 "out of order");
    free(left);
}

START_TEST(random_complexes_are_consistent) {
    static const distance kinds[] = {one_to_four, any, often_none, twice, octahedron, regular};
    static const uint32_t primes[] = {2, 3, 5, 7};
    dice.state = 7;
    for (int run = 0; run < 120; run++) {
        float threshold = random_below(&dice, 3) ? INFINITY : (float)(4 * random_unit(&dice));
        ref_rips r = made(1 + random_below(&dice, 9), threshold, kinds[run % 6]);
        size_t count;
        ref_rips_pair *pairs = ref_rips_pairs(&r, 3, primes[run % 4], &count);
        for (int dim = 0; dim <= 3; dim++) {
            check_apparent(&r, dim, pairs, count);
            check_partition(&r, dim, pairs, count);
            check_left(&r, dim);
        }
        free(pairs);
    }
}
END_TEST

Suite *rips_twin_suite(void) {
    Suite *suite = suite_create("rips/twin");
    TCase *known = tcase_create("known"), *others = tcase_create("others"), *itself = tcase_create("itself");
    tcase_add_test(known, a_square_has_a_loop);
    tcase_add_test(known, an_octahedron_has_a_void);
    tcase_add_test(known, a_regular_simplex_has_nothing);
    tcase_add_test(known, torsion_shows_in_its_own_field_only);
    tcase_add_test(known, duplicates_add_nothing);
    tcase_add_test(known, one_point_or_none);
    tcase_add_test(known, indices_are_a_numbering);
    tcase_add_test(others, intervals_are_those_of_ripser);
    tcase_add_test(others, intervals_are_those_of_gudhi);
    tcase_add_test(others, simplex_pairs_are_those_of_gudhi);
    tcase_add_test(itself, random_complexes_are_consistent);
    tcase_set_timeout(others, 60);
    suite_add_tcase(suite, known);
    suite_add_tcase(suite, others);
    suite_add_tcase(suite, itself);
    return suite;
}
