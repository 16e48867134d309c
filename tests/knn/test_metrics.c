/* Chebyshev's and Minkowski's distances, by every way of searching, and in every method that compares points.
 */
#include <math.h>
#include <stdio.h>
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

/* Values whose largest is so that the library multiplies them by 1: then the sums are those of the twin. */
typedef enum { FLOATS, DOUBLES, FEW, COPIES, NEAR, KINDS } kind;

static double uniform(void) { return bench_random() * 0x1p-32; }

static double *draw_points(kind what, size_t rows, size_t columns) {
    double *x = bench_memory(rows * columns, sizeof *x);
    for (size_t k = 0; k < rows * columns; k++)
        x[k] = what == FLOATS    ? (float)uniform() * 0.9
               : what == DOUBLES ? uniform() / 2.1
               : what == FEW     ? bench_random() % 4 / 4.0
               : what == COPIES  ? (float)sin((double)(k / columns % 9 * columns + k % columns)) * 0.9
                                 : (bench_random() % 3) * 0x1p-9 + 0x1p-30 * (bench_random() % 2);
    for (size_t k = 0; k < rows * columns; k++) x[k] = what == DOUBLES ? x[k] : (float)x[k];
    x[0] = what == DOUBLES ? 0.3 + 0x1p-50 : 0.75;
    return x;
}

/* Each whole one is a variant of passes, times the widths of slices: few columns make few of these. */
static const double powers[] = {INFINITY, 1.5, 3, 2.5, 4, 64};
static const size_t widths[] = {3, 8, 20};
enum { POWERS = sizeof powers / sizeof *powers };

/* Compares lists, or all within a radius, with the twin. */
static void check_lists(const glshape_matrix *m, const glshape_matrix *q, const glshape_knn_options *o,
                        const glshape_knn_result *r) {
    ref_neighbor *all = bench_memory(m->rows, sizeof *all);
    double p = o->metric == GLSHAPE_METRIC_CHEBYSHEV ? INFINITY : o->p;
    for (size_t i = 0; i < q->rows; i++) {
        size_t from = r->start ? r->start[i] : i * (size_t)r->n_neighbors, a = 0;
        ref_by_sum(m->data, m->rows, m->cols, p, (const double *)q->data + i * q->cols, all);
        for (size_t k = 0; k < m->rows; k++) {
            double d = ref_norm_root(p, all[k].sum);
            if (!o->queries && all[k].index == i) continue;
            if (r->start ? d > o->radius.value : a == (size_t)r->n_neighbors) break;
            ck_assert_msg(r->index[from + a] == all[k].index && r->distance[from + a] == d,
                          "%s: neighbor %zu of %zu is %u at %.17g, not %u at %.17g", bench_place(), a, i,
                          r->index[from + a], r->distance[from + a], all[k].index, d);
            a++;
        }
        BENCH_CHECK(!r->start || a == r->start[i + 1] - from);
    }
}

START_TEST(test_twin) {
    for (int time = 0; time < hunt(2, 40) * POWERS; time++) {
        kind what = (kind)(bench_random() % KINDS);
        size_t n = 2 + bench_random() % 150, columns = widths[bench_random() % 3],
               queries = 1 + bench_random() % 40;
        glshape_matrix m = {GLSHAPE_F64, n, columns, draw_points(what, n, columns)},
                       q = {GLSHAPE_F64, queries, columns, draw_points(what, queries, columns)};
        glshape_knn_options o = {.metric = GLSHAPE_METRIC_MINKOWSKI, .p = powers[time % POWERS]};
        if (time % POWERS == 0 && bench_random() % 2) o.metric = GLSHAPE_METRIC_CHEBYSHEV;
        o.queries = bench_random() % 3 ? NULL : &q;
        for (int way = GLSHAPE_SEARCH_AUTO; way <= GLSHAPE_SEARCH_INDEX; way++) {
            glshape_knn_result r;
            o.search = (glshape_search)way;
            o.radius = (glshape_optional){0};
            o.n_neighbors = 1 + (int)(bench_random() % (n - 1 < 40 ? n - 1 : 40));
            bench_where("points %d, %zu × %zu, p %g, way %d", what, n, columns, o.p, way);
            DONE(glshape_knn(context(), &m, &o, &r));
            check_lists(&m, o.queries ? &q : &m, &o, &r);
            o.radius = GLSHAPE_SET(r.distance[bench_random() % (r.n * (size_t)r.n_neighbors)]);
            o.n_neighbors = 0;
            glshape_knn_free(&r);
            if (way == GLSHAPE_SEARCH_PAIRS) continue;
            DONE(glshape_knn(context(), &m, &o, &r));
            check_lists(&m, o.queries ? &q : &m, &o, &r);
            glshape_knn_free(&r);
        }
        bench_clear();
    }
}
END_TEST

