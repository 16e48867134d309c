/* Other filtrations of rips: of some points, of points with weights, and with edges collapsed; against the
 * twin. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "rips/graph.h"
#include "rips/shapes.h"

/* ---- the greedy permutation -------------------------------------------------------------------- */

/* The matrix of some points of another. */
static ref_rips sample_of(const ref_rips *r, const uint32_t *row, uint32_t count, float *out) {
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t j = 0; j < count; j++) out[i * count + j] = r->distances[row[i] * r->n + row[j]];
    return (ref_rips){count, out, r->threshold, NULL};
}

static void compare_sample(ref_rips *r, uint32_t count) {
    uint32_t order[MOST];
    float some[MOST * MOST], cover = ref_rips_greedy(r, count, order);
    ref_rips of = sample_of(r, order, count, some);
    glshape_rips_result result =
        shapes_intervals(r, (glshape_rips_options){.dim = GLSHAPE_SET(2), .n_perm = count});
    ck_assert_uint_eq(result.n, count);
    for (uint32_t k = 0; k < count; k++) ck_assert_uint_eq(result.permutation[k], order[k]);
    ck_assert_msg(result.cover_radius == cover, "%g, not %g", (double)result.cover_radius, (double)cover);
    shapes_compare(&result, &of, 2, 2);
    glshape_rips_free(&result);
}

START_TEST(greedy_permutation) {
    shapes_dice.state = 250 + (uint64_t)_i;
    ref_rips r = shapes_make(&shapes_all[_i]);
    compare_sample(&r, 1);
    compare_sample(&r, r.n);
    compare_sample(&r, 1 + r.n / 2);
}
END_TEST

/* Points give what their matrix gives, in lists and in several blocks, too; many of them coincide. */
START_TEST(greedy_permutation_of_points) {
    enum { N = 40000, COUNT = 70, WIDTH = 2 };
    static uint8_t rows[N * WIDTH];
    shapes_dice.state = 260;
    for (int k = 0; k < N * WIDTH; k++) rows[k] = (uint8_t)random_below(&shapes_dice, 8);
    glshape_matrix m = {GLSHAPE_U8, N, WIDTH, rows};
    glshape_source source = {.points = &m};
    glshape_rips_options o = {.n_perm = COUNT, .threshold = GLSHAPE_SET(2), .threads = 3};
    glshape_rips_result dense, lists;
    ck_assert_int_eq(glshape_rips(shapes_context, &source, &o, &dense), GLSHAPE_OK);
    o.sparse = true;
    ck_assert_int_eq(glshape_rips(shapes_context, &source, &o, &lists), GLSHAPE_OK);
    ck_assert(dense.cover_radius == 0 && lists.n == COUNT); /* 64 places */
    bool seen[64] = {0};
    for (int k = 0; k < COUNT; k++) {
        uint32_t row = dense.permutation[k], place = 8u * rows[row * WIDTH] + rows[row * WIDTH + 1];
        ck_assert_uint_eq(row, lists.permutation[k]);
        ck_assert(seen[place] == (k >= 64));
        seen[place] = true;
        for (int j = 0; j < k; j++) ck_assert_uint_ne(row, dense.permutation[j]);
    }
    ck_assert_uint_eq(dense.count, lists.count);
    for (size_t i = 0; i < dense.count; i++) ck_assert(shapes_same(&dense.intervals[i], &lists.intervals[i]));
    glshape_rips_free(&dense);
    glshape_rips_free(&lists);
}
END_TEST

/* ---- weights and births ------------------------------------------------------------------------ */

static double weights[MOST];
static float births[MOST], raised[MOST * MOST];

/* The filtration of weights or of births, by its definition. */
static ref_rips weighted(const ref_rips *r, bool of_births) {
    for (uint32_t i = 0; i < r->n; i++) births[i] = (float)((of_births ? 1 : 2) * weights[i]);
    for (uint32_t i = 0; i < r->n; i++)
        for (uint32_t j = 0; j < r->n; j++) {
            double d = (double)r->distances[i * r->n + j] + (of_births ? 0 : weights[i] + weights[j]);
            raised[i * r->n + j] = fmaxf((float)d, fmaxf(births[i], births[j]));
        }
    return (ref_rips){r->n, raised, r->threshold, births};
}

