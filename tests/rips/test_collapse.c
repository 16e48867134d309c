/* Edges that are collapsed: the same complex as by the definition, with any number of threads, and the same
 * intervals in every setting. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/context.h"
#include "place/place.h"
#include "reference/collapse.h"
#include "rips/collapse.h"
#include "rips/lists.h"
#include "rips/shapes.h"

enum { MANY = 600 }; /* points: threads share the edges of so many */

static random_state dice;

/* ---- complexes ---------------------------------------------------------------------------------- */

typedef enum kind { REALS, TIES, GRID, CIRCLE, KINDS } kind;

/* Distances of a kind; in one of `few` pairs, or all if that is 1. Others are infinitely far. */
static float *draw_matrix(uint32_t n, kind k, uint32_t few) {
    float *d = malloc((size_t)n * n * sizeof *d), *x = malloc(2 * (size_t)n * sizeof *x);
    for (uint32_t i = 0; i < n; i++) {
        float angle = 6.2831853f * (float)random_unit(&dice);
        x[2 * i] = k == GRID ? (float)random_below(&dice, 6) : cosf(angle);
        x[2 * i + 1] = k == GRID ? (float)random_below(&dice, 6) : sinf(angle);
        d[(size_t)i * n + i] = 0;
        for (uint32_t j = 0; j < i; j++) {
            float value = k == REALS  ? (float)random_unit(&dice)
                          : k == TIES ? 1 + (float)random_below(&dice, 5)
                                      : hypotf(x[2 * i] - x[2 * j], x[2 * i + 1] - x[2 * j + 1]);
            if (random_below(&dice, few)) value = INFINITY;
            d[(size_t)i * n + j] = d[(size_t)j * n + i] = value;
        }
    }
    free(x);
    return d;
}

/* The lists of neighbors of a matrix, as a complex without a matrix has them. */
static void list_neighbors(const float *d, rips_space *s) {
    size_t n = s->n, count = 0;
    s->graph.start = calloc(n + 1, sizeof *s->graph.start);
    s->graph.point = malloc((n * n + 1) * sizeof *s->graph.point);
    s->graph.distance = malloc((n * n + 1) * sizeof *s->graph.distance);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++)
            if (i != j && d[i * n + j] <= s->threshold && d[i * n + j] < INFINITY) {
                s->graph.point[count] = (uint32_t)j;
                s->graph.distance[count++] = d[i * n + j];
            }
        s->graph.start[i + 1] = count;
    }
}

static rips_collapsed collapse_with(rips_space *s, int threads) {
    rips_collapsed c;
    OK(run_error(run_of(test_gpu())), rips_collapse(run_of(test_gpu()), s, threads, &c));
    return c;
}

/* Collapses a copy of the matrix; the caller frees it. */
static float *collapsed_matrix(const float *d, uint32_t n, float threshold, int threads, rips_collapsed *c) {
    rips_space s = {.n = n, .threshold = threshold, .distance = malloc((size_t)n * n * sizeof *d)};
    memcpy(s.distance, d, (size_t)n * n * sizeof *d);
    *c = collapse_with(&s, threads);
    return s.distance;
}

enum { BY_LISTS = 0, BY_MATRIX = -1 }; /* passes, in place of a number of threads */

/* Returns false if the passes leave it to threads. */
static bool collapse_how(rips_space *s, int threads, rips_collapsed *c) {
    bool done;
    rips_collapse_way way = {.matrix = threads == BY_MATRIX};
    if (threads > 0) return *c = collapse_with(s, threads), true;
    OK(run_error(run_of(test_gpu())), rips_collapse_by_passes(test_gpu(), s, &way, c, &done));
    return done;
}

/* Whether the passes take the edges of a matrix: a software renderer takes short lists. */
static bool are_for_passes(const float *d, uint32_t n, float threshold) {
    rips_space s = {.n = n, .threshold = threshold};
    list_neighbors(d, &s);
    bool are = rips_longest_list(&s) <= place_amount(test_gpu(), PLACE_AMOUNT_COLLAPSE_LIST);
    rips_space_free(&s);
    return are;
}

