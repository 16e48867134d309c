/* Neighbors of other rows, and all within a radius. */
#include <math.h>
#include <string.h>

#include "prim/bench.h"
#include "reference/norm.h"
#include "reference/space.h"

/* Values of float32 or, if not, 0 … 255. */
static double *draw_points(bool floats, size_t rows, size_t columns) {
    double *x = bench_memory(rows * columns, sizeof *x);
    for (size_t k = 0; k < rows * columns; k++)
        x[k] = floats ? (float)(bench_random() * 0x1p-32) : bench_random() % 256;
    return x;
}

static glshape_context *context(void) {
    static glshape_context *open;
    if (!open) ck_assert_int_eq(glshape_open(&(glshape_options){.device = test_device()}, &open), GLSHAPE_OK);
    return open;
}

static glshape_knn_result compute(const glshape_matrix *m, const glshape_knn_options *o) {
    glshape_knn_result r;
    glshape_status status = glshape_knn(context(), m, o, &r);
    ck_assert_msg(!status, "%s: %s", bench_place(), glshape_last_error(context()));
    return r;
}

/* Neighbors of one row in order, from the twin; own: a row that is no neighbor, or -1. Returns how many. */
static size_t neighbors_of(const glshape_matrix *m, double p, const double *q, int64_t own,
                           ref_neighbor *out) {
    size_t left = 0;
    ref_by_sum(m->data, m->rows, m->cols, p, q, out);
    for (size_t a = 0; a < m->rows; a++)
        if (out[a].index != own) out[left++] = out[a];
    return left;
}

static void check_result(const glshape_matrix *m, const glshape_matrix *q, const glshape_knn_options *o,
                         const glshape_knn_result *r) {
    double p = o->metric == GLSHAPE_METRIC_MANHATTAN ? 1 : 2;
    ref_neighbor *want = bench_memory(m->rows, sizeof *want);
    for (size_t i = 0; i < q->rows; i++) {
        const double *row = (const double *)q->data + i * q->cols;
        size_t count = neighbors_of(m, p, row, o->queries ? -1 : (int64_t)i, want),
               k = (size_t)r->n_neighbors, from = r->start ? r->start[i] : i * k;
        if (r->start) {
            for (k = 0; k < count && ref_norm_root(p, want[k].sum) <= o->radius.value;) k++;
            BENCH_CHECK(r->start[i + 1] - from == k);
        }
        for (size_t a = 0; a < k; a++)
            BENCH_CHECK(r->index[from + a] == want[a].index &&
                        r->distance[from + a] == ref_norm_root(p, want[a].sum));
    }
}

/* By pairs and by index; the nearest, and all within a radius that some distances equal. Values are whole
 * numbers or multiples of a power of two, so that the library's scale changes nothing. */
START_TEST(test_queries) {
    for (int time = 0; time < hunt(15, 80); time++) {
        size_t n = 1 + bench_random() % 200, columns = 1 + bench_random() % 20,
               queries = 1 + bench_random() % 90;
        glshape_matrix m = {GLSHAPE_F64, n, columns, draw_points(time % 3, n, columns)};
        glshape_matrix q = {GLSHAPE_F64, queries, columns, draw_points(time % 3, queries, columns)};
        glshape_knn_options o = {.metric = (glshape_metric)(time & 1), .queries = time % 5 ? &q : NULL};
        if (!o.queries && n == 1) continue;
        const glshape_matrix *asked = o.queries ? &q : &m;
        o.n_neighbors = 1 + (int)(bench_random() % (uint32_t)(o.queries ? n : n - 1));
        for (int way = 0; way < 3; way++) {
            o.search = (glshape_search)way;
            if (way == GLSHAPE_SEARCH_PAIRS && o.n_neighbors > 128) continue;
            bench_where("time %d, %zu × %zu, %zu queries, way %d", time, n, columns, queries, way);
            glshape_knn_result r = compute(&m, &o);
            check_result(&m, asked, &o, &r);
            if (way == GLSHAPE_SEARCH_INDEX) {
                o.radius = GLSHAPE_SET(r.distance[bench_random() % (r.n * (size_t)r.n_neighbors)]);
                o.n_neighbors = 0;
                glshape_knn_free(&r);
                r = compute(&m, &o);
                check_result(&m, asked, &o, &r);
            }
            glshape_knn_free(&r);
        }
        bench_clear();
    }
}
END_TEST