static void draw_weights(uint32_t n, int kind) {
    for (uint32_t i = 0; i < n; i++)
        weights[i] = kind == 0   ? random_below(&shapes_dice, 3) / 2.0
                     : kind == 1 ? random_unit(&shapes_dice)
                     : kind == 2 ? random_below(&shapes_dice, 3) * 3.0
                                 : 0;
}

START_TEST(weighted_pairs) {
    shapes_dice.state = 270 + (uint64_t)_i;
    for (int round = 0; round < 2 * ROUNDS; round++) {
        ref_rips r = round % 4 ? shapes_make(&shapes_all[_i]) : shapes_make_gaps(&shapes_all[_i]);
        draw_weights(r.n, round % 4);
        ref_rips twin = weighted(&r, round >= ROUNDS);
        glshape_rips_options o = {.dim = GLSHAPE_SET(2), .threads = 2};
        if (round >= ROUNDS) o.births = weights;
        else o.weights = weights;
        glshape_rips_result result = shapes_intervals(&r, o);
        shapes_compare(&result, &twin, 2, 2);
        glshape_rips_free(&result);
        shapes_compare_graph(&r, &twin, o);
    }
}
END_TEST

/* ---- negative values ---------------------------------------------------------------------------- */

/* Births and distances of both signs: whole numbers, many of them equal; reals; as far apart as floats are.
 */
static ref_rips negative(const shape *s, int kind) {
    static const double most[] = {3e38, -3e38, 1e-38, -1e-38, 0};
    ref_rips r = kind % 2 ? shapes_make(s) : shapes_make_gaps(s);
    float less = kind < 2 ? 2 : kind < 4 ? 0.6f : 0;
    for (uint32_t i = 0; i < r.n; i++) {
        weights[i] = kind < 2   ? random_below(&shapes_dice, 4) - 2.5
                     : kind < 4 ? 2 * random_unit(&shapes_dice) - 1
                                : most[random_below(&shapes_dice, 5)];
        for (uint32_t j = 0; j < r.n; j++)
            if (i != j) shapes_matrix[i * r.n + j] -= less;
        for (uint32_t j = 0; j < i && kind >= 4; j++) /* that would be noise of distances */
            if (!random_below(&shapes_dice, 4))
                shapes_matrix[i * r.n + j] = shapes_matrix[j * r.n + i] = -1e-20f;
    }
    r.threshold = kind == 5 ? -1e-38f : r.threshold - less;
    return r;
}

/* On the device that has a name, and by lists on the CPU. */
START_TEST(negative_pairs) {
    glshape_context *named = shapes_context, *other;
    ck_assert_int_eq(glshape_open(&(glshape_options){.when_needed = true}, &other), GLSHAPE_OK);
    shapes_dice.state = 285 + (uint64_t)_i;
    for (int kind = 0; kind < hunt(6, 18); kind++) {
        ref_rips r = negative(&shapes_all[_i], kind % 6);
        ref_rips twin = weighted(&r, true);
        glshape_rips_options o = {.dim = GLSHAPE_SET(2), .births = weights};
        for (int turn = 0; turn < 2; turn++) {
            shapes_context = turn ? other : named;
            glshape_rips_result result = shapes_intervals(&r, o);
            shapes_compare(&result, &twin, 2, 2);
            ck_assert_msg(result.threshold == r.threshold || isinf(r.threshold), "%g",
                          (double)result.threshold);
            glshape_rips_free(&result);
            shapes_compare_graph(&r, &twin, o);
        }
        shapes_context = named;
    }
    glshape_close(other);
}
END_TEST

/* Without a threshold it is the enclosing radius, which is negative here; and what the result says of values.
 */