/* p 1, 2 and infinite are Manhattan, Euclidean and Chebyshev, to the last bit; a p of 0 is 2. */
START_TEST(test_names) {
    enum { N = 300, COLUMNS = 5, K = 6 };
    static const struct {
        glshape_metric metric;
        double p;
    } same[] = {{GLSHAPE_METRIC_MANHATTAN, 1},
                {GLSHAPE_METRIC_EUCLIDEAN, 2},
                {GLSHAPE_METRIC_EUCLIDEAN, 0},
                {GLSHAPE_METRIC_CHEBYSHEV, INFINITY}};
    double *x = bench_memory(N * COLUMNS, sizeof *x);
    glshape_matrix m = {GLSHAPE_F64, N, COLUMNS, x};
    for (int k = 0; k < N * COLUMNS; k++) x[k] = 1e3 * uniform();
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        glshape_knn_result a, b;
        glshape_knn_options o = {.n_neighbors = K, .metric = same[i].metric};
        DONE(glshape_knn(context(), &m, &o, &a));
        o = (glshape_knn_options){.n_neighbors = K, .metric = GLSHAPE_METRIC_MINKOWSKI, .p = same[i].p};
        DONE(glshape_knn(context(), &m, &o, &b));
        ck_assert(!memcmp(a.index, b.index, N * K * sizeof *a.index));
        ck_assert(!memcmp(a.distance, b.distance, N * K * sizeof *a.distance));
        glshape_knn_free(&a);
        glshape_knn_free(&b);
    }
}
END_TEST

/* Powers of two change no neighbor of a whole p, however large or small the values. */
START_TEST(test_scales) {
    enum { N = 200, COLUMNS = 3, K = 5 };
    double *x = draw_points(FLOATS, N, COLUMNS), *y = bench_memory(N * COLUMNS, sizeof *y);
    glshape_matrix m = {GLSHAPE_F64, N, COLUMNS, x}, other = {GLSHAPE_F64, N, COLUMNS, y};
    for (int p = 3; p < 65; p += 30)
        for (int exponent = -900; exponent < 1000; exponent += 450) {
            glshape_knn_options o = {.n_neighbors = K, .metric = GLSHAPE_METRIC_MINKOWSKI, .p = p};
            glshape_knn_result a, b;
            for (int k = 0; k < N * COLUMNS; k++) y[k] = ldexp(x[k], exponent);
            DONE(glshape_knn(context(), &m, &o, &a));
            DONE(glshape_knn(context(), &other, &o, &b));
            ck_assert(!memcmp(a.index, b.index, N * K * sizeof *a.index));
            for (int k = 0; k < N * K; k++) ck_assert(b.distance[k] == ldexp(a.distance[k], exponent));
            glshape_knn_free(&a);
            glshape_knn_free(&b);
        }
}
END_TEST

/* ---- scipy ------------------------------------------------------------------------------------- */

/* Reads the matrix of one metric; false at the end of the file. */
static bool read_case(FILE *f, size_t n, char name[32], double *p, double *d) {
    if (fscanf(f, " %31s %lf", name, p) != 2) return false;
    for (size_t k = 0; k < n * n; k++) ck_assert_int_eq(fscanf(f, "%lf", &d[k]), 1);
    return true;
}

START_TEST(test_scipy) {
    char name[32], line[128];
    size_t n, columns, cases = 0;
    double p;
    FILE *f = fopen("tests/knn/golden/distances.txt", "r");
    ck_assert(f && fgets(line, sizeof line, f) && fscanf(f, "%zu %zu", &n, &columns) == 2);
    double *x = bench_memory(n * columns, sizeof *x), *d = bench_memory(n * n, sizeof *d);
    for (size_t k = 0; k < n * columns; k++) ck_assert_int_eq(fscanf(f, "%lf", &x[k]), 1);
    glshape_matrix m = {GLSHAPE_F64, n, columns, x};
    for (; read_case(f, n, name, &p, d); cases++) {
        glshape_knn_options o = {.n_neighbors = (int)n, .queries = &m, .p = p};
        o.metric = strcmp(name, "chebyshev") ? GLSHAPE_METRIC_MINKOWSKI : GLSHAPE_METRIC_CHEBYSHEV;
        for (int way = GLSHAPE_SEARCH_PAIRS; way <= GLSHAPE_SEARCH_INDEX; way++) {
            glshape_knn_result r;
            o.search = (glshape_search)way;
            bench_where("%s, p %g, way %d", name, p, way);
            DONE(glshape_knn(context(), &m, &o, &r));
            for (size_t k = 0; k < n * n; k++)
                BENCH_CHECK(bench_near(r.distance[k], d[k / n * n + r.index[k]], 1e-14 * r.distance[k]));
            glshape_knn_free(&r);
        }
    }
    ck_assert_uint_eq(cases, 9);
    fclose(f);
}
END_TEST

