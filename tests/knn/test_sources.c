/* Neighbors of matrices of distances and of sparse rows. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "prim/bench.h"
#include "reference/norm.h"
#include "reference/space.h"

static glshape_context *context(void) {
    static glshape_context *open;
    if (!open) ck_assert_int_eq(glshape_open(NULL, &open), GLSHAPE_OK);
    return open;
}

#define DONE(expr) ck_assert_msg((expr) == GLSHAPE_OK, "%s: %s", bench_place(), glshape_last_error(context()))
#define REFUSED(status, expr, words)                                                \
    do {                                                                            \
        ck_assert_int_eq(expr, status);                                             \
        ck_assert_msg(strstr(glshape_last_error(context()), words) != NULL, "'%s'", \
                      glshape_last_error(context()));                               \
    } while (0)

/* ---- matrices ---------------------------------------------------------------------------------- */

typedef struct table {
    size_t columns;
    const float *d;
} table;

typedef struct double_table {
    size_t columns;
    const double *d;
} double_table;

static bool read_table(void *user, uint32_t first, uint32_t count, float *out, char *message, size_t size) {
    const table *t = user;
    (void)message, (void)size;
    memcpy(out, t->d + first * t->columns, count * t->columns * sizeof *out);
    return true;
}

static int by_sum(const void *a, const void *b) {
    const ref_neighbor *x = a, *y = b;
    if (x->sum != y->sum) return x->sum < y->sum ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

/* Compares a query's list, or all within the radius, with all of its neighbors in order. */
static void check_row(const ref_neighbor *want, size_t count, const glshape_knn_options *o,
                      const glshape_knn_result *r, size_t i) {
    size_t from = r->start ? r->start[i] : i * (size_t)r->n_neighbors, k = (size_t)r->n_neighbors;
    if (r->start) {
        for (k = 0; k < count && want[k].sum <= o->radius.value;) k++;
        BENCH_CHECK(r->start[i + 1] - from == k);
    }
    for (size_t a = 0; a < k; a++)
        ck_assert_msg(r->index[from + a] == want[a].index && r->distance[from + a] == want[a].sum,
                      "%s: neighbor %zu of %zu is %u at %.17g, not %u at %.17g", bench_place(), a, i,
                      r->index[from + a], r->distance[from + a], want[a].index, want[a].sum);
}

static bool read_double_table(void *user, uint32_t first, uint32_t count, double *out, char *message,
                              size_t size) {
    const double_table *t = user;
    (void)message, (void)size;
    memcpy(out, t->d + first * t->columns, count * t->columns * sizeof *out);
    return true;
}

/* A matrix of doubles of which single precision makes the same, within each of its values, and within the
 * double before it. */
START_TEST(test_doubles) {
    for (int time = 0; time < hunt(40, 600); time++) {
        size_t n = 2 + bench_random() % 60, levels = 1 + bench_random() % 30;
        double *d = bench_memory(n * n, sizeof *d);
        for (size_t k = 0; k < n * n; k++)
            d[k] = time % 2 ? (double)(bench_random() % levels) / 10
                            : 1 + (double)(bench_random() % levels) * 0x1p-50;
        glshape_source s = {
            .double_reader = read_double_table, .reader = read_table, .user = &(double_table){n, d}, .n = n};
        ref_neighbor *want = bench_memory(n, sizeof *want);
        bench_where("doubles, time %d, %zu points, %zu levels", time, n, levels);
        double at = d[bench_random() % (n * n)];
        for (int before = 0; before < 2; before++) {
            glshape_knn_options o = {.radius = GLSHAPE_SET(before ? nextafter(at, 0) : at)};
            glshape_knn_result r;
            DONE(glshape_knn_source(context(), &s, &o, &r));
            for (size_t i = 0; i < n; i++) {
                size_t count = 0;
                for (size_t j = 0; j < n; j++)
                    if (i != j) want[count++] = (ref_neighbor){d[i * n + j], (uint32_t)j};
                qsort(want, count, sizeof *want, by_sum);
                check_row(want, count, &o, &r, i);
            }
            glshape_knn_free(&r);
        }
        bench_clear();
    }
}
END_TEST

/* Any matrix, which need not be symmetric; of the points themselves (square; the diagonal has anything), or
 * of queries; many equal distances. */
START_TEST(test_matrices) {
    for (int time = 0; time < hunt(60, 600); time++) {
        bool own = time % 2;
        size_t n = 2 + bench_random() % 90, rows = own ? n : 1 + bench_random() % 60,
               levels = time % 3 ? 1 + bench_random() % 9 : 0;
        float *d = bench_memory(rows * n, sizeof *d);
        for (size_t k = 0; k < rows * n; k++)
            d[k] = levels ? (float)(bench_random() % levels) : (float)bench_random();
        if (own) d[0] = NAN;
        glshape_source s = {.reader = read_table, .user = &(table){n, d}, .n = n};
        glshape_knn_options o = {.n_neighbors = 1 + (int)(bench_random() % (n - own)),
                                 .reader_queries = own ? 0 : rows};
        glshape_knn_result r[2];
        ref_neighbor *want = bench_memory(n, sizeof *want);
        bench_where("time %d, %zu × %zu, %zu levels", time, rows, n, levels);
        DONE(glshape_knn_source(context(), &s, &o, &r[0]));
        o.n_neighbors = 0;
        o.radius = GLSHAPE_SET(levels ? (double)(bench_random() % levels) : 2e9);
        DONE(glshape_knn_source(context(), &s, &o, &r[1]));
        for (size_t i = 0; i < rows; i++) {
            size_t count = 0;
            for (size_t j = 0; j < n; j++)
                if (!own || i != j) want[count++] = (ref_neighbor){(double)d[i * n + j], (uint32_t)j};
            qsort(want, count, sizeof *want, by_sum);
            check_row(want, count, &o, &r[0], i);
            check_row(want, count, &o, &r[1], i);
        }
        glshape_knn_free(&r[0]);
        glshape_knn_free(&r[1]);
        bench_clear();
    }
}
END_TEST

/* ---- sparse rows ------------------------------------------------------------------------------- */

/* Rows of few values, and the same in dense form. */
typedef struct rows {
    glshape_sparse m;
    double *exact; /* the values, which are no floats; NULL: they are */
    double *dense;
} rows;

static rows draw_rows(size_t n, size_t columns, bool whole, bool copies, bool exact) {
    size_t *start = bench_memory(n + 1, sizeof *start), count = 0;
    uint32_t *column = bench_memory(n * columns, sizeof *column);
    float *value = bench_memory(n * columns, sizeof *value);
    rows r = {.dense = bench_memory(n * columns, sizeof *r.dense)};
    if (exact) r.exact = bench_memory(n * columns, sizeof *r.exact);
    for (size_t i = 0; i < n; i++) {
        const double *other = r.dense + (i ? bench_random() % i : 0) * columns;
        for (size_t c = 0; c < columns; c++) {
            double x = bench_random() % 6 ? 0 : whole ? 1 + bench_random() % 4 : bench_random() * 0x1p-30 - 2;
            if (c == i % columns && x == 0) x = 1; /* no row is all zeros */
            if (copies && i && i % 3 == 0) x = other[c];
            x = !exact ? (float)x : copies && i && i % 3 == 0 ? x : x / 10;
            r.dense[i * columns + c] = x;
            if (x == 0) continue;
            if (exact) r.exact[count] = x;
            column[count] = (uint32_t)c;
            value[count++] = (float)x;
        }
        start[i + 1] = count;
    }
    r.m = (glshape_sparse){n, columns, start, column, value};
    return r;
}

static const struct {
    glshape_metric metric;
    double p;
} metrics[] = {{GLSHAPE_METRIC_EUCLIDEAN, 0}, {GLSHAPE_METRIC_COSINE, 0},     {GLSHAPE_METRIC_EUCLIDEAN, 0},
               {GLSHAPE_METRIC_MANHATTAN, 0}, {GLSHAPE_METRIC_CHEBYSHEV, 0},  {GLSHAPE_METRIC_MINKOWSKI, 3},
               {GLSHAPE_METRIC_COSINE, 0},    {GLSHAPE_METRIC_MINKOWSKI, 2.5}};
enum { METRICS = sizeof metrics / sizeof *metrics };

static bool same(const glshape_knn_result *a, const glshape_knn_result *b) {
    size_t all = a->start ? a->start[a->n] : a->n * (size_t)a->n_neighbors;
    if (a->n != b->n || a->n_neighbors != b->n_neighbors) return false;
    if (a->start && memcmp(a->start, b->start, (a->n + 1) * sizeof *a->start)) return false;
    return !memcmp(a->index, b->index, all * sizeof *a->index) &&
           !memcmp(a->distance, b->distance, all * sizeof *a->distance);
}

/* The same bytes as the same rows in dense form, which other tests hold to the twin; the nearest, more than
 * by pairs of points, and all within a radius. */
START_TEST(test_sparse) {
    for (int time = 0; time < hunt(5, 60) * METRICS; time++) {
        size_t n = 2 + bench_random() % (time % 5 ? 120 : 300), columns = 1 + bench_random() % 40,
               queries = 1 + bench_random() % 50;
        bool whole_power = metrics[time % METRICS].p != 2.5; /* others round alike in one unit only */
        rows x = draw_rows(n, columns, time & 1, time & 2, whole_power && time % 3 > 0),
             q = draw_rows(queries, columns, time & 1, false, whole_power && time % 3 > 1);
        glshape_matrix m = {GLSHAPE_F64, n, columns, x.dense},
                       asked = {GLSHAPE_F64, queries, columns, q.dense};
        bool others = bench_random() & 1;
        glshape_source sparse = {.sparse = &x.m, .metric = metrics[time % METRICS].metric},
                       dense = {.points = &m, .metric = metrics[time % METRICS].metric};
        sparse.p = dense.p = metrics[time % METRICS].p;
        sparse.sparse_values = x.exact;
        glshape_knn_options of_sparse = {.sparse_queries = others ? &q.m : NULL,
                                         .sparse_query_values = others ? q.exact : NULL},
                            of_dense = {.queries = others ? &asked : NULL};
        glshape_knn_result a, b;
        of_sparse.n_neighbors = of_dense.n_neighbors = 1 + (int)(bench_random() % (n - !others));
        bench_where("time %d, %zu × %zu, %d neighbors, of others %d", time, n, columns, of_sparse.n_neighbors,
                    others);
        DONE(glshape_knn_source(context(), &dense, &of_dense, &b));
        DONE(glshape_knn_source(context(), &sparse, &of_sparse, &a));
        BENCH_CHECK(same(&a, &b));
        of_sparse.radius = of_dense.radius =
            GLSHAPE_SET(b.distance[bench_random() % (b.n * (size_t)b.n_neighbors)]);
        of_sparse.n_neighbors = of_dense.n_neighbors = 0;
        glshape_knn_free(&a);
        glshape_knn_free(&b);
        DONE(glshape_knn_source(context(), &dense, &of_dense, &b));
        DONE(glshape_knn_source(context(), &sparse, &of_sparse, &a));
        BENCH_CHECK(same(&a, &b));
        glshape_knn_free(&a);
        glshape_knn_free(&b);
        bench_clear();
    }
}
END_TEST

/* ---- refusals ---------------------------------------------------------------------------------- */

static bool fail_to_read(void *user, uint32_t first, uint32_t count, float *out, char *message, size_t size) {
    (void)user, (void)first, (void)count, (void)out;
    snprintf(message, size, "the disk is gone");
    return false;
}

START_TEST(test_refused) {
    float d[] = {0, 1, 2, 3, 0, -1, 1, 1, NAN, -INFINITY, 1, 1};
    table t = {3, d};
    glshape_source s = {.reader = read_table, .user = &t, .n = 3}, none = {0}, both = s,
                   gone = {.reader = fail_to_read, .n = 3};
    rows x = draw_rows(9, 5, false, false, true), q = draw_rows(3, 6, false, false, false);
    glshape_source sparse = {.sparse = &x.m};
    glshape_knn_options one = {.n_neighbors = 1}, four = {.n_neighbors = 3}, o = one;
    glshape_knn_result r;
    both.sparse = &x.m;
    bench_where("refusals");
    REFUSED(GLSHAPE_BAD_ARGUMENT, glshape_knn_source(context(), &none, &one, &r), "points");
    REFUSED(GLSHAPE_BAD_ARGUMENT, glshape_knn_source(context(), &both, &one, &r), "points");
    REFUSED(GLSHAPE_BAD_INPUT, glshape_knn_source(context(), &s, &one, &r), "row 2, column 3: -1");
    d[5] = 1; /* the diagonal may have anything */
    DONE(glshape_knn_source(context(), &s, &one, &r));
    glshape_knn_free(&r);
    o.reader_queries = 4;
    REFUSED(GLSHAPE_BAD_INPUT, glshape_knn_source(context(), &s, &o, &r), "row 3, column 3");
    d[8] = 1;
    REFUSED(GLSHAPE_BAD_INPUT, glshape_knn_source(context(), &s, &o, &r), "row 4, column 1: -inf");
    REFUSED(GLSHAPE_BAD_ARGUMENT, glshape_knn_source(context(), &s, &four, &r), "each has 2 others");
    REFUSED(GLSHAPE_IO_ERROR, glshape_knn_source(context(), &gone, &one, &r), "the disk is gone");
    o = one, o.sparse_queries = &q.m;
    REFUSED(GLSHAPE_BAD_ARGUMENT, glshape_knn_source(context(), &s, &o, &r), "queries are rows");
    REFUSED(GLSHAPE_BAD_INPUT, glshape_knn_source(context(), &sparse, &o, &r), "6 columns");
    o = one, o.search = GLSHAPE_SEARCH_INDEX;
    REFUSED(GLSHAPE_BAD_ARGUMENT, glshape_knn_source(context(), &sparse, &o, &r), "an index is of dense");
    x.exact[0] = NAN, sparse.sparse_values = x.exact;
    REFUSED(GLSHAPE_BAD_INPUT, glshape_knn_source(context(), &sparse, &one, &r), "row 1, column");
    sparse.metric = GLSHAPE_METRIC_CORRELATION;
    REFUSED(GLSHAPE_BAD_ARGUMENT, glshape_knn_source(context(), &sparse, &one, &r), "correlation");
}
END_TEST

START_TEST(test_closed) { ck_assert_int_eq(glshape_close(context()), 0); }
END_TEST

Suite *knn_sources_suite(void) {
    Suite *s = suite_create("knn/sources");
    TCase *c = bench_case(s, "sources");
    tcase_set_timeout(c, 180);
    tcase_add_test(c, test_matrices);
    tcase_add_test(c, test_doubles);
    tcase_add_test(c, test_sparse);
    tcase_add_test(c, test_refused);
    tcase_add_test(c, test_closed);
    return s;
}