/* The lists are then those of the edges up to the threshold in the matrix. Returns false if the passes left
 * them as they were. */
static bool compare_lists(const float *before, const float *after, uint32_t n, float threshold, int threads) {
    rips_space s = {.n = n, .threshold = threshold}, wanted = {.n = n, .threshold = threshold};
    rips_collapsed c;
    list_neighbors(before, &s);
    bool done = collapse_how(&s, threads, &c);
    list_neighbors(done ? after : before, &wanted);
    size_t count = wanted.graph.start[n];
    ck_assert(!done || 2 * c.left == count);
    ck_assert_mem_eq(s.graph.start, wanted.graph.start, (n + 1) * sizeof *s.graph.start);
    ck_assert_mem_eq(s.graph.point, wanted.graph.point, count * sizeof *s.graph.point);
    ck_assert_mem_eq(s.graph.distance, wanted.graph.distance, count * sizeof *s.graph.distance);
    rips_space_free(&s);
    rips_space_free(&wanted);
    return done;
}

/* The passes may leave to threads what takes long: a circle, each of whose points refutes few others, and
 * many points of random distances or without a matrix. */
static void compare_passes(const float *before, const float *after, uint32_t n, float threshold, kind k) {
    bool lists = compare_lists(before, after, n, threshold, BY_LISTS),
         matrix = compare_lists(before, after, n, threshold, BY_MATRIX);
    ck_assert(lists || k == CIRCLE || n == MANY);
    ck_assert(matrix || k == CIRCLE || (k == REALS && n == MANY));
}

static void compare_with_definition(uint32_t n, kind k, uint32_t few, float threshold, int threads) {
    rips_collapsed c;
    float *d = draw_matrix(n, k, few), *ours = collapsed_matrix(d, n, threshold, threads, &c),
          *theirs = malloc((size_t)n * n * sizeof *d);
    memcpy(theirs, d, (size_t)n * n * sizeof *d);
    ref_collapse(theirs, n, threshold);
    ck_assert_mem_eq(ours, theirs, (size_t)n * n * sizeof *d);
    compare_lists(d, theirs, n, threshold, threads);
    if (are_for_passes(d, n, threshold)) compare_passes(d, theirs, n, threshold, k);
    free(d);
    free(ours);
    free(theirs);
}

START_TEST(by_definition) {
    static const float thresholds[KINDS] = {0.7f, 4, 5, 1.8f};
    dice.state = 600 + (uint64_t)_i;
    for (int round = 0; round < hunt(60, 400); round++)
        compare_with_definition(1 + random_below(&dice, 24), (kind)_i, 1 + random_below(&dice, 3),
                                round % 2 ? thresholds[_i] : INFINITY, 1);
}
END_TEST

/* Few enough edges for the definition, and enough points for threads. */
START_TEST(by_definition_of_many) {
    static const float thresholds[KINDS] = {0.9f, 4, 5, 0.05f};
    dice.state = 610 + (uint64_t)_i;
    for (int threads = 2; threads <= 5; threads++)
        compare_with_definition(MANY, (kind)_i, _i == CIRCLE ? 1 : 40, thresholds[_i], threads);
}
END_TEST

/* Edges of one block that matter to each other are found, and the outcome is that of one thread. */
START_TEST(threads_agree) {
    if (is_second_driver()) return;
    uint64_t again = 0;
    dice.state = 620 + (uint64_t)_i;
    for (uint32_t few = 1; few <= 4; few *= 2) {
        rips_collapsed one, more;
        float *d = draw_matrix(MANY, (kind)_i, few), *alone = collapsed_matrix(d, MANY, INFINITY, 1, &one);
        ck_assert_uint_eq(one.again, 0);
        if (are_for_passes(d, MANY, INFINITY)) compare_passes(d, alone, MANY, INFINITY, (kind)_i);
        for (int threads = 2; threads <= 7; threads += 5) {
            float *ours = collapsed_matrix(d, MANY, INFINITY, threads, &more);
            ck_assert_mem_eq(ours, alone, sizeof(float) * MANY * MANY);
            ck_assert(one.left == more.left && one.edges == more.edges);
            again += more.again;
            free(ours);
        }
        free(d);
        free(alone);
    }
    ck_assert(again || _i == REALS); /* of which hardly any edge goes */
}
END_TEST