START_TEST(negative_enclosing_radius) {
    float d[] = {0, -5, -2, -5, 0, -3, -2, -3, 0};
    double b[] = {-9, -8, -7};
    glshape_rips_result result;
    ref_rips r = {3, d, INFINITY, NULL};
    glshape_source source = {.reader = shapes_read, .user = &r, .n = 3};
    ck_assert_int_eq(glshape_rips(shapes_context, &source, &(glshape_rips_options){.births = b}, &result),
                     GLSHAPE_OK);
    ck_assert(result.threshold == -2 || result.threshold == -3);
    ck_assert(result.least == -5 && result.greatest == -2 && result.count == 3);
    static const double ends[][2] = {{-8, -5}, {-7, -3}, {-9, INFINITY}};
    for (int k = 0; k < 3; k++) {
        ck_assert(result.intervals[k].dim == 0 && result.intervals[k].birth == ends[k][0]);
        ck_assert(result.intervals[k].death == ends[k][1]);
    }
    glshape_rips_free(&result);
}
END_TEST

/* More different values than floats have whole numbers: all edges of a large graph. */
START_TEST(negative_values_of_many_edges) {
    enum { EDGES = (1 << 24) + 999, NODES = 6000 };
    size_t *start = calloc(NODES + 1, sizeof *start), at = 0;
    uint32_t *to = malloc(2 * sizeof *to * EDGES);
    float *weight = malloc(2 * sizeof *weight * EDGES);
    double *b = malloc(NODES * sizeof *b);
    /* Edge {i, j}, i > j, is the k-th; its value is the k-th float behind -3e38. */
    float first = -3e38f;
    uint32_t bits;
    memcpy(&bits, &first, sizeof bits);
    for (size_t i = 0; i < NODES; i++) {
        for (size_t j = 0; j < NODES; j++) {
            size_t high = i > j ? i : j, low = i > j ? j : i, k = high * (high - 1) / 2 + low;
            if (i == j || k >= EDGES) continue;
            uint32_t value = bits - (uint32_t)k;
            to[at] = (uint32_t)j;
            memcpy(&weight[at++], &value, sizeof value);
        }
        start[i + 1] = at;
        b[i] = -3.1e38;
    }
    glshape_graph g = {NODES, start, to, weight};
    glshape_rips_result result;
    ck_assert_int_eq(glshape_rips(shapes_context, &(glshape_source){.graph = &g},
                                  &(glshape_rips_options){.births = b, .dim = GLSHAPE_SET(0)}, &result),
                     GLSHAPE_OK);
    /* Point i > 0 joins those before it by edge {i, 0}, the first of its edges. */
    size_t dies = 0;
    for (size_t k = 0; k < result.count; k++) {
        if (isinf(result.intervals[k].death)) continue;
        dies++;
        uint32_t value = bits - (uint32_t)(dies * (dies - 1) / 2);
        float death;
        memcpy(&death, &value, sizeof death);
        ck_assert_msg(result.intervals[k].death == (double)death, "%zu: %.9g, not %.9g", k,
                      result.intervals[k].death, (double)death);
    }
    ck_assert_uint_eq(dies, 5793); /* 5793 · 5792 / 2 < EDGES */
    glshape_rips_free(&result);
    free(start);
    free(to);
    free(weight);
    free(b);
}
END_TEST

/* The weights of rows go with them into the sample. */
START_TEST(weights_of_a_sample) {
    uint32_t order[MOST], count = 7;
    float some[MOST * MOST], their[MOST];
    shapes_dice.state = 280;
    ref_rips r = shapes_make(&shapes_all[8]);
    draw_weights(r.n, 1);
    ref_rips all = weighted(&r, false);
    ref_rips_greedy(&r, count, order);
    ref_rips twin = sample_of(&all, order, count, some);
    for (uint32_t k = 0; k < count; k++) their[k] = births[order[k]];
    twin.births = their;
    glshape_rips_result result = shapes_intervals(
        &r, (glshape_rips_options){.dim = GLSHAPE_SET(2), .n_perm = count, .weights = weights});
    shapes_compare(&result, &twin, 2, 2);
    glshape_rips_free(&result);
}
END_TEST

