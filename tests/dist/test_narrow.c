/* Points of integers beyond 2^53: every method gives what it gives for the same points near 0. */
#include <stdlib.h>
#include <string.h>

#include "dist/narrow.h"
#include "prim/bench.h"

enum { N = 90, COLUMNS = 2, QUERIES = 20 };

static glshape_context *shared;

static glshape_context *context(void) {
    if (!shared)
        ck_assert_int_eq(glshape_open(&(glshape_options){.device = test_device()}, &shared), GLSHAPE_OK);
    return shared;
}

#define DONE(expr) ck_assert_msg((expr) == GLSHAPE_OK, "%s: %s", bench_place(), glshape_last_error(context()))

/* Small integers with ties, and the same added to a large number for each column. */
typedef struct pair {
    double small[N * COLUMNS];
    uint64_t wide[N * COLUMNS];
    glshape_matrix near, far, near_queries, far_queries;
} pair;

static void draw(pair *p, glshape_type type, uint64_t base) {
    for (size_t k = 0; k < N * COLUMNS; k++) {
        p->small[k] = bench_random() % 300;
        p->wide[k] = base + (k % COLUMNS ? 1000003 : 0) + (uint64_t)p->small[k];
    }
    p->near = (glshape_matrix){GLSHAPE_F64, N, COLUMNS, p->small};
    p->far = (glshape_matrix){type, N, COLUMNS, p->wide};
    p->near_queries = (glshape_matrix){GLSHAPE_F64, QUERIES, COLUMNS, p->small};
    p->far_queries = (glshape_matrix){type, QUERIES, COLUMNS, p->wide};
}

static const struct {
    glshape_type type;
    uint64_t base;
} cases[] = {{GLSHAPE_I64, 1732530000000000001},
             {GLSHAPE_U64, 1732530000000000001},
             {GLSHAPE_U64, UINT64_MAX - 2000003},
             {GLSHAPE_I64, (uint64_t)INT64_MIN},
             {GLSHAPE_I64, ((uint64_t)1 << 53) - 100}};

static const glshape_metric metrics[] = {GLSHAPE_METRIC_EUCLIDEAN, GLSHAPE_METRIC_MANHATTAN,
                                         GLSHAPE_METRIC_CHEBYSHEV, GLSHAPE_METRIC_MINKOWSKI};

static void check_knn(const pair *p, glshape_metric metric, bool queries) {
    glshape_knn_result near, far;
    for (int radius = 0; radius < 2; radius++) {
        glshape_knn_options o = {.metric = metric, .p = 3, .queries = queries ? &p->near_queries : NULL};
        if (radius) o.radius = GLSHAPE_SET(20);
        DONE(glshape_knn(context(), &p->near, &o, &near));
        if (queries) o.queries = &p->far_queries;
        DONE(glshape_knn(context(), &p->far, &o, &far));
        size_t count = radius ? near.start[near.n] : near.n * (size_t)near.n_neighbors;
        BENCH_CHECK(!radius || bench_same(near.start, far.start, 2 * (near.n + 1)));
        BENCH_CHECK(bench_same(near.index, far.index, count) &&
                    bench_same(near.distance, far.distance, 2 * count));
        glshape_knn_free(&near);
        glshape_knn_free(&far);
    }
}

static void check_trees(const pair *p, glshape_metric metric) {
    glshape_source near = {.points = &p->near, .metric = metric, .p = 3}, far = near;
    far.points = &p->far;
    glshape_linkage_options cophenetic = {.cophenetic = true};
    glshape_linkage_result a, b;
    DONE(glshape_linkage(context(), &near, &cophenetic, &a));
    DONE(glshape_linkage(context(), &far, &cophenetic, &b));
    BENCH_CHECK(bench_same(a.merges, b.merges, 8 * (N - 1)) && a.cophenetic == b.cophenetic);
    glshape_hdbscan_result c, d;
    int32_t label[2][QUERIES];
    double probability[2][QUERIES];
    DONE(glshape_hdbscan(context(), &near, NULL, &c));
    DONE(glshape_hdbscan(context(), &far, NULL, &d));
    BENCH_CHECK(bench_same(c.merges, d.merges, 8 * (N - 1)) && bench_same(c.labels, d.labels, N));
    DONE(glshape_hdbscan_predict(context(), &near, &c, &p->near_queries, label[0], probability[0]));
    DONE(glshape_hdbscan_predict(context(), &far, &d, &p->far_queries, label[1], probability[1]));
    BENCH_CHECK(bench_same(label[0], label[1], QUERIES) &&
                bench_same(probability[0], probability[1], 2 * QUERIES));
    glshape_rips_result e, f;
    DONE(glshape_rips(context(), &near, NULL, &e));
    DONE(glshape_rips(context(), &far, NULL, &f));
    BENCH_CHECK(e.count == f.count);
    for (size_t k = 0; k < e.count; k++)
        BENCH_CHECK(e.intervals[k].birth == f.intervals[k].birth &&
                    e.intervals[k].death == f.intervals[k].death);
    glshape_linkage_free(&a);
    glshape_linkage_free(&b);
    glshape_hdbscan_free(&c);
    glshape_hdbscan_free(&d);
    glshape_rips_free(&e);
    glshape_rips_free(&f);
}

