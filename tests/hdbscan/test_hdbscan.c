#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hdbscan/hdbscan.h"
#include "io/read.h"
#include "prim/bench.h"
#include "reference/hdbscan.h"
#include "reference/linkage.h"

/* ---- running ----------------------------------------------------------------------------------- */

static glshape_context *shared;

static glshape_context *context(void) {
    if (!shared) ck_assert_int_eq(glshape_open(NULL, &shared), GLSHAPE_OK);
    return shared;
}

/* The caller frees the result. */
static glshape_hdbscan_result run(const glshape_source *source, const glshape_hdbscan_options *o) {
    glshape_hdbscan_result r;
    glshape_status status = glshape_hdbscan(context(), source, o, &r);
    ck_assert_msg(!status, "%s: %s", bench_place(), glshape_last_error(context()));
    return r;
}

/* ---- scikit-learn ------------------------------------------------------------------------------ */

enum { CASES = 5 };

typedef struct golden {
    char set[32], selection[8];
    int index, rows, columns, min_cluster_size, min_samples, single, clusters, noise, one_partition, one_answer,
        one_cut;
    double epsilon;
} golden;

static bool read_case(FILE *f, golden *c) {
    return fscanf(f, " %31[^,],%d,%d,%d,%d,%d,%7[^,],%lf,%d,%d,%d,%d,%d,%d", c->set, &c->index, &c->rows,
                  &c->columns, &c->min_cluster_size, &c->min_samples, c->selection, &c->epsilon, &c->single,
                  &c->clusters, &c->noise, &c->one_partition, &c->one_answer, &c->one_cut) == 14;
}

static void read_golden(const char *set, const char *what, glshape_matrix *out) {
    char path[128];
    error err = {0};
    snprintf(path, sizeof path, "tests/hdbscan/golden/%s%s.npy.gz", set, what);
    OK(&err, io_read_matrix(&err, path, IO_AUTO, out));
}

/* Labels, probabilities and the cut at 0.5, where they are the only answer. */
static void check_case(const golden *c, const glshape_matrix *points, const float *answers) {
    glshape_hdbscan_options o = {.min_cluster_size = c->min_cluster_size,
                                 .min_samples = c->min_samples,
                                 .epsilon = c->epsilon,
                                 .allow_single_cluster = c->single,
                                 .selection = c->selection[0] == 'l' ? GLSHAPE_HDBSCAN_LEAF : GLSHAPE_HDBSCAN_EOM};
    bench_where("%s, case %d", c->set, c->index);
    glshape_hdbscan_result r = run(&(glshape_source){.points = points}, &o);
    int32_t *cut = bench_memory(r.n, sizeof *cut);
    size_t clusters;
    ck_assert_int_eq(glshape_hdbscan_dbscan(context(), &r, 0.5, 5, cut, &clusters), GLSHAPE_OK);
    for (size_t v = 0; v < r.n; v++) {
        const float *want = answers + v * 3 * CASES + c->index;
        if (c->one_cut) BENCH_CHECK(cut[v] == (int32_t)want[CASES]);
        if (c->one_partition) BENCH_CHECK(r.labels[v] == (int32_t)want[0]);
        if (c->one_answer) BENCH_CHECK(bench_near(r.probabilities[v], (double)want[2 * CASES], 1e-6));
    }
    BENCH_CHECK(!c->one_partition || (r.clusters == (size_t)c->clusters && r.noise == (size_t)c->noise));
    glshape_hdbscan_free(&r);
    bench_clear();
}

START_TEST(test_scikit_learn) {
    glshape_matrix points = {0}, answers = {0};
    FILE *f = fopen("tests/hdbscan/golden/cases.csv", "r");
    golden c;
    int cases = 0;
    ck_assert_msg(f && fscanf(f, "%*[^\n]") == 0, "tests/hdbscan/golden/cases.csv cannot be read");
    for (; read_case(f, &c); cases++) {
        if (c.index == 0) {
            io_matrix_free(&points);
            io_matrix_free(&answers);
            read_golden(c.set, "", &points);
            read_golden(c.set, "-answers", &answers);
        }
        check_case(&c, &points, answers.data);
    }
    ck_assert_int_eq(cases, 11 * CASES);
    io_matrix_free(&points);
    io_matrix_free(&answers);
    fclose(f);
}
END_TEST

/* ---- the twin ---------------------------------------------------------------------------------- */

static double uniform(void) { return bench_random() * 0x1p-32; }
static uint32_t below(uint32_t most) { return bench_random() % most; }

enum { UNIFORM, LATTICE, COPIES, CLUSTERS, FAR, ONE_PLACE, KINDS };

static double value_of(int kind, size_t v, size_t c) {
    switch (kind) {
        case UNIFORM:
            return uniform();
        case LATTICE:
            return below(6);
        case COPIES:
            return (double)below(3) * 0.37;
        case CLUSTERS:
            return (double)(v % 4 * (c + 1)) + 0.2 * uniform();
        case FAR:
            return (v ? 0 : 1e12) + ldexp(uniform(), -(int)(v % 3 * 20));
        default:
            return 7;
    }
}