/* Few queries, where the GPU has room for the index, but not for a copy of it in single precision. */
START_TEST(test_little_memory) {
    enum { N = 20000, COLUMNS = 3, QUERIES = 10 };
    glshape_matrix m = {GLSHAPE_F64, N, COLUMNS, draw_points(true, N, COLUMNS)};
    glshape_matrix q = {GLSHAPE_F64, QUERIES, COLUMNS, draw_points(true, QUERIES, COLUMNS)};
    glshape_knn_options o = {.n_neighbors = 1, .search = GLSHAPE_SEARCH_INDEX, .queries = &q};
    for (size_t limit = 1000000; limit <= 1800000; limit += 200000) {
        glshape_options options = {.device = test_device(), .gpu_memory = limit};
        glshape_context *c;
        glshape_knn_result r;
        bench_where("%zu bytes", limit);
        ck_assert_int_eq(glshape_open(&options, &c), GLSHAPE_OK);
        ck_assert_msg(!glshape_knn(c, &m, &o, &r), "%s: %s", bench_place(), glshape_last_error(c));
        BENCH_CHECK(r.gpu_bytes > 0 && r.gpu_bytes <= limit);
        check_result(&m, &q, &o, &r);
        glshape_knn_free(&r);
        ck_assert_int_eq(glshape_close(c), 0);
    }
    bench_clear();
}
END_TEST

/* A query of another type than the points; angles; no neighbor within 0. */
START_TEST(test_mixed_queries) {
    double x[] = {1, 0, 0, 1, 3, 3.5};
    float y[] = {2, 2};
    glshape_matrix m = {GLSHAPE_F64, 3, 2, x}, q = {GLSHAPE_F32, 1, 2, y};
    glshape_knn_options o = {.queries = &q, .n_neighbors = 2, .metric = GLSHAPE_METRIC_COSINE};
    glshape_knn_result r = compute(&m, &o);
    ck_assert(r.n == 1 && r.index[0] == 2 && r.index[1] == 0);
    glshape_knn_free(&r);
    o = (glshape_knn_options){.radius = GLSHAPE_SET(0)};
    r = compute(&m, &o);
    ck_assert(r.n == 3 && r.start[3] == 0);
    glshape_knn_free(&r);
    o = (glshape_knn_options){.radius = GLSHAPE_SET(INFINITY)};
    r = compute(&m, &o);
    ck_assert(r.start[3] == 6 && r.index[0] == 1);
    glshape_knn_free(&r);
}
END_TEST

/* More pairs than a result has are counted, and named, before any is looked for. */
START_TEST(test_too_many) {
    enum { N = 70000 };
    glshape_matrix m = {GLSHAPE_F64, N, 2, bench_memory(2 * N, sizeof(double))};
    glshape_knn_options o = {.radius = GLSHAPE_SET(0)};
    glshape_knn_result r;
    ck_assert_int_eq(glshape_knn(context(), &m, &o, &r), GLSHAPE_BAD_INPUT);
    ck_assert_ptr_nonnull(
        strstr(glshape_last_error(context()), "4899930000 pairs are within 0; at most 4294967296"));
}
END_TEST

START_TEST(test_closed) { ck_assert_int_eq(glshape_close(context()), 0); }
END_TEST

Suite *knn_queries_suite(void) {
    Suite *s = suite_create("knn/queries");
    TCase *c = bench_case(s, "queries");
    tcase_set_timeout(c, 180);
    tcase_add_test(c, test_queries);
    tcase_add_test(c, test_little_memory);
    tcase_add_test(c, test_mixed_queries);
    tcase_add_test(c, test_too_many);
    tcase_add_test(c, test_closed);
    return s;
}
