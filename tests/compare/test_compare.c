/* Distances between diagrams: slices beside their definition, in double, and by passes beside threads;
 * bottleneck and Wasserstein distances beside GUDHI's and beside all matchings; those of vectors beside their
 * definition. */
#include <glshape.h>

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/owned.h"
#include "base/threads.h"
#include "suites.h"

enum { MOST_DIAGRAMS = 64, MOST_PAIRS = 4096 };

static size_t first[MOST_DIAGRAMS + 1];
static double pairs[2 * MOST_PAIRS];
static glshape_diagrams in = {.first = first, .pairs = pairs};
static glshape_context *context;

static uint64_t state;
static double draw(void) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (double)(state >> 11) * 0x1p-53;
}

/* Random diagrams: of ties, of copies, of one point, empty, far from 0, of superlevel sets. */
static void make(uint64_t seed, size_t count, size_t most) {
    state = seed * 2654435761u + 1;
    in.count = count;
    size_t at = 0;
    for (size_t i = 0; i < count; i++) {
        size_t n = (size_t)(draw() * (double)(most + 1));
        int kind = (int)(seed + i) % 5;
        first[i] = at;
        for (size_t k = 0; k < n && at < MOST_PAIRS; k++, at++) {
            double birth = draw() * 10, length = draw() * 5;
            if (kind == 1) birth = floor(birth), length = 1 + floor(length);
            if (kind == 2 && k) birth = pairs[2 * at - 2], length = pairs[2 * at - 1] - birth;
            if (kind == 3) birth += 100;
            pairs[2 * at] = birth;
            pairs[2 * at + 1] = seed % 7 == 3 ? birth - length : birth + length;
            if (draw() < 0.05) pairs[2 * at + 1] = birth;
            if (draw() < 0.02) pairs[2 * at + 1] = INFINITY;
        }
    }
    first[count] = at;
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* ---- the definitions --------------------------------------------------------------------------- */

/* Births of the pairs that never end, in order. */
static size_t list_endless(size_t i, double *out) {
    size_t count = 0;
    for (size_t k = first[i]; k < first[i + 1]; k++)
        if (isinf(pairs[2 * k + 1])) out[count++] = pairs[2 * k];
    qsort(out, count, sizeof *out, ascending);
    return count;
}

/* The sum of powers, or of order ∞ the greatest. */
static double endless_apart(size_t i, size_t j, double order) {
    static double a[MOST_PAIRS], b[MOST_PAIRS];
    size_t na = list_endless(i, a), nb = list_endless(j, b);
    double apart = 0;
    for (size_t k = 0; k < na && na == nb; k++)
        apart = isinf(order) ? fmax(apart, fabs(a[k] - b[k])) : apart + pow(fabs(a[k] - b[k]), order);
    return na == nb ? apart : INFINITY;
}

/* Points of one diagram and places of those of the other on the diagonal, on a line. */
static size_t list_places(size_t of, size_t other, double angle, double *out) {
    size_t count = 0;
    for (int turn = 0; turn < 2; turn++)
        for (size_t d = turn ? other : of, k = first[d]; k < first[d + 1]; k++) {
            double x = pairs[2 * k], y = pairs[2 * k + 1];
            if (isinf(y)) continue;
            if (turn) x = y = (x + y) / 2;
            out[count++] = x * cos(angle) + y * sin(angle);
        }
    qsort(out, count, sizeof *out, ascending);
    return count;
}

/* How far two diagrams are apart on each line. */
static void list_lines(size_t i, size_t j, int directions, double *out) {
    static double a[2 * MOST_PAIRS], b[2 * MOST_PAIRS];
    for (int k = 0; k < directions; k++) {
        double angle = 3.14159265358979323846 * ((double)k / directions - 0.5);
        size_t count = list_places(i, j, angle, a);
        list_places(j, i, angle, b);
        out[k] = 0;
        for (size_t e = 0; e < count; e++) out[k] += fabs(a[e] - b[e]);
    }
}

static double mean(int count, const double *values) {
    double sum = 0;
    for (int k = 0; k < count; k++) sum += values[k];
    return sum / count;
}

static double sliced(size_t i, size_t j, int directions) {
    double on[64];
    list_lines(i, j, directions, on);
    return mean(directions, on) + endless_apart(i, j, 1);
}

/* The standard error of the mean. */
static double sliced_error(size_t i, size_t j, int directions) {
    double on[64], apart[64];
    list_lines(i, j, directions, on);
    for (int k = 0; k < directions; k++) apart[k] = pow(on[k] - mean(directions, on), 2);
    return sqrt(mean(directions, apart) / (directions - 1));
}

/* What a matching costs: the sum of distances' powers, or of order ∞ the greatest of them. */
typedef struct norms {
    double order, internal;
} norms;

static double norm(double p, double x, double y) {
    return isinf(p) ? fmax(x, y) : pow(pow(x, p) + pow(y, p), 1 / p);
}

static double join(const norms *n, double cost, double far) {
    return isinf(n->order) ? fmax(cost, far) : cost + pow(far, n->order);
}

static double to_diagonal(const norms *n, const double *p) {
    return norm(n->internal, fabs(p[1] - p[0]) / 2, fabs(p[1] - p[0]) / 2);
}

/* The best of all matchings of points k … of diagram i with those of j that are not used. */
static double best(const norms *n, size_t i, size_t j, size_t k, unsigned used) {
    size_t nb = first[j + 1] - first[j];
    while (k < first[i + 1] && isinf(pairs[2 * k + 1])) k++;
    if (k == first[i + 1]) { /* the others go to the diagonal */
        double cost = 0;
        for (size_t v = 0; v < nb; v++) {
            const double *q = pairs + 2 * (first[j] + v);
            if (!(used >> v & 1) && !isinf(q[1])) cost = join(n, cost, to_diagonal(n, q));
        }
        return cost;
    }
    const double *p = pairs + 2 * k;
    double least = join(n, best(n, i, j, k + 1, used), to_diagonal(n, p));
    for (size_t v = 0; v < nb; v++) {
        const double *q = pairs + 2 * (first[j] + v);
        if (used >> v & 1 || isinf(q[1])) continue;
        double far = norm(n->internal, fabs(p[0] - q[0]), fabs(p[1] - q[1]));
        least = fmin(least, join(n, best(n, i, j, k + 1, used | 1u << v), far));
    }
    return least;
}

/* ---- tests ------------------------------------------------------------------------------------- */

static void compare(glshape_context *c, glshape_compare_options o, glshape_compare_result *r) {
    ck_assert_msg(!glshape_compare(c, &in, &o, r), "%s", glshape_last_error(c));
    ck_assert_uint_eq(r->n, in.count);
}

/* Places are rounded to 2^-29 of half the range of values, √2 of it on a line; there are two for each point.
 */
START_TEST(slices) {
    for (int seed = 0; seed < hunt(20, 100); seed++) {
        int directions = 1 + seed % 12;
        glshape_compare_result r;
        make((uint64_t)seed, 5 + (size_t)seed % 30, 3 + (size_t)seed * 7 % 40);
        compare(context, (glshape_compare_options){.directions = directions}, &r);
        for (size_t i = 0; i < r.n; i++)
            for (size_t j = 0; j < r.n; j++) {
                double want = sliced(i, j, directions), got = r.distance[i * r.n + j];
                double bound = 120 * 0x1p-28 * (double)(first[i + 1] - first[i] + first[j + 1] - first[j]);
                ck_assert_msg(isinf(want) ? isinf(got) : fabs(got - want) <= bound + want * 0x1p-23,
                              "seed %d: %zu and %zu: %.9g, not %.9g", seed, i, j, got, want);
                ck_assert(got == r.distance[j * r.n + i]);
            }
        glshape_compare_free(&r);
    }
}
END_TEST

/* The standard error of each distance beside its definition; the distances are as without errors. */
START_TEST(errors) {
    for (int seed = 0; seed < hunt(20, 100); seed++) {
        int directions = 2 + seed % 40;
        double largest = 0;
        glshape_compare_result r, without;
        make((uint64_t)seed + 40, 5 + (size_t)seed % 30, 3 + (size_t)seed * 7 % 40);
        compare(context, (glshape_compare_options){.directions = directions}, &without);
        compare(context, (glshape_compare_options){.directions = directions, .errors = true}, &r);
        ck_assert(!memcmp(r.distance, without.distance, r.n * r.n * sizeof *r.distance));
        ck_assert(!without.error && without.largest_error == 0);
        for (size_t i = 0; i < r.n; i++)
            for (size_t j = 0; j < r.n; j++) {
                double want = sliced_error(i, j, directions), got = r.error[i * r.n + j];
                double bound = 120 * 0x1p-28 * (double)(first[i + 1] - first[i] + first[j + 1] - first[j]);
                ck_assert_msg(fabs(got - want) <= bound + want * 1e-6, "seed %d: %zu and %zu: %.9g, not %.9g",
                              seed, i, j, got, want);
                ck_assert(got == r.error[j * r.n + i]);
                largest = fmax(largest, got);
            }
        ck_assert(r.largest_error == largest && (largest > 0 || directions == 2));
        glshape_compare_free(&r);
        glshape_compare_free(&without);
    }
}
END_TEST

/* The same bits by passes, which small inputs are given to on a device with a name. */
START_TEST(by_passes) {
    glshape_context *device;
    ck_assert(!glshape_open(&(glshape_options){.device = test_device(), .debug = true}, &device));
    for (int seed = 0; seed < hunt(18, 90); seed++) {
        glshape_compare_result a, b;
        const glshape_compare_metric of[] = {GLSHAPE_COMPARE_SLICED_WASSERSTEIN, GLSHAPE_COMPARE_IMAGE,
                                             GLSHAPE_COMPARE_LANDSCAPE};
        const glshape_compare_options o = {.metric = of[seed % 3], .directions = 1 + seed * 3 % 20};
        make((uint64_t)seed + 1000, 1 + (size_t)seed * 5 % 60, seed % 4 ? 20 : 70);
        compare(context, o, &a);
        compare(device, o, &b);
        ck_assert(first[in.count] < 20 || b.gpu_bytes > 0);
        ck_assert(!memcmp(a.distance, b.distance, a.n * a.n * sizeof *a.distance));
        glshape_compare_free(&a);
        glshape_compare_free(&b);
    }
    glshape_close(device);
}
END_TEST

/* Diagrams whose lists are longer than what a group reads at a time: one long among short ones, each in a
 * place of its own, many equal pairs, and a list that threads sort. */
static void make_long(int family) {
    static const size_t counts[] = {1500, 3, 0, 700, 130, 124, 125, 126, 400, 1, 260, 90};
    state = 77 + (uint64_t)family;
    in.count = sizeof counts / sizeof *counts;
    size_t at = 0;
    for (size_t i = 0; i < in.count; i++) {
        size_t n = family == 3 && !i ? 2100 : counts[i];
        first[i] = at;
        for (size_t k = 0; k < n; k++, at++) {
            double birth = draw(), length = draw();
            if (family == 1) birth += (double)i;
            if (family == 2) birth = (double)(i % 3), length = 1 + (double)(k % 2);
            pairs[2 * at] = birth;
            pairs[2 * at + 1] = birth + length;
        }
    }
    first[in.count] = at;
}

START_TEST(long_lists) {
    glshape_context *device;
    ck_assert(!glshape_open(&(glshape_options){.device = test_device(), .debug = true}, &device));
    for (int family = 0; family < 4; family++) {
        glshape_compare_result a, b;
        make_long(family);
        compare(context, (glshape_compare_options){.directions = 9}, &a);
        compare(device, (glshape_compare_options){.directions = 9}, &b);
        ck_assert_uint_gt(b.gpu_bytes, 0);
        for (size_t k = 0; k < a.n * a.n; k++)
            ck_assert_msg(a.distance[k] == b.distance[k], "family %d: %zu and %zu: %.9g, not %.9g", family,
                          k / a.n, k % a.n, b.distance[k], a.distance[k]);
        glshape_compare_free(&a);
        glshape_compare_free(&b);
    }
    glshape_close(device);
}
END_TEST

START_TEST(all_matchings) {
    for (int seed = 0; seed < hunt(20, 100); seed++) {
        glshape_compare_result r;
        make((uint64_t)seed + 500, 6, 6);
        compare(context, (glshape_compare_options){.metric = GLSHAPE_COMPARE_BOTTLENECK}, &r);
        for (size_t i = 0; i < r.n; i++)
            for (size_t j = 0; j < r.n; j++) {
                const norms n = {INFINITY, INFINITY};
                float want = (float)fmax(best(&n, i, j, first[i], 0), endless_apart(i, j, INFINITY));
                ck_assert_msg(r.distance[i * r.n + j] == want, "seed %d: %zu and %zu: %.9g, not %.9g", seed,
                              i, j, r.distance[i * r.n + j], want);
            }
        glshape_compare_free(&r);
    }
}
END_TEST

START_TEST(all_matchings_of_sums) {
    for (int seed = 0; seed < hunt(40, 300); seed++) {
        const norms of[] = {{1, INFINITY}, {2, 2}, {1, 1}, {2.5, 3}, {12, 1}}, n = of[seed % 5];
        const double scales[] = {1, 1e-150, 1e150}, scale = n.order > 2 ? 1 : scales[seed / 5 % 3];
        glshape_compare_result r;
        make((uint64_t)seed + 700, 6, 6);
        for (size_t k = 0; k < 2 * first[in.count]; k++) pairs[k] *= scale;
        compare(context,
                (glshape_compare_options){.metric = GLSHAPE_COMPARE_WASSERSTEIN,
                                          .order = n.order == 1 ? 0 : n.order,
                                          .internal_p = n.internal,
                                          .exact = true},
                &r);
        ck_assert(r.gap == 0);
        for (size_t i = 0; i < r.n; i++)
            for (size_t j = 0; j < r.n; j++) {
                double sum = best(&n, i, j, first[i], 0) + endless_apart(i, j, n.order),
                       want = pow(sum, 1 / n.order);
                float got = r.distance[i * r.n + j];
                bool beyond = want > 3.4e38 || want < 1e-37;
                ck_assert_msg(beyond ? isinf(got) == (want > 1) : fabs(got - want) <= 1e-6 * want,
                              "seed %d: %zu and %zu: %.9g, not %.9g", seed, i, j, got, want);
            }
        glshape_compare_free(&r);
    }
}
END_TEST

static void close_file(FILE **f) {
    if (*f) fclose(*f);
}

static void read_golden(void) {
    OWNED_BY(close_file) FILE *f = fopen("tests/compare/golden/diagrams.txt", "r");
    size_t at = 0, count;
    ck_assert(f);
    for (in.count = 0; fscanf(f, "%zu", &count) == 1; in.count++) {
        first[in.count] = at;
        for (size_t k = 0; k < count; k++, at++)
            ck_assert_int_eq(fscanf(f, "%lf %lf", &pairs[2 * at], &pairs[2 * at + 1]), 2);
    }
    first[in.count] = at;
    ck_assert_uint_eq(in.count, 24);
}

static void check_golden(FILE *g, const glshape_compare_options *o, double error) {
    glshape_compare_result r;
    double want;
    compare(context, *o, &r);
    for (size_t k = 0; k < r.n * r.n; k++) {
        ck_assert_int_eq(fscanf(g, "%lf", &want), 1);
        ck_assert_msg(
            isinf(want) ? isinf(r.distance[k]) : fabs(r.distance[k] - want) <= want * error + 1e-300,
            "%zu: %.9g, not %.9g", k, r.distance[k], want);
    }
    glshape_compare_free(&r);
}

START_TEST(as_gudhi) {
    OWNED_BY(close_file) FILE *g = fopen("tests/compare/golden/bottleneck.txt", "r");
    OWNED_BY(close_file) FILE *w = fopen("tests/compare/golden/wasserstein.txt", "r");
    double order, norm;
    int turns = 0;
    ck_assert(g && w);
    read_golden();
    check_golden(g, &(glshape_compare_options){.metric = GLSHAPE_COMPARE_BOTTLENECK}, 0x1p-23);
    for (; fscanf(w, "%lf %lf", &order, &norm) == 2; turns++)
        for (int exact = 0; exact < 2; exact++) {
            long at = ftell(w);
            check_golden(w,
                         &(glshape_compare_options){.metric = GLSHAPE_COMPARE_WASSERSTEIN,
                                                    .order = order,
                                                    .internal_p = norm,
                                                    .exact = exact},
                         exact ? 1e-6 : 0.01);
            if (!exact) fseek(w, at, SEEK_SET);
        }
    ck_assert_int_eq(turns, 4);
}
END_TEST

/* Diagrams that are large enough for auctions: ties, copies, another size, and what a tolerance promises. */
START_TEST(auctions) {
    for (int seed = 0; seed < hunt(4, 12); seed++) {
        const double orders[] = {1, 2, 1, 3}, tolerances[] = {0.05, 0.01, 1e-4, 0.02};
        const size_t counts[] = {1100, 1000 + (size_t)seed % 7 * 300};
        ck_assert_uint_le(counts[0] + counts[1], MOST_PAIRS);
        glshape_compare_options o = {.metric = GLSHAPE_COMPARE_WASSERSTEIN,
                                     .order = orders[seed % 4],
                                     .tolerance = tolerances[seed % 4]};
        glshape_compare_result exact, near;
        state = (uint64_t)seed + 9;
        in.count = 2;
        first[1] = counts[0], first[2] = counts[0] + counts[1];
        for (size_t k = 0; k < first[2]; k++) {
            pairs[2 * k] = seed % 2 ? floor(draw() * 9) : draw();
            pairs[2 * k + 1] = pairs[2 * k] + (seed % 2 ? 1 + floor(draw() * 4) : draw() * draw());
            if (seed == 2 && k >= counts[0])
                memcpy(pairs + 2 * k, pairs + 2 * (k - counts[0]), 2 * sizeof *pairs);
        }
        compare(context, o, &near);
        o.exact = true;
        compare(context, o, &exact);
        double a = near.distance[1], b = exact.distance[1];
        ck_assert_msg(a >= b * (1 - 1e-6) && a <= b * (1 + near.gap) * (1 + 1e-6) && near.gap <= o.tolerance,
                      "seed %d: %.9g, not %.9g: gap %g", seed, a, b, near.gap);
        glshape_compare_free(&near);
        glshape_compare_free(&exact);
    }
}
END_TEST

/* Rows that a function takes are those of the result; further dimensions are added. */
typedef struct taken_rows {
    float *all;
    size_t n, next, until;
} taken_rows;

static bool take_rows(void *user, size_t begin, size_t count, const float *distance) {
    taken_rows *t = user;
    ck_assert_uint_eq(begin, t->next);
    memcpy(t->all + begin * t->n, distance, count * t->n * sizeof *distance);
    t->next += count;
    return t->next < t->until;
}

static bool drop_rows(void *user, size_t begin, size_t count, const float *distance) {
    (void)user, (void)begin, (void)count, (void)distance;
    return true;
}

/* Errors of dimensions are added, and a function may take them. */
START_TEST(rows_of_errors) {
    static float all[MOST_DIAGRAMS * MOST_DIAGRAMS], errors[MOST_DIAGRAMS * MOST_DIAGRAMS];
    glshape_compare_result whole, part, r;
    make(91, 60, 12);
    taken_rows t = {errors, 30, 0, SIZE_MAX};
    const glshape_diagrams more = {.count = 30, .first = first + 30, .pairs = pairs};
    glshape_compare_options o = {.directions = 9, .errors = true};
    in.count = 30;
    compare(context, o, &whole);
    ck_assert(!glshape_compare(context, &more, &o, &part));
    o.more = &more, o.more_count = 1;
    compare(context, o, &r);
    memcpy(all, r.error, 900 * sizeof *all);
    for (size_t k = 0; k < 900; k++) ck_assert(all[k] == whole.error[k] + part.error[k]);
    glshape_compare_free(&r);
    o.rows = drop_rows, o.error_rows = take_rows, o.rows_user = &t;
    compare(context, o, &r);
    ck_assert(t.next == 30 && !r.error && !r.distance && !memcmp(all, errors, 900 * sizeof *all));
    glshape_compare_free(&whole);
    glshape_compare_free(&part);
}
END_TEST

/* Distances that are asked for are those of glshape_compare, found at once or one by one, by rows or by
 * pairs, also by several threads. */
typedef struct asking {
    glshape_comparison *of;
    const float *want;
    size_t n;
    atomic_size_t right; /* rows at which five began that were */
} asking;

static bool ask(void *user, uint64_t item, int thread) {
    asking *a = user;
    float got[5 * MOST_DIAGRAMS];
    char message[100] = "";
    size_t row = (size_t)item, count = row + 5 > a->n ? a->n - row : 5;
    (void)thread;
    if (glshape_comparison_reader(a->of, (uint32_t)row, (uint32_t)count, got, message, sizeof message) &&
        !memcmp(got, a->want + row * a->n, count * a->n * sizeof *got))
        atomic_fetch_add(&a->right, 1);
    return true;
}

static void ask_pairs(const asking *a) {
    uint32_t i[MOST_DIAGRAMS], j[MOST_DIAGRAMS];
    float got[MOST_DIAGRAMS];
    for (size_t k = 0; k < a->n; k++) {
        i[k] = (uint32_t)(draw() * (double)a->n);
        j[k] = k % 7 ? (uint32_t)(draw() * (double)a->n) : i[k];
    }
    ck_assert(glshape_comparison_feeder(a->of, a->n, i, j, got, NULL, 0));
    for (size_t k = 0; k < a->n; k++) {
        float want = a->want[i[k] * a->n + j[k]];
        ck_assert_msg(!memcmp(&got[k], &want, sizeof want), "%u and %u: %.9g, not %.9g", i[k], j[k], got[k],
                      want);
    }
}

START_TEST(asked_for) {
    for (int turn = 0; turn < 10; turn++) {
        glshape_compare_result r;
        make(131 + (uint64_t)turn, 60, 12);
        const glshape_diagrams more = {.count = 30, .first = first + 30, .pairs = pairs};
        glshape_compare_options o = {
            .metric = (glshape_compare_metric)(turn % 5), .more = &more, .more_count = 1};
        asking a = {.n = 30};
        in.count = 30;
        compare(context, o, &r);
        a.want = r.distance;
        ck_assert_msg(!glshape_comparison_new(context, &in, &o,
                                              turn < 5 ? GLSHAPE_KEEP_PAGED : GLSHAPE_KEEP_AUTO, &a.of),
                      "%s", glshape_last_error(context));
        ck_assert(glshape_comparison_is_kept(a.of) == (turn >= 5));
        threads_share(4, a.n, ask, &a);
        ck_assert_uint_eq(atomic_load(&a.right), a.n);
        ask_pairs(&a);
        glshape_comparison_free(a.of);
        glshape_compare_free(&r);
    }
    glshape_comparison_free(NULL);
}
END_TEST

START_TEST(rows_and_dimensions) {
    for (int metric = 0; metric <= GLSHAPE_COMPARE_LANDSCAPE; metric++) {
        static float all[MOST_DIAGRAMS * MOST_DIAGRAMS];
        glshape_compare_result whole, part, r;
        make(31 + (uint64_t)metric, 60, 12);
        size_t *later = first + 30;
        taken_rows t = {all, 30, 0, SIZE_MAX};
        const glshape_diagrams more[] = {{.count = 30, .first = later, .pairs = pairs}, {30, first, pairs}};
        glshape_compare_options o = {.metric = (glshape_compare_metric)metric};
        in.count = 30;
        compare(context, o, &whole);
        ck_assert(!glshape_compare(context, more, &o, &part));
        o.more = more, o.more_count = 2, o.rows = take_rows, o.rows_user = &t;
        compare(context, o, &r);
        ck_assert(t.next == 30 && !r.distance);
        for (size_t k = 0; k < 900; k++)
            ck_assert(all[k] == whole.distance[k] + part.distance[k] + whole.distance[k]);
        t.next = t.until = 0;
        ck_assert_int_eq(glshape_compare(context, &in, &o, &r), GLSHAPE_CANCELLED);
        glshape_compare_free(&whole);
        glshape_compare_free(&part);
    }
}
END_TEST

START_TEST(of_vectors) {
    for (int seed = 0; seed < 10; seed++) {
        const glshape_vectors_options v = {
            .kind = seed % 2 ? GLSHAPE_VECTORS_LANDSCAPE : GLSHAPE_VECTORS_IMAGE,
            .resolution = 7 + seed,
            .bandwidth = 1.5,
            .weight = 1};
        glshape_vectors_result x;
        glshape_compare_result r;
        make((uint64_t)seed + 77, 20, 9);
        ck_assert(!glshape_vectors(context, &in, &v, &x));
        compare(context,
                (glshape_compare_options){
                    .metric = seed % 2 ? GLSHAPE_COMPARE_LANDSCAPE : GLSHAPE_COMPARE_IMAGE, .vectors = &v},
                &r);
        for (size_t i = 0; i < r.n; i++)
            for (size_t j = 0; j < r.n; j++) {
                double sum = 0;
                for (size_t c = 0; c < x.columns; c++) {
                    double d = (double)x.values[i * x.columns + c] - x.values[j * x.columns + c];
                    sum += d * d;
                }
                ck_assert(fabs(r.distance[i * r.n + j] - sqrt(sum)) <= 1e-6 * sqrt(sum));
            }
        ck_assert_uint_eq(r.pairs, x.pairs);
        glshape_vectors_free(&x);
        glshape_compare_free(&r);
    }
}
END_TEST

/* One pair of diagrams that would take minutes is given up soon. */
static bool stop_soon(void *user, double fraction) {
    (void)fraction;
    return ++*(int *)user < 4;
}

START_TEST(stops_within_a_pair) {
    enum { LARGE = 30000 };
    const size_t counts[] = {4000, LARGE};
    OWNED double *large = malloc(4 * LARGE * sizeof *large);
    state = 5;
    for (size_t k = 0; k < 2 * LARGE; k++) {
        large[2 * k] = draw();
        large[2 * k + 1] = large[2 * k] + draw();
    }
    for (int metric = GLSHAPE_COMPARE_BOTTLENECK; metric <= GLSHAPE_COMPARE_WASSERSTEIN; metric++) {
        int calls = 0;
        size_t count = counts[metric - GLSHAPE_COMPARE_BOTTLENECK];
        const size_t ends[] = {0, count, 2 * count};
        const glshape_diagrams two = {2, ends, large};
        const glshape_compare_options o = {.metric = (glshape_compare_metric)metric};
        glshape_compare_result r;
        glshape_context *c;
        ck_assert(!glshape_open(&(glshape_options){.progress = stop_soon, .user = &calls}, &c));
        ck_assert_int_eq(glshape_compare(c, &two, &o, &r), GLSHAPE_CANCELLED);
        glshape_close(c);
    }
}
END_TEST

/* Each diagram is one pair or two. */
static void take(size_t count, const size_t *counts, const double *values) {
    in.count = count;
    for (size_t i = 0; i < count; i++) first[i + 1] = first[i] + counts[i];
    memcpy(pairs, values, 2 * first[count] * sizeof *values);
}

/* No matching moves a death from ∞ to -∞. */
START_TEST(opposite_ends) {
    const double values[] = {0, INFINITY,  0,   -INFINITY, 1,    INFINITY,
                             3, -INFINITY, 2.5, -INFINITY, 1.25, INFINITY};
    for (int metric = 0; metric < 3; metric++) {
        glshape_compare_result r;
        take(4, (const size_t[]){1, 1, 2, 2}, values);
        compare(context, (glshape_compare_options){.metric = (glshape_compare_metric)metric}, &r);
        ck_assert(isinf(r.distance[1]) && isinf(r.distance[2]));
        ck_assert(r.distance[4 * 2 + 3] == (metric == GLSHAPE_COMPARE_BOTTLENECK ? 0.5f : 0.75f));
        glshape_compare_free(&r);
    }
}
END_TEST

/* Values of which the sum of two is none, and the least there are. */
START_TEST(extremes) {
    const double values[] = {-1.7e308, 1.7e308, -1.7e308, 1.7e308, 0, 1},
                 least[] = {0, 5e-324, 0, 5e-324, 0, 1e-323};
    for (int metric = 0; metric < 3; metric++)
        for (int small = 0; small < 2; small++) {
            glshape_compare_result r;
            take(3, (const size_t[]){1, 1, 1}, small ? least : values);
            compare(context, (glshape_compare_options){.metric = (glshape_compare_metric)metric}, &r);
            ck_assert(r.distance[1] == 0 && r.distance[3] == 0);
            ck_assert(small ? r.distance[2] == 0 : isinf(r.distance[2]));
            glshape_compare_free(&r);
        }
}
END_TEST

START_TEST(refusals) {
    glshape_compare_result r;
    make(1, 3, 5);
    in.count = 0;
    ck_assert_int_eq(glshape_compare(context, &in, NULL, &r), GLSHAPE_BAD_ARGUMENT);
    make(1, 3, 5);
    pairs[2 * (first[1])] = NAN;
    ck_assert_int_eq(glshape_compare(context, &in, NULL, &r), GLSHAPE_BAD_INPUT);
    ck_assert(strstr(glshape_last_error(context), "diagram 2, pair 1: birth nan") != NULL);
    make(1, 3, 5);
    ck_assert_int_eq(glshape_compare(context, &in, &(glshape_compare_options){.directions = 5000}, &r),
                     GLSHAPE_BAD_ARGUMENT);
    ck_assert_ptr_null(r.distance);
    static const glshape_compare_options wrong[] = {
        {.metric = GLSHAPE_COMPARE_WASSERSTEIN, .order = 0.5},
        {.metric = GLSHAPE_COMPARE_WASSERSTEIN, .order = 65},
        {.metric = GLSHAPE_COMPARE_WASSERSTEIN, .internal_p = 0.5},
        {.metric = GLSHAPE_COMPARE_WASSERSTEIN, .tolerance = -1},
        {.metric = GLSHAPE_COMPARE_WASSERSTEIN, .order = NAN},
        {.metric = (glshape_compare_metric)5},
        {.metric = GLSHAPE_COMPARE_BOTTLENECK, .errors = true},
        {.directions = 1, .errors = true},
        {.error_rows = drop_rows},
    };
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++)
        ck_assert_int_eq(glshape_compare(context, &in, wrong + k, &r), GLSHAPE_BAD_ARGUMENT);
    glshape_comparison *none;
    const glshape_compare_options errors = {.errors = true};
    ck_assert_int_eq(glshape_comparison_new(context, &in, &errors, GLSHAPE_KEEP_AUTO, &none),
                     GLSHAPE_BAD_ARGUMENT);
    ck_assert_int_eq(glshape_comparison_new(context, &in, wrong, GLSHAPE_KEEP_PAGED, &none),
                     GLSHAPE_BAD_ARGUMENT);
    ck_assert_ptr_null(none);
    const glshape_diagrams less = {2, first, pairs};
    ck_assert_int_eq(
        glshape_compare(context, &in, &(glshape_compare_options){.more = &less, .more_count = 1}, &r),
        GLSHAPE_BAD_ARGUMENT);
    ck_assert(strstr(glshape_last_error(context), "3 diagrams, and 2 of another dimension") != NULL);
    const glshape_vectors_options weighted = {.weights = pairs};
    const glshape_compare_options two = {
        .metric = GLSHAPE_COMPARE_IMAGE, .vectors = &weighted, .more = &in, .more_count = 1};
    ck_assert_int_eq(glshape_compare(context, &in, &two, &r), GLSHAPE_BAD_ARGUMENT);
    first[1] = first[2] + 1;
    ck_assert_int_eq(glshape_compare(context, &in, NULL, &r), GLSHAPE_BAD_ARGUMENT);
}
END_TEST

