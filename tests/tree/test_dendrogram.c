#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "prim/bench.h"
#include "reference/tree.h"
#include "tree/tree.h"

/* A random tree on n vertices: each hangs on one before it, under random names; near: on one just before it,
 * under its own name. */
static void random_tree(uint32_t n, uint32_t levels, bool near, uint32_t *i, uint32_t *j, double *height) {
    uint32_t *name = bench_memory(n, sizeof *name);
    for (uint32_t v = 0; v < n; v++) {
        uint32_t at = near ? v : bench_random() % (v + 1);
        name[v] = name[at];
        name[at] = v;
    }
    for (uint32_t k = 0; k + 1 < n; k++) {
        i[k] = name[k + 1];
        j[k] = name[near ? k - bench_random() % (k < 5 ? k + 1 : 5) : bench_random() % (k + 1)];
        height[k] = levels ? bench_random() % levels : bench_random() * 0x1p-32;
    }
}

static void check_tree(uint32_t n, uint32_t levels) {
    bench_where("n %u, %u heights", n, levels);
    uint32_t *i = bench_memory(n, sizeof *i), *j = bench_memory(n, sizeof *j);
    double *height = bench_memory(n, sizeof *height), *got = bench_memory(n, 4 * sizeof *got),
           *want = bench_memory(n, 4 * sizeof *want);
    ref_edge *edges = bench_memory(n, sizeof *edges);
    random_tree(n, levels, bench_random() & 1, i, j, height);
    for (uint32_t k = 0; k + 1 < n; k++)
        edges[k] = (ref_edge){height[k], i[k] < j[k] ? i[k] : j[k], i[k] < j[k] ? j[k] : i[k]};
    error err = {0};
    uint8_t *part = bench_memory(n, 1);
    uint32_t parts = 1 + bench_random() % TREE_PARTS;
    for (uint32_t v = 0; v < n; v++)
        part[v] = (uint8_t)(bench_random() % 8 ? v * parts / n : bench_random() % parts);
    ref_dendrogram(n, edges, want);
    for (int in_parts = 0; in_parts < 2; in_parts++) {
        OK(&err, tree_dendrogram(&err, n, i, j, height, in_parts ? part : NULL, got, NULL));
        BENCH_CHECK(bench_same(got, want, n ? 8 * (size_t)(n - 1) : 0));
    }
    if (n > 1) {
        BENCH_OK(tree_dendrogram_by_passes(test_gpu(), n, i, j, height, got, NULL, NULL));
        BENCH_CHECK(bench_same(got, want, 8 * (size_t)(n - 1)));
    }
    bench_clear();
}

START_TEST(test_twin) {
    for (uint32_t n = 0; n < 40; n++)
        for (uint32_t levels = 0; levels < 4; levels++) check_tree(n, levels);
    for (uint32_t levels = 0; levels < 4; levels++) check_tree(2000, levels * levels);
}
END_TEST

typedef enum { PATH_UP, PATH_DOWN, STAR, CATERPILLAR, HALVES, BRUSH, RANDOM_TREE, SHAPES } shape;

/* Trees whose dendrograms are deep, or flat, or both. */
static void shape_tree(shape what, uint32_t n, uint32_t levels, uint32_t *i, uint32_t *j, double *height) {
    for (uint32_t k = 0; k + 1 < n; k++) {
        uint32_t zeros = (uint32_t)__builtin_ctz(k + 1);
        i[k] = k + 1;
        j[k] = what == STAR ? 0 : what == CATERPILLAR ? (k % 2 ? k - 1 : k) : what == BRUSH ? k / 7 : k;
        if (what == RANDOM_TREE) j[k] = bench_random() % (k + 1);
        height[k] = what == PATH_UP     ? k
                    : what == PATH_DOWN ? n - k
                    : what == HALVES    ? zeros + bench_random() * 0x1p-32 /* a balanced dendrogram */
                                        : bench_random() * 0x1p-32;
        if (levels) height[k] = fmod(height[k] * 7, levels) - 1; /* some below 0 */
    }
}

/* Passes and threads give the same rows and edges. */
static void compare_places(shape what, uint32_t n, uint32_t levels) {
    uint32_t *i = bench_memory(n, sizeof *i), *j = bench_memory(n, sizeof *j),
             *edges[2] = {bench_memory(n, 8), bench_memory(n, 8)};
    double *height = bench_memory(n, sizeof *height), *rows[2] = {bench_memory(n, 32), bench_memory(n, 32)};
    bench_where("shape %d, %u vertices, %u levels", what, n, levels);
    shape_tree(what, n, levels, i, j, height);
    BENCH_OK(tree_dendrogram(run_error(run_of(test_gpu())), n, i, j, height, NULL, rows[0], edges[0]));
    BENCH_OK(tree_dendrogram_by_passes(test_gpu(), n, i, j, height, rows[1], edges[1], NULL));
    BENCH_CHECK(bench_same(rows[1], rows[0], 8 * (size_t)(n - 1)));
    BENCH_CHECK(bench_same(edges[1], edges[0], 2 * (size_t)(n - 1)));
    bench_clear();
}

START_TEST(test_passes) {
    for (shape what = 0; what < SHAPES; what++)
        for (uint32_t levels = 0; levels < 6; levels += 3) {
            compare_places(what, 2 + bench_random() % 600, levels);
            compare_places(what, 70000 + bench_random() % 100, levels); /* numbers of three bytes */
        }
}
END_TEST