/* ---- intervals ---------------------------------------------------------------------------------- */

typedef struct input {
    glshape_source source;
    glshape_matrix points;
    ref_rips matrix;
    glshape_graph graph;
    size_t start[MOST + 1];
    uint32_t to[MOST * MOST];
    float weight[MOST * MOST], rows[2 * MOST];
    double weights[MOST];
} input;

enum { OF_POINTS, OF_SPARSE_POINTS, OF_MATRIX, OF_GRAPH, SOURCES };

static void draw_input(input *in, uint32_t n, int which, glshape_rips_options *o) {
    uint32_t values = 2 + random_below(&dice, 9);
    *in = (input){.matrix = {.n = n, .threshold = INFINITY}};
    for (uint32_t k = 0; k < n; k++) in->weights[k] = (double)random_below(&dice, 4) / 2;
    for (uint32_t k = 0; k < 2 * n; k++) in->rows[k] = (float)random_below(&dice, values);
    in->points = (glshape_matrix){GLSHAPE_F32, n, 2, in->rows};
    in->matrix.distances = draw_matrix(n, (kind)random_below(&dice, KINDS), 1 + random_below(&dice, 2));
    if (random_below(&dice, 2) || which == OF_SPARSE_POINTS)
        o->threshold = GLSHAPE_SET((double)random_below(&dice, 12) / 2);
    if (random_below(&dice, 3) == 0) o->weights = in->weights;
    if (which != OF_GRAPH && n > 3 && random_below(&dice, 4) == 0) o->n_perm = 3 + random_below(&dice, n - 3);
    o->sparse = which == OF_SPARSE_POINTS;
    if (which <= OF_SPARSE_POINTS) in->source.points = &in->points;
    if (which == OF_MATRIX) in->source = (glshape_source){.reader = shapes_read, .user = &in->matrix, .n = n};
    if (which != OF_GRAPH) return;
    shapes_graph(&in->matrix, &in->graph, in->start, in->to, in->weight);
    in->source.graph = &in->graph;
}

static int by_values(const void *p, const void *q) {
    const glshape_interval *x = p, *y = q;
    if (x->dim != y->dim) return x->dim - y->dim;
    if (x->birth != y->birth) return x->birth < y->birth ? -1 : 1;
    return (x->death > y->death) - (x->death < y->death);
}

static glshape_rips_result intervals_of(glshape_context *c, const input *in, const glshape_rips_options *o,
                                        glshape_rips_collapse how) {
    glshape_rips_options with = *o;
    glshape_rips_result r;
    with.collapse = how;
    ck_assert_msg(glshape_rips(c, &in->source, &with, &r) == GLSHAPE_OK, "%s", glshape_last_error(c));
    qsort(r.intervals, r.count, sizeof *r.intervals, by_values);
    return r;
}

static void compare_intervals(const glshape_rips_result *a, const glshape_rips_result *b) {
    ck_assert_uint_eq(a->count, b->count);
    for (size_t k = 0; k < a->count; k++) ck_assert_int_eq(by_values(&a->intervals[k], &b->intervals[k]), 0);
}

/* Returns true if `auto` collapsed the edges. */
static bool compare_ways(glshape_context *c, const input *in, const glshape_rips_options *o) {
    glshape_rips_result off = intervals_of(c, in, o, GLSHAPE_RIPS_COLLAPSE_OFF);
    glshape_rips_result on = intervals_of(c, in, o, GLSHAPE_RIPS_COLLAPSE_ON);
    glshape_rips_result chosen = intervals_of(c, in, o, GLSHAPE_RIPS_COLLAPSE_AUTO);
    bool collapsed = fact_of(c, "edges before the collapse") > 0;
    compare_intervals(&off, &on);
    compare_intervals(&off, &chosen);
    glshape_rips_free(&off);
    glshape_rips_free(&on);
    glshape_rips_free(&chosen);
    return collapsed;
}