START_TEST(every_method) {
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        for (size_t m = 0; m < sizeof metrics / sizeof *metrics; m++) {
            pair p;
            draw(&p, cases[k].type, cases[k].base);
            bench_where("case %zu, metric %d", k, metrics[m]);
            check_knn(&p, metrics[m], false);
            check_knn(&p, metrics[m], true);
            check_trees(&p, metrics[m]);
        }
}
END_TEST

/* Queries in double beside points of integers count as the integers that they are. */
START_TEST(other_queries) {
    int64_t wide[] = {1732530000000000001, 1732530000000000005};
    double other[] = {1732530000000000000};
    glshape_matrix points = {GLSHAPE_I64, 2, 1, wide}, queries = {GLSHAPE_F64, 1, 1, other};
    glshape_knn_options o = {.n_neighbors = 2, .queries = &queries};
    glshape_knn_result r;
    DONE(glshape_knn(context(), &points, &o, &r));
    ck_assert(r.distance[0] == 1 && r.distance[1] == 5 && r.index[0] == 0);
    glshape_knn_free(&r);
    other[0] = 0.5;
    ck_assert_int_eq(glshape_knn(context(), &points, &o, &r), GLSHAPE_BAD_INPUT);
    ck_assert(strstr(glshape_last_error(context()), "row 1, column 1"));
}
END_TEST

/* Two types of 64 bits: the differences are exact where int64, or uint64, has all values; else refused. */
START_TEST(two_types) {
    const uint64_t far = 1732530000000000001, half = (uint64_t)1 << 63;
    const struct {
        uint64_t unsigned_, signed_; /* in this order */
        double apart;                /* -1: refused */
    } two[] = {{far, far + 4, 4},    {far + 7, far, 7},       {half - 1, half - 3, 2},
               {3, (uint64_t)-5, 8}, {half + 1, half - 1, 2}, {half + 9, (uint64_t)-1, -1}};
    for (size_t k = 0; k < sizeof two / sizeof *two; k++)
        for (int turned = 0; turned < 2; turned++) {
            uint64_t u[2] = {two[k].unsigned_, two[k].unsigned_}, i[2] = {two[k].signed_, two[k].signed_};
            if (two[k].apart == 8) u[1] = ((uint64_t)1 << 53) + 1; /* for which it matters */
            glshape_matrix a = {GLSHAPE_U64, 2, 1, u}, b = {GLSHAPE_I64, 1, 1, i};
            if (turned)
                a = (glshape_matrix){GLSHAPE_I64, 1, 1, i}, b = (glshape_matrix){GLSHAPE_U64, 1, 1, u};
            glshape_knn_options o = {.n_neighbors = 1, .queries = &b};
            glshape_knn_result r;
            bench_where("case %zu, turned %d", k, turned);
            if (two[k].apart < 0) {
                ck_assert_int_eq(glshape_knn(context(), &a, &o, &r), GLSHAPE_BAD_INPUT);
                ck_assert_ptr_nonnull(strstr(glshape_last_error(context()), "is no int64"));
                continue;
            }
            DONE(glshape_knn(context(), &a, &o, &r));
            BENCH_CHECK(r.distance[0] == two[k].apart);
            glshape_knn_free(&r);
        }
}
END_TEST

START_TEST(refusals) {
    int64_t wide[] = {0, 5, INT64_MAX, 7};
    glshape_matrix m = {GLSHAPE_I64, 2, 2, wide};
    glshape_source s = {.points = &m};
    glshape_linkage_result r;
    ck_assert_int_eq(glshape_linkage(context(), &s, NULL, &r), GLSHAPE_BAD_INPUT);
    ck_assert(strstr(glshape_last_error(context()), "row 2, column 1 is an integer beyond 2^53"));
    ck_assert(strstr(glshape_last_error(context()), "divide it"));
    s.metric = GLSHAPE_METRIC_CORRELATION;
    ck_assert_int_eq(glshape_linkage(context(), &s, NULL, &r), GLSHAPE_BAD_INPUT);
    ck_assert(strstr(glshape_last_error(context()), "subtract an offset from its row"));
    s.metric = GLSHAPE_METRIC_COSINE; /* whose error is larger */
    wide[0] = 3;
    DONE(glshape_linkage(context(), &s, NULL, &r));
    glshape_linkage_free(&r);
    wide[2] = (int64_t)1 << 62; /* a double, which needs nothing */
    s.metric = GLSHAPE_METRIC_EUCLIDEAN;
    DONE(glshape_linkage(context(), &s, NULL, &r));
    ck_assert(r.merges[2] == 0x1p62);
    glshape_linkage_free(&r);
}
END_TEST

START_TEST(closed) {
    if (shared) ck_assert_int_eq(glshape_close(shared), 0);
    shared = NULL;
}
END_TEST

Suite *dist_narrow_suite(void) {
    Suite *s = suite_create("dist/narrow");
    TCase *c = bench_case(s, "narrow");
    tcase_set_timeout(c, 300);
    tcase_add_test(c, every_method);
    tcase_add_test(c, other_queries);
    tcase_add_test(c, two_types);
    tcase_add_test(c, refusals);
    tcase_add_test(c, closed);
    return s;
}