START_TEST(weight_of_one_point) {
    float zero = 0;
    double weight = 3;
    glshape_matrix m = {GLSHAPE_F32, 1, 1, &zero};
    glshape_source source = {.points = &m};
    for (int least = 0; least < 2; least++) {
        glshape_rips_options o = {.weights = &weight};
        glshape_rips_result r;
        if (least) o.threshold = GLSHAPE_SET(5);
        ck_assert_int_eq(glshape_rips(shapes_context, &source, &o, &r), GLSHAPE_OK);
        ck_assert_uint_eq(r.count, 1 - least);
        if (!least) ck_assert(r.intervals[0].birth == 6 && r.intervals[0].death == INFINITY);
        glshape_rips_free(&r);
    }
}
END_TEST

/* ---- edge collapse ------------------------------------------------------------------------------ */

typedef struct value {
    int dim;
    double birth, death;
} value;

static int by_value(const void *a, const void *b) {
    const value *x = a, *y = b;
    if (x->dim != y->dim) return x->dim - y->dim;
    if (x->birth != y->birth) return x->birth < y->birth ? -1 : 1;
    return (x->death > y->death) - (x->death < y->death);
}

/* The intervals of dimensions 0 to top are the twin's, whatever the simplices. */
static void compare_values(const glshape_rips_result *result, const ref_rips *r, int top, uint32_t modulus) {
    size_t count, wanted = 0;
    ref_rips_pair *pairs = ref_rips_pairs(r, top, modulus, &count);
    value *theirs = malloc((count + 1) * sizeof *theirs), *ours = malloc((result->count + 1) * sizeof *ours);
    for (size_t k = 0; k < count; k++)
        if (pairs[k].birth < pairs[k].death)
            theirs[wanted++] = (value){pairs[k].dim, pairs[k].birth, pairs[k].death};
    for (size_t k = 0; k < result->count; k++)
        ours[k] = (value){result->intervals[k].dim, result->intervals[k].birth, result->intervals[k].death};
    qsort(theirs, wanted, sizeof *theirs, by_value);
    qsort(ours, result->count, sizeof *ours, by_value);
    ck_assert_uint_eq(result->count, wanted);
    for (size_t k = 0; k < wanted; k++) ck_assert_int_eq(by_value(&theirs[k], &ours[k]), 0);
    free(pairs);
    free(theirs);
    free(ours);
}

static void compare_collapsed(const glshape_source *source, const ref_rips *twin, glshape_rips_options o) {
    glshape_rips_result result;
    o.collapse = GLSHAPE_RIPS_COLLAPSE_ON;
    ck_assert_int_eq(glshape_rips(shapes_context, source, &o, &result), GLSHAPE_OK);
    compare_values(&result, twin, (int)o.dim.value, (uint32_t)o.modulus);
    ck_assert(fact_of(shapes_context, "edges after the collapse") <=
              fact_of(shapes_context, "edges before the collapse"));
    glshape_rips_free(&result);
}

/* Of a matrix and of its graph, with and without weights. */
START_TEST(collapse) {
    size_t start[MOST + 1];
    uint32_t to[MOST * MOST];
    float weight[MOST * MOST];
    glshape_graph g;
    shapes_dice.state = 290 + (uint64_t)_i;
    for (int round = 0; round < hunt(2 * ROUNDS, 60); round++) {
        ref_rips r = round % 3 ? shapes_make(&shapes_all[_i]) : shapes_make_gaps(&shapes_all[_i]);
        draw_weights(r.n, round % 4);
        ref_rips twin = weighted(&r, false);
        glshape_rips_options o = {
            .dim = GLSHAPE_SET(round % 4), .modulus = 2 + round % 2, .threshold = GLSHAPE_SET(r.threshold)};
        shapes_graph(&r, &g, start, to, weight);
        const glshape_source sources[] = {{.reader = shapes_read, .user = &r, .n = r.n}, {.graph = &g}};
        for (int k = 0; k < 2; k++) {
            o.weights = NULL;
            compare_collapsed(&sources[k], &r, o);
            o.weights = weights;
            compare_collapsed(&sources[k], &twin, o);
        }
        ref_rips below = negative(&shapes_all[_i], round % 6), raised_below = weighted(&below, true);
        o = (glshape_rips_options){.dim = GLSHAPE_SET(round % 3), .modulus = 2, .births = weights};
        o.threshold = GLSHAPE_SET(below.threshold);
        compare_collapsed(&(glshape_source){.reader = shapes_read, .user = &below, .n = below.n},
                          &raised_below, o);
    }
}
END_TEST

