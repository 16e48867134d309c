#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hdbscan/hdbscan.h"
#include "io/read.h"
#include "prim/bench.h"

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

Suite *hdbscan_suite(void) {
    Suite *s = suite_create("hdbscan");
    TCase *t = bench_case(s, "hdbscan");
    tcase_set_timeout(t, 0);
    tcase_add_test(t, test_scikit_learn);
    return s;
}