/* ---- other methods ----------------------------------------------------------------------------- */

static const glshape_matrix *source_points(size_t n, size_t columns) {
    static glshape_matrix m;
    m = (glshape_matrix){GLSHAPE_F64, n, columns, draw_points((kind)(bench_random() % KINDS), n, columns)};
    return &m;
}

/* Single linkage and HDBSCAN by pairs and through an index; linkage's heights are edges of the spanning tree
 * that Prim's algorithm finds. */
static double tree_weight(const glshape_matrix *m, double p) {
    const double *x = m->data;
    double *near = bench_memory(m->rows, sizeof *near), total = 0;
    for (size_t v = 0; v < m->rows; v++) near[v] = INFINITY;
    for (size_t at = 0, next = 0, k = 1; k < m->rows; k++, at = next) {
        near[at] = -1;
        for (size_t v = 0; v < m->rows; v++) {
            double sum = ref_norm_sum(p, x + at * m->cols, x + v * m->cols, m->cols);
            if (near[v] > sum) near[v] = sum;
            if (near[v] >= 0 && (near[next] < 0 || near[v] < near[next])) next = v;
        }
        total += ref_norm_root(p, near[next]);
    }
    return total;
}

START_TEST(test_trees) {
    enum { N = 150 };
    for (int time = 0; time < POWERS; time++) {
        const glshape_matrix *m = source_points(N, widths[time % 2]);
        glshape_source s = {.points = m, .metric = GLSHAPE_METRIC_MINKOWSKI, .p = powers[time]};
        glshape_linkage_result a, b;
        glshape_hdbscan_result c, d;
        double total = 0;
        bench_where("p %g", s.p);
        DONE(glshape_linkage(context(), &s,
                             &(glshape_linkage_options){.search = GLSHAPE_SEARCH_PAIRS, .cophenetic = true},
                             &a));
        DONE(glshape_linkage(context(), &s, &(glshape_linkage_options){.search = GLSHAPE_SEARCH_INDEX}, &b));
        BENCH_CHECK(bench_same(a.merges, b.merges, 8 * (N - 1)));
        for (int k = 0; k < N - 1; k++) total += a.merges[4 * k + 2];
        BENCH_CHECK(bench_near(total, tree_weight(m, s.p), 1e-12 * total));
        BENCH_CHECK(a.cophenetic <= 1 + 1e-12);
        for (int alpha = 1; alpha <= 2; alpha++) {
            glshape_hdbscan_options o = {.alpha = alpha, .search = GLSHAPE_SEARCH_PAIRS};
            DONE(glshape_hdbscan(context(), &s, &o, &c));
            o.search = GLSHAPE_SEARCH_INDEX;
            DONE(glshape_hdbscan(context(), &s, &o, &d));
            BENCH_CHECK(bench_same(c.merges, d.merges, 8 * (N - 1)) && bench_same(c.labels, d.labels, N));
            glshape_hdbscan_free(&c);
            glshape_hdbscan_free(&d);
        }
        glshape_linkage_free(&a);
        glshape_linkage_free(&b);
        bench_clear();
    }
}
END_TEST

/* Of points and of their matrix the barcodes are the same, and so with lists of neighbors. Trees take
 * distances whose power vanishes beside the largest one as 0; rips scales each pair by itself. */
START_TEST(test_rips) {
    enum { N = 60, COLUMNS = 3 };
    for (int time = 0; time < POWERS; time++) {
        const glshape_matrix *m = source_points(N, COLUMNS);
        glshape_source s = {.points = m, .metric = GLSHAPE_METRIC_MINKOWSKI, .p = powers[time]};
        glshape_rips_options o = {.threshold = GLSHAPE_SET(0.5)};
        glshape_rips_result dense, lists;
        glshape_linkage_result tree;
        DONE(glshape_rips(context(), &s, &o, &dense));
        o.sparse = true;
        DONE(glshape_rips(context(), &s, &o, &lists));
        DONE(glshape_linkage(context(), &s, NULL, &tree));
        bench_where("p %g", s.p);
        BENCH_CHECK(dense.count == lists.count);
        double least = isinf(s.p) ? 1e-12 : fmax(1e-12, exp2(-1000 / s.p));
        for (size_t i = 0, k = 0; i < dense.count; i++) {
            double death = dense.intervals[i].death;
            BENCH_CHECK(death == lists.intervals[i].death);
            if (dense.intervals[i].dim || isinf(death) || death < least) continue;
            while (tree.merges[4 * k + 2] < least) k++;
            BENCH_CHECK(bench_near(dense.intervals[i].death, tree.merges[4 * k++ + 2], 1e-6));
        }
        glshape_rips_free(&dense);
        glshape_rips_free(&lists);
        glshape_linkage_free(&tree);
        bench_clear();
    }
}
END_TEST