/* Of uniform points on a sphere hardly any edge goes: all stay, and so do the simplices. */
START_TEST(collapse_that_does_not_pay) {
    enum { N = 100 };
    static double rows[3 * N];
    shapes_dice.state = 298;
    for (int i = 0; i < N; i++) {
        double z = 2 * random_unit(&shapes_dice) - 1, angle = 7 * random_unit(&shapes_dice),
               r = sqrt(1 - z * z);
        rows[3 * i] = r * cos(angle), rows[3 * i + 1] = r * sin(angle), rows[3 * i + 2] = z;
    }
    glshape_matrix m = {GLSHAPE_F64, N, 3, rows};
    glshape_rips_result r[2];
    for (int k = 0; k < 2; k++)
        ck_assert_int_eq(glshape_rips(shapes_context, &(glshape_source){.points = &m},
                                      &(glshape_rips_options){.collapse = k ? GLSHAPE_RIPS_COLLAPSE_AUTO
                                                                            : GLSHAPE_RIPS_COLLAPSE_OFF,
                                                              .dim = GLSHAPE_SET(2)},
                                      &r[k]),
                         GLSHAPE_OK);
    ck_assert(fact_of(shapes_context, "seconds of the sample for the collapse") > 0);
    ck_assert(fact_of(shapes_context, "edges before the collapse") == 0);
    ck_assert_uint_eq(r[0].count, r[1].count);
    for (size_t i = 0; i < r[0].count; i++) ck_assert(shapes_same(&r[0].intervals[i], &r[1].intervals[i]));
    for (int k = 0; k < 2; k++) glshape_rips_free(&r[k]);
}
END_TEST

/* Points of a small grid: many edges have one value, and many points coincide. */
START_TEST(collapse_of_points) {
    enum { N = 33 };
    static float rows[2 * N], distances[N * N];
    shapes_dice.state = 295;
    for (int turn = 0; turn < hunt(4, 16); turn++) {
        for (int k = 0; k < 2 * N; k++) rows[k] = (float)random_below(&shapes_dice, 5 + 4 * (uint32_t)turn);
        glshape_matrix m = {GLSHAPE_F32, N, 2, rows};
        glshape_source source = {.points = &m, .metric = turn % 2 ? GLSHAPE_METRIC_CHEBYSHEV : 0};
        rips_points p;
        error err = {0};
        OK(&err, rips_points_new(&err, &source, &p));
        for (size_t i = 0; i < N; i++)
            for (size_t j = 0; j < i; j++)
                distances[i * N + j] = distances[j * N + i] = rips_points_distance(&p, i, j);
        rips_points_free(&p);
        ref_rips r = {N, distances, 6, NULL};
        glshape_rips_options o = {.dim = GLSHAPE_SET(1), .modulus = 2, .threshold = GLSHAPE_SET(6)};
        compare_collapsed(&source, &r, o);
        o.sparse = true;
        compare_collapsed(&source, &r, o);
    }
}
END_TEST

Suite *rips_filtrations_suite(void);
Suite *rips_filtrations_suite(void) {
    Suite *s = suite_create("rips/filtrations");
    TCase *all = tcase_create("filtrations");
    tcase_set_timeout(all, 120);
    tcase_add_unchecked_fixture(all, shapes_open, shapes_close);
    tcase_add_loop_test(all, greedy_permutation, 0, SHAPES);
    tcase_add_test(all, greedy_permutation_of_points);
    tcase_add_loop_test(all, weighted_pairs, 0, SHAPES);
    tcase_add_loop_test(all, negative_pairs, 0, SHAPES);
    tcase_add_test(all, negative_enclosing_radius);
    tcase_add_test(all, negative_values_of_many_edges);
    tcase_add_loop_test(all, collapse, 0, SHAPES);
    tcase_add_test(all, collapse_of_points);
    tcase_add_test(all, collapse_that_does_not_pay);
    tcase_add_test(all, weights_of_a_sample);
    tcase_add_test(all, weight_of_one_point);
    suite_add_tcase(s, all);
    return s;
}