/* Any options that n points allow; epsilon may be a height of a lattice. */
static glshape_hdbscan_options any_options(uint32_t n) {
    static const double alphas[] = {1, 1, 1, 0.5, 2, 1.3}, distances[] = {0, 0, 0.05, 0.4, 1, 2, 3.7};
    return (glshape_hdbscan_options){.min_cluster_size = (int)(2 + below(6)),
                                     .min_samples = (int)(1 + below(n < 12 ? n : 12)),
                                     .selection = (glshape_hdbscan_selection)below(2),
                                     .epsilon = distances[below(7)],
                                     .max_epsilon = distances[below(7)],
                                     .max_cluster_size = below(3) ? 0 : 1 + below(n),
                                     .allow_single_cluster = below(2),
                                     .alpha = alphas[below(6)]};
}

static void check_exemplars(const glshape_hdbscan_result *r, const ref_clusters *want) {
    uint8_t *is = bench_memory(r->n + 1, 1);
    memset(is, 0, r->n);
    BENCH_CHECK(r->exemplar_start[0] == 0);
    for (size_t c = 0; c < r->clusters; c++)
        for (size_t e = r->exemplar_start[c]; e < r->exemplar_start[c + 1]; e++) {
            uint32_t v = r->exemplars[e];
            BENCH_CHECK(e == r->exemplar_start[c] || v > r->exemplars[e - 1]);
            BENCH_CHECK(r->labels[v] < 0 || r->labels[v] == (int32_t)c);
            is[v] = 1;
        }
    BENCH_CHECK(!r->clusters || !memcmp(is, want->exemplar, r->n));
}

/* The condensed tree holds every point once, and what its clusters say of themselves. */
static void check_rows(const glshape_hdbscan_result *r) {
    double *left = bench_memory(r->tree_clusters, sizeof *left);
    size_t points = 0;
    for (size_t c = 0; c < r->tree_clusters; c++) left[c] = r->tree[c].size;
    for (size_t k = 0; k < r->row_count; k++) {
        const glshape_hdbscan_row *row = &r->rows[k];
        const glshape_hdbscan_cluster *parent = &r->tree[row->parent - r->n];
        left[row->parent - r->n] -= row->size;
        points += row->child < r->n;
        BENCH_CHECK(row->lambda >= parent->birth && row->lambda <= parent->death);
        if (row->child < r->n) continue;
        BENCH_CHECK(row->child > row->parent && r->tree[row->child - r->n].birth == row->lambda);
        BENCH_CHECK(r->tree[row->child - r->n].size == row->size);
    }
    BENCH_CHECK(points == r->n);
    for (size_t c = 0; c < r->tree_clusters; c++) BENCH_CHECK(left[c] == 0);
}

/* The same bytes as the twin's. */
static void check_twin(const glshape_source *source, uint32_t n, const double *order, bool squares,
                       const glshape_hdbscan_options *o) {
    ref_clusters want;
    glshape_hdbscan_result r = run(source, o);
    ref_hdbscan(n, order, squares, o, &want);
    BENCH_CHECK(bench_same(r.merges, want.merges, 8 * (n - 1)));
    BENCH_CHECK(bench_same(r.labels, want.labels, n));
    BENCH_CHECK(bench_same(r.probabilities, want.probabilities, 2 * n));
    BENCH_CHECK(bench_same(r.outlier_scores, want.outlier_scores, 2 * n));
    check_exemplars(&r, &want);
    check_rows(&r);
    ref_hdbscan_free(&want);
    glshape_hdbscan_free(&r);
}

START_TEST(test_twin) {
    for (int turn = 0; turn < hunt(300, 20000); turn++) {
        uint32_t n = 2 + below(70), columns = 1 + below(3), metric = below(2);
        int kind = (int)below(KINDS);
        double *x = bench_memory((size_t)n * columns, sizeof *x), *order = bench_memory((size_t)n * n, sizeof *order),
               *distance = bench_memory((size_t)n * n, sizeof *distance);
        for (size_t k = 0; k < (size_t)n * columns; k++) x[k] = value_of(kind, k / columns, k % columns);
        glshape_matrix m = {GLSHAPE_F64, n, columns, x};
        glshape_hdbscan_options o = any_options(n);
        ref_distances((glshape_metric)metric, x, n, columns, order, distance);
        bench_where("turn %d: %u × %u, kind %d, metric %u, sizes %d, %d, alpha %g, epsilon %g", turn, n, columns,
                    kind, metric, o.min_cluster_size, o.min_samples, o.alpha, o.epsilon);
        check_twin(&(glshape_source){.points = &m, .metric = (glshape_metric)metric}, n, order, metric == 0, &o);
        bench_clear();
    }
}
END_TEST

Suite *hdbscan_suite(void) {
    Suite *s = suite_create("hdbscan");
    TCase *t = bench_case(s, "hdbscan");
    tcase_set_timeout(t, 0);
    tcase_add_test(t, test_scikit_learn);
    tcase_add_test(t, test_twin);
    return s;
}