static void begin(void) { ck_assert(!glshape_open(NULL, &context)); }
static void end(void) { glshape_close(context); }

Suite *compare_suite(void) {
    Suite *s = suite_create("compare");
    TCase *t = tcase_create("all");
    tcase_add_checked_fixture(t, begin, end);
    tcase_set_timeout(t, 200);
    tcase_add_test(t, slices);
    tcase_add_test(t, by_passes);
    tcase_add_test(t, long_lists);
    tcase_add_test(t, all_matchings);
    tcase_add_test(t, all_matchings_of_sums);
    tcase_add_test(t, as_gudhi);
    tcase_add_test(t, auctions);
    tcase_add_test(t, rows_and_dimensions);
    tcase_add_test(t, of_vectors);
    tcase_add_test(t, stops_within_a_pair);
    tcase_add_test(t, opposite_ends);
    tcase_add_test(t, extremes);
    tcase_add_test(t, refusals);
    suite_add_tcase(s, t);
    t = tcase_create("asked");
    tcase_add_checked_fixture(t, begin, end);
    tcase_set_timeout(t, 200);
    tcase_add_test(t, errors);
    tcase_add_test(t, rows_of_errors);
    tcase_add_test(t, asked_for);
    suite_add_tcase(s, t);
    return s;
}