START_TEST(test_refusals) {
    error err = {0};
    const uint32_t i[] = {0, 1, 2}, j[] = {1, 2, 0}, far[] = {1, 4, 0};
    double height[] = {1, 2, 3}, out[12];
    FAILS(&err, GLSHAPE_BAD_ARGUMENT, tree_dendrogram(&err, 4, i, j, height, NULL, out, NULL), "{0, 2}",
          "circle");
    FAILS(&err, GLSHAPE_BAD_ARGUMENT, tree_dendrogram(&err, 4, i, far, height, NULL, out, NULL), "edge 1");
    gpu *g = test_gpu();
    FAILS(run_error(run_of(g)), GLSHAPE_BAD_ARGUMENT,
          tree_dendrogram_by_passes(g, 4, i, j, height, out, NULL, NULL), "circle");
    FAILS(run_error(run_of(g)), GLSHAPE_BAD_ARGUMENT,
          tree_dendrogram_by_passes(g, 4, i, far, height, out, NULL, NULL), "edge 1");
    height[2] = NAN;
    FAILS(&err, GLSHAPE_BAD_ARGUMENT, tree_dendrogram(&err, 4, i, j, height, NULL, out, NULL), "edge 2");
}
END_TEST

/* ---- scipy ------------------------------------------------------------------------------------- */

static double distance(const double *x, const double *y, unsigned dim) {
    double sum = 0;
    for (unsigned c = 0; c < dim; c++) sum += (x[c] - y[c]) * (x[c] - y[c]);
    return sqrt(sum);
}

static void compare_linkage(FILE *f, const double *rows, unsigned n) {
    for (unsigned k = 0; k + 1 < n; k++, rows += 4) {
        double want[4];
        for (int c = 0; c < 4; c++) ck_assert_int_eq(fscanf(f, "%lf", &want[c]), 1);
        bench_where("row %u", k);
        BENCH_CHECK(rows[0] == want[0] && rows[1] == want[1] && rows[3] == want[3]);
        BENCH_CHECK(bench_near(rows[2], want[2], 1e-14 * want[2]));
    }
}

/* Points to distances to a tree to heights to the matrix: single linkage. */
START_TEST(test_scipy) {
    gpu *g = test_gpu();
    FILE *f = fopen("tests/tree/golden/linkage.txt", "r");
    ck_assert_ptr_nonnull(f);
    unsigned n, dim;
    ck_assert_int_eq(fscanf(f, "#%*[^\n] %u %u", &n, &dim), 2);
    double *points = bench_memory(n * dim, sizeof *points), *height = bench_memory(n, sizeof *height),
           *rows = bench_memory(n, 4 * sizeof *rows);
    float *matrix = bench_memory(n * n, sizeof *matrix);
    for (unsigned k = 0; k < n * dim; k++) ck_assert_int_eq(fscanf(f, "%lf", &points[k]), 1);
    for (unsigned k = 0; k < n * n; k++)
        matrix[k] = (float)distance(points + k / n * dim, points + k % n * dim, dim);
    tree_forest tree;
    BENCH_OK(tree_mst_dense(g, bench_texture(GPU_R32F, n * n, matrix), n, false, &tree));
    for (unsigned k = 0; k + 1 < n; k++)
        height[k] = distance(points + tree.i[k] * dim, points + tree.j[k] * dim, dim);
    OK(run_error(run_of(g)),
       tree_dendrogram(run_error(run_of(g)), n, tree.i, tree.j, height, NULL, rows, NULL));
    compare_linkage(f, rows, n);
    tree_forest_free(&tree);
    fclose(f);
}
END_TEST

/* ---- the elder rule ---------------------------------------------------------------------------- */

static void check_elder(uint32_t n, uint32_t count, uint32_t births) {
    bench_where("elder rule: n %u, %u edges, %u births", n, count, births);
    uint32_t *i = bench_memory(count, sizeof *i), *j = bench_memory(count, sizeof *j),
             *got = bench_memory(count, sizeof *got), *want = bench_memory(count, sizeof *want);
    float *birth = bench_memory(n, sizeof *birth);
    for (uint32_t v = 0; v < n; v++) birth[v] = (float)(bench_random() % (births + 1));
    for (uint32_t k = 0; k < count; k++) i[k] = bench_random() % n, j[k] = bench_random() % n;
    error err = {0};
    OK(&err, tree_elder(&err, n, births ? birth : NULL, count, i, j, got));
    ref_elder(n, births ? birth : NULL, i, j, count, want);
    BENCH_CHECK(bench_same(got, want, count));
    bench_clear();
}

START_TEST(test_elder) {
    for (uint32_t n = 1; n < 30; n++)
        for (uint32_t births = 0; births < 4; births++) check_elder(n, n * births, births);
    for (uint32_t births = 0; births < 9000; births = births * 9 + 1) check_elder(500, 1500, births);
}
END_TEST

Suite *tree_dendrogram_suite(void) {
    Suite *s = suite_create("tree/dendrogram");
    TCase *c = bench_case(s, "dendrogram");
    tcase_add_test(c, test_passes);
    tcase_add_test(c, test_twin);
    tcase_add_test(c, test_refusals);
    tcase_add_test(c, test_scipy);
    tcase_add_test(c, test_elder);
    return s;
}