/* A thousand inputs with many ties: each source, weights, samples, thresholds, dimensions and moduli. */
START_TEST(all_ways_agree) {
    static const int moduli[] = {2, 3, 5};
    static input in;
    glshape_context *c;
    int collapsed = 0, rounds = 250;
    ck_assert_int_eq(glshape_open(NULL, &c), GLSHAPE_OK);
    dice.state = 630 + (uint64_t)_i;
    for (int round = 0; round < rounds; round++) {
        glshape_rips_options o = {.dim = GLSHAPE_SET(round % 4), .modulus = moduli[round % 3]};
        draw_input(&in, 1 + random_below(&dice, 22), _i, &o);
        collapsed += compare_ways(c, &in, &o);
        free((void *)in.matrix.distances);
    }
    ck_assert(collapsed > rounds / 20 && collapsed < rounds / 2 + 1);
    glshape_close(c);
}
END_TEST

/* ---- what auto decides -------------------------------------------------------------------------- */

static bool is_collapsed(glshape_context *c, const glshape_source *source, glshape_rips_options o) {
    glshape_rips_result r;
    ck_assert_int_eq(glshape_rips(c, source, &o, &r), GLSHAPE_OK);
    glshape_rips_free(&r);
    return fact_of(c, "edges after the collapse") > 0;
}

/* Nearly all edges of a disc go, and hardly any of a random matrix. */
START_TEST(choice) {
    enum { N = 120, NOISE = 64 };
    static double rows[2 * N];
    dice.state = 640;
    for (int k = 0; k < 2 * N; k++) rows[k] = random_unit(&dice);
    glshape_matrix m = {GLSHAPE_F64, N, 2, rows};
    ref_rips random = {.n = NOISE, .distances = draw_matrix(NOISE, REALS, 1), .threshold = INFINITY};
    const glshape_source disc = {.points = &m}, noise = {.reader = shapes_read, .user = &random, .n = NOISE};
    const glshape_rips_options o = {.dim = GLSHAPE_SET(2), .collapse = GLSHAPE_RIPS_COLLAPSE_AUTO};
    glshape_rips_options one = o, off = o, cocycles = o, on = o;
    glshape_context *c;
    one.dim = GLSHAPE_SET(1);
    off.collapse = GLSHAPE_RIPS_COLLAPSE_OFF;
    cocycles.cocycles = true;
    on.collapse = GLSHAPE_RIPS_COLLAPSE_ON;
    ck_assert_int_eq(glshape_open(&(glshape_options){.when_needed = true}, &c), GLSHAPE_OK);
    ck_assert(is_collapsed(c, &disc, o));
    ck_assert(!gpu_is_open(context_gpu(c))); /* for what is left none is needed */
    ck_assert(!is_collapsed(c, &disc, one));
    ck_assert(!is_collapsed(c, &disc, off));
    ck_assert(!is_collapsed(c, &disc, cocycles));
    cocycles.collapse = GLSHAPE_RIPS_COLLAPSE_ON;
    ck_assert(is_collapsed(c, &disc, cocycles));
    ck_assert(!is_collapsed(c, &noise, o));
    ck_assert(gpu_is_open(context_gpu(c)));
    ck_assert(is_collapsed(c, &noise, on));
    glshape_close(c);
    free((void *)random.distances);
}
END_TEST

Suite *rips_collapse_suite(void);
Suite *rips_collapse_suite(void) {
    Suite *s = suite_create("rips/collapse");
    TCase *all = tcase_create("collapse");
    tcase_set_timeout(all, 120);
    tcase_add_unchecked_fixture(all, shapes_open, shapes_close);
    tcase_add_loop_test(all, by_definition, 0, KINDS);
    tcase_add_loop_test(all, by_definition_of_many, 0, KINDS);
    tcase_add_loop_test(all, threads_agree, 0, KINDS);
    tcase_add_loop_test(all, all_ways_agree, 0, SOURCES);
    tcase_add_test(all, choice);
    suite_add_tcase(s, all);
    return s;
}
