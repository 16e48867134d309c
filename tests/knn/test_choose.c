/* Points of many columns: whether an index is chosen for them, and that the choice changes no result. */
#include <math.h>

#include "prim/bench.h"

enum { MANY = 6000, NEIGHBORS = 7 };

typedef enum { UNIFORM, SURFACE, ROUGH, PLACES, NEAR_PLACES, GROUPS, TURNS, LINE, KINDS } kind;

static double uniform(void) { return bench_random() * 0x1p-32; }

/* Rows of a kind (TURNS: of two in turn); `few` are coordinates, or places, that they are made of. */
static double *draw_points(kind what, uint32_t n, uint32_t columns) {
    enum { FEW = 12 };
    double *x = bench_memory((size_t)n * columns, sizeof *x), *few = bench_memory(FEW * columns, sizeof *few);
    for (uint32_t e = 0; e < FEW * columns; e++) few[e] = uniform() - 0.5;
    for (uint32_t i = 0; i < n; i++) {
        double a = uniform(), b = uniform();
        const double *place = few + bench_random() % FEW * columns;
        for (uint32_t c = 0; c < columns; c++) {
            double flat = a * few[c] + b * few[columns + c], *to = &x[(size_t)i * columns + c];
            *to = what == UNIFORM       ? uniform()
                  : what == SURFACE     ? flat
                  : what == ROUGH       ? flat + 1e-3 * uniform()
                  : what == PLACES      ? place[c]
                  : what == NEAR_PLACES ? place[c] + 1e-10 * uniform()
                  : what == GROUPS      ? 20 * place[c] + uniform()
                  : what == TURNS       ? i % 2 ? uniform() - 0.5 : flat
                                        : a * few[c] + 1e-12 * uniform();
        }
    }
    return x;
}

static glshape_context *context(void) {
    static glshape_context *open;
    if (!open) ck_assert_int_eq(glshape_open(&(glshape_options){.device = test_device()}, &open), GLSHAPE_OK);
    return open;
}

static glshape_knn_result compute(const glshape_matrix *m, glshape_metric metric, glshape_search search) {
    glshape_knn_result r;
    glshape_source source = {.points = m, .metric = metric, .p = 2};
    glshape_knn_options o = {.n_neighbors = NEIGHBORS, .search = search};
    glshape_status status = glshape_knn_source(context(), &source, &o, &r);
    ck_assert_msg(!status, "%s: %s", bench_place(), glshape_last_error(context()));
    return r;
}

static bool is_indexed(void) { return fact_of(context(), "walks through the index") > 0; }

START_TEST(test_choice) {
    for (kind what = 0; what < KINDS; what++)
        for (int t = 0; t < hunt(1, 2); t++) {
            static const glshape_metric metrics[] = {GLSHAPE_METRIC_EUCLIDEAN, GLSHAPE_METRIC_MANHATTAN,
                                                     GLSHAPE_METRIC_COSINE, GLSHAPE_METRIC_CHEBYSHEV};
            glshape_metric metric = metrics[(t + what) % 4];
            uint32_t columns = 17 + bench_random() % 80;
            glshape_matrix m = {GLSHAPE_F64, MANY, columns, draw_points(what, MANY, columns)};
            bench_where("points %d, %u columns, metric %d", what, columns, metric);
            glshape_knn_result a = compute(&m, metric, GLSHAPE_SEARCH_AUTO);
            bool indexed = is_indexed(),
                 flat = what == SURFACE || what == PLACES ||
                        (what == LINE && metric != GLSHAPE_METRIC_COSINE); /* all in one direction */
            glshape_knn_result b = compute(&m, metric, GLSHAPE_SEARCH_PAIRS);
            BENCH_CHECK(!is_indexed());
            BENCH_CHECK(bench_same(a.index, b.index, MANY * NEIGHBORS));
            BENCH_CHECK(bench_same(a.distance, b.distance, 2 * MANY * NEIGHBORS));
            if (what == UNIFORM) BENCH_CHECK(!indexed);
            if (flat && gpu_is_software(test_gpu())) BENCH_CHECK(indexed);
            glshape_knn_free(&a);
            glshape_knn_free(&b);
            bench_clear();
        }
}
END_TEST

/* A sample of every so many rows would see those of one kind alone. */
START_TEST(test_turns) {
    enum { N = 1 << 14, COLUMNS = 24 };
    glshape_matrix m = {GLSHAPE_F64, N, COLUMNS, draw_points(TURNS, N, COLUMNS)};
    glshape_knn_result r = compute(&m, GLSHAPE_METRIC_EUCLIDEAN, GLSHAPE_SEARCH_AUTO);
    ck_assert(!is_indexed());
    glshape_knn_free(&r);
}
END_TEST

Suite *knn_choose_suite(void) {
    Suite *s = suite_create("knn/choose");
    TCase *c = bench_case(s, "choose");
    tcase_set_timeout(c, 600);
    tcase_add_test(c, test_choice);
    tcase_add_test(c, test_turns);
    return s;
}