typedef struct square {
    const glshape_matrix *m;
    double p;
} square;

static bool read_square(void *user, uint32_t first, uint32_t count, float *out, char *message, size_t size) {
    const square *s = user;
    const double *x = s->m->data;
    (void)message, (void)size;
    for (size_t i = first; i < (size_t)first + count; i++)
        for (size_t j = 0; j < s->m->rows; j++)
            *out++ = (float)ref_norm_root(
                s->p, ref_norm_sum(s->p, x + i * s->m->cols, x + j * s->m->cols, s->m->cols));
    return true;
}

/* A layout of points is that of the matrix of their distances. */
START_TEST(test_layouts) {
    enum { N = 70 };
    for (int time = 0; time < 4; time++) {
        square q = {source_points(N, 3), time % 2 ? 3 : INFINITY};
        glshape_source points = {.points = q.m, .metric = GLSHAPE_METRIC_MINKOWSKI, .p = q.p},
                       matrix = {.reader = read_square, .user = &q, .n = N};
        glshape_mds_result a, b;
        DONE(glshape_mds(context(), &points, NULL, &a));
        DONE(glshape_mds(context(), &matrix, NULL, &b));
        bench_where("p %g: stress %g and %g", q.p, a.stress, b.stress);
        BENCH_CHECK(bench_near(a.stress, b.stress, 1e-3));
        glshape_mds_free(&a);
        glshape_mds_free(&b);
        bench_clear();
    }
}
END_TEST

/* ---- refusals ---------------------------------------------------------------------------------- */

START_TEST(test_refused) {
    static const double bad[] = {0.5, -3, NAN, 64.5, -INFINITY};
    const glshape_matrix *m = source_points(9, 2);
    glshape_source s = {.points = m, .metric = GLSHAPE_METRIC_MINKOWSKI};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        glshape_knn_result r;
        glshape_linkage_result l;
        glshape_rips_result b;
        s.p = bad[i];
        ck_assert_int_eq(glshape_knn(context(), m,
                                     &(glshape_knn_options){
                                         .n_neighbors = 2, .metric = GLSHAPE_METRIC_MINKOWSKI, .p = bad[i]},
                                     &r),
                         GLSHAPE_BAD_ARGUMENT);
        ck_assert_ptr_nonnull(strstr(glshape_last_error(context()), "Minkowski"));
        ck_assert_int_eq(glshape_linkage(context(), &s, NULL, &l), GLSHAPE_BAD_ARGUMENT);
        ck_assert_int_eq(glshape_rips(context(), &s, NULL, &b), GLSHAPE_BAD_ARGUMENT);
    }
    glshape_hdbscan_result h;
    s.p = 64;
    ck_assert_int_eq(glshape_hdbscan(context(), &s, &(glshape_hdbscan_options){.alpha = 1e6}, &h),
                     GLSHAPE_BAD_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(glshape_last_error(context()), "nearer to 1"));
    glshape_mds_result layout;
    s.p = 0.5;
    ck_assert_int_eq(glshape_mds(context(), &s, NULL, &layout), GLSHAPE_BAD_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(glshape_last_error(context()), "Minkowski"));
}
END_TEST

START_TEST(test_closed) { ck_assert_int_eq(glshape_close(context()), 0); }
END_TEST

Suite *knn_metrics_suite(void) {
    Suite *s = suite_create("knn/metrics");
    TCase *c = bench_case(s, "metrics");
    tcase_set_timeout(c, 180);
    tcase_add_test(c, test_twin);
    tcase_add_test(c, test_names);
    tcase_add_test(c, test_scales);
    tcase_add_test(c, test_scipy);
    tcase_add_test(c, test_trees);
    tcase_add_test(c, test_rips);
    tcase_add_test(c, test_layouts);
    tcase_add_test(c, test_refused);
    tcase_add_test(c, test_closed);
    return s;
}
