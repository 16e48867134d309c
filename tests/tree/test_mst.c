#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "prim/bench.h"
#include "reference/tree.h"
#include "tree/tree.h"

/* ---- graphs ------------------------------------------------------------------------------------ */

typedef struct graph {
    tree_graph g;
    uint32_t *i, *j, *rank;
    float *weight;
} graph;

static graph new_graph(uint32_t n, size_t count) {
    graph x = {{.n = n, .count = count}, NULL, NULL, NULL, NULL};
    x.g.i = x.i = bench_memory(count, sizeof *x.i);
    x.g.j = x.j = bench_memory(count, sizeof *x.j);
    x.g.weight = x.weight = bench_memory(count, sizeof *x.weight);
    x.rank = bench_memory(count, sizeof *x.rank);
    return x;
}

static float real(void) { return (float)(bench_random() >> 8) * 0x1p-24f; }

typedef enum { REALS, FEW, SAME, SIGNED, NASTY, RISING, WEIGHTS } weights;

static float weight_of(weights w, size_t k) {
    static const float nasty[] = {0.0f,       -0.0f, INFINITY, -INFINITY, 0x1p-149f,
                                  -0x1p-149f, 3e38f, -3.4e38f, 1.0f,      -1.0f};
    return w == REALS    ? real()
           : w == FEW    ? (float)(bench_random() % 4)
           : w == SAME   ? 2.5f
           : w == SIGNED ? real() - 0.5f
           : w == NASTY  ? nasty[bench_random() % 10]
                         : (float)k;
}

static void weigh(graph *x, weights w) {
    for (size_t k = 0; k < x->g.count; k++) x->weight[k] = weight_of(w, k);
}

/* Any ends: duplicates and loops among them. */
static graph random_graph(uint32_t n, size_t count, weights w) {
    graph x = new_graph(n, n ? count : 0);
    for (size_t k = 0; k < x.g.count; k++) x.i[k] = bench_random() % n, x.j[k] = bench_random() % n;
    weigh(&x, w);
    return x;
}

static graph complete_graph(uint32_t n, weights w) {
    graph x = new_graph(n, (size_t)n * (n ? n - 1 : 0) / 2);
    size_t k = 0;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = i + 1; j < n; j++) x.i[k] = j, x.j[k++] = i;
    weigh(&x, w);
    return x;
}

static graph path(uint32_t n, weights w) {
    graph x = new_graph(n, n - 1);
    for (uint32_t k = 0; k + 1 < n; k++) x.i[k] = k, x.j[k] = k + 1;
    weigh(&x, w);
    return x;
}

static graph star(uint32_t n, weights w) {
    graph x = new_graph(n, n - 1);
    for (uint32_t k = 0; k + 1 < n; k++) x.i[k] = n / 2, x.j[k] = k < n / 2 ? k : k + 1;
    weigh(&x, w);
    return x;
}

/* ---- comparison -------------------------------------------------------------------------------- */

static ref_edge *edges_of(const tree_graph *g) {
    ref_edge *edges = bench_memory(g->count, sizeof *edges);
    for (size_t k = 0; k < g->count; k++) {
        uint32_t a = g->i[k], b = g->j[k];
        edges[k] =
            (ref_edge){g->weight ? (double)g->weight[k] : (double)g->rank[k], a < b ? a : b, a < b ? b : a};
    }
    return edges;
}

/* The first edge in which they differ; count if none. */
static size_t differ(const tree_forest *got, const ref_edge *want, size_t count) {
    size_t k = 0;
    while (k < count && k < got->count && got->i[k] == want[k].lo && got->j[k] == want[k].hi &&
           (got->rank ? (double)got->rank[k] : (double)got->weight[k]) == want[k].weight)
        k++;
    return got->count == count ? k : k == count ? count + 1 : k;
}

static void check_forest(tree_forest *got, uint32_t n, const ref_edge *want, size_t count) {
    size_t at = differ(got, want, count);
    ck_assert_msg(at == count, "edge %zu of %zu against %u: %s", at, count, got->count, bench_place());
    ck_assert_uint_eq(got->components, n - count);
    ck_assert(got->rounds <= 32);
    tree_forest_free(got);
}

static void check(const char *what, const graph *x) {
    gpu_stage stage = bench_random() & 1 ? GPU_STAGE_COMPUTE : GPU_STAGE_FRAGMENT;
    gpu_set_stage(test_gpu(), stage);
    bench_where("%s: n %u, %zu edges%s, stage %d", what, x->g.n, x->g.count, x->g.maximum ? ", maximum" : "",
                stage);
    tree_forest got;
    ref_edge *want = edges_of(&x->g);
    size_t count = ref_mst(x->g.n, want, x->g.count, x->g.maximum);
    BENCH_OK(tree_mst(test_gpu(), &x->g, &got));
    check_forest(&got, x->g.n, want, count);
    BENCH_OK(tree_kruskal(run_error(run_of(test_gpu())), &x->g, &got));
    check_forest(&got, x->g.n, want, count);
}

/* The edges of less weight than `none`. */
static ref_edge *present(const graph *x, double none, size_t *count) {
    ref_edge *all = edges_of(&x->g);
    *count = 0;
    for (size_t k = 0; k < x->g.count; k++)
        if (all[k].weight < none) all[(*count)++] = all[k];
    return all;
}

/* Each point has its edges in any order; vertices are counted from the last point on. */
static void check_lists(const graph *x) {
    gpu *g = test_gpu();
    size_t edges, at = 0;
    ref_edge *want = present(x, (double)TREE_NO_EDGE, &edges);
    size_t loops = 0;
    for (size_t k = 0; k < edges; k++) {
        if (want[k].lo == want[k].hi) loops++;
        else want[k - loops] = want[k];
    }
    edges -= loops;
    uint32_t n = x->g.n, *start = bench_memory(n + 1, sizeof *start);
    uint32_t *fill = bench_memory(n + 1, sizeof *fill), *to = bench_memory(2 * edges + 1, sizeof *to);
    float *length = bench_memory(2 * edges + 1, sizeof *length);
    gpu_texture t[3] = {{0}};
    bench_where("lists: n %u, edges %zu", n, edges);
    for (size_t k = 0; k < edges; k++) start[n - 1 - want[k].lo]++, start[n - 1 - want[k].hi]++;
    for (uint32_t p = 0; p <= n; p++) {
        uint32_t count = start[p];
        fill[p] = start[p] = (uint32_t)at;
        at += p < n ? count : 0;
    }
    for (size_t k = 0; k < edges; k++)
        for (int way = 0; way < 2; way++) {
            uint32_t from = n - 1 - (way ? want[k].hi : want[k].lo), place = fill[from]++;
            to[place] = n - 1 - (way ? want[k].lo : want[k].hi);
            length[place] = (float)want[k].weight;
        }
    BENCH_OK(gpu_texture_new(g, &t[0], "starts", GPU_R32UI, n + 1, 1));
    BENCH_OK(gpu_texture_new(g, &t[1], "neighbors", GPU_R32UI, (uint32_t)(2 * edges), 1));
    BENCH_OK(gpu_texture_new(g, &t[2], "lengths", GPU_R32F, (uint32_t)(2 * edges), 1));
    BENCH_OK(gpu_upload(g, &t[0], 0, n + 1, start));
    if (edges) BENCH_OK(gpu_upload(g, &t[1], 0, (uint32_t)(2 * edges), to));
    if (edges) BENCH_OK(gpu_upload(g, &t[2], 0, (uint32_t)(2 * edges), length));
    size_t count = ref_mst(n, want, edges, false);
    tree_forest got;
    BENCH_OK(tree_mst_lists(g, &(tree_neighbors){&t[0], &t[1], &t[2]}, n, &got));
    check_forest(&got, n, want, count);
    for (int k = 0; k < 3; k++) gpu_texture_free(&t[k]);
}

/* Least, greatest, and by rank, if there is room for all of them. */
static void check_all(const char *what, graph x) {
    check_lists(&x);
    check(what, &x);
    x.g.maximum = true;
    check(what, &x);
    for (size_t k = 0; k < x.g.count; k++)
        x.rank[k] = bench_random() % 8 + 0xfffffff7u - (k & 1) * 0xfffff000u;
    x.g = (tree_graph){.n = x.g.n, .count = x.g.count, .i = x.i, .j = x.j, .rank = x.rank};
    check(what, &x);
    bench_clear();
}

START_TEST(test_shapes) {
    static const uint32_t sizes[] = {2, 3, 4, 100, 255, 256, 257, 5000};
    for (weights w = REALS; w < WEIGHTS; w++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            check_all("path", path(sizes[s], w));
            check_all("star", star(sizes[s], w));
        }
    for (uint32_t n = 0; n < 4; n++) check_all("no edges", new_graph(n, 0));
    for (uint32_t n = 0; n < 40; n++) check_all("complete", complete_graph(n, (weights)(n % WEIGHTS)));
}
END_TEST

/* From a scattering of pieces to many edges a vertex; among few vertices nearly all are duplicates. */
START_TEST(test_random) {
    static const uint32_t sizes[] = {1, 2, 3, 5, 17, 100, 1000};
    for (weights w = REALS; w < WEIGHTS; w++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
            for (size_t count = 1; count < 6000; count *= 4)
                check_all("random", random_graph(sizes[s], count, w));
}
END_TEST

/* Edges of each rank, of which there are 1,000, join two vertices to those before. */
static graph growing(void) {
    enum { N = 2001, EDGES = 60000 };
    graph x = new_graph(N, EDGES);
    for (size_t k = 0; k < EDGES; k++) {
        x.i[k] = (uint32_t)(1 + k * (N - 1) / EDGES);
        x.j[k] = bench_random() % x.i[k];
        x.rank[k] = (uint32_t)k / 60;
    }
    x.g = (tree_graph){.n = N, .count = EDGES, .i = x.i, .j = x.j, .rank = x.rank};
    return x;
}

/* So many edges a vertex that the processor takes the lightest first; of odd and even vertices, which no edge
 * joins; and light ones among few vertices. */
START_TEST(test_levels) {
    graph g = growing();
    check("growing", &g);
    bench_clear();
    for (weights w = REALS; w < WEIGHTS; w++)
        for (int kind = 0; kind < 3; kind++) {
            graph x = random_graph(kind ? 400 : 30, 100003, w);
            for (size_t k = 0; k < x.g.count; k++) {
                if (kind == 1) x.j[k] = x.j[k] / 2 * 2 + x.i[k] % 2;
                if (kind == 2 && k % 50) x.i[k] %= 20, x.j[k] %= 20, x.weight[k] -= 1e-3f;
            }
            check_all("many edges", x);
        }
}
END_TEST

START_TEST(test_large) {
    check_all("random, reals", random_graph(30011, 100003, REALS));
    check_all("random, few weights", random_graph(30011, 100003, FEW));
    check_all("random, one weight", random_graph(100003, 100003, SAME));
    check_all("path", path(100003, RISING));
    check_all("path", path(100003, SAME));
}
END_TEST

static void set(graph *x, size_t k, uint32_t i, uint32_t j, float w) {
    x->i[k] = i, x->j[k] = j, x->weight[k] = w;
}

START_TEST(test_refusals) {
    gpu *g = test_gpu();
    tree_forest got;
    graph x = path(10, REALS);
    set(&x, 7, 3, 10, 1);
    FAILS(run_error(run_of(g)), GLSHAPE_BAD_ARGUMENT, tree_mst(g, &x.g, &got), "edge 7", "10 of 10");
    set(&x, 7, 3, 9, NAN);
    FAILS(run_error(run_of(g)), GLSHAPE_BAD_ARGUMENT, tree_mst(g, &x.g, &got), "edge 7", "NaN");
    ck_assert_ptr_null(got.i);
    x.g.weight = NULL;
    x.g.rank = x.rank;
    x.rank[2] = TREE_NONE;
    FAILS(run_error(run_of(g)), GLSHAPE_BAD_ARGUMENT, tree_mst(g, &x.g, &got), "edge 2");
    x.g.maximum = true;
    FAILS(run_error(run_of(g)), GLSHAPE_BAD_ARGUMENT, tree_mst(g, &x.g, &got), "greatest");
    gpu_texture *t = bench_texture(GPU_R32F, 99, NULL);
    FAILS(run_error(run_of(g)), GLSHAPE_BAD_ARGUMENT, tree_mst_dense(g, t, 10, false, &got), "10 points");
}
END_TEST

/* Three vertices that name each other in a circle, by weights that are not the same from both ends. */
START_TEST(test_contradiction) {
    gpu *g = test_gpu();
    tree_boruvka b;
    bool merged;
    const uint32_t keys[] = {5, 5, 5}, to[] = {1, 2, 0};
    BENCH_OK(tree_boruvka_new(g, 3, &b));
    BENCH_OK(gpu_upload(g, &b.key, 0, 3, keys));
    BENCH_OK(gpu_upload(g, &b.to, 0, 3, to));
    FAILS(run_error(run_of(g)), GLSHAPE_BAD_INPUT, tree_boruvka_merge(g, &b, &merged), "both ends");
    tree_boruvka_free(&b);
}
END_TEST

/* The tester notices an edge of equal weight in place of the right one. */
START_TEST(test_the_tester) {
    tree_forest got;
    graph x = complete_graph(20, SAME);
    ref_edge *want = edges_of(&x.g);
    size_t count = ref_mst(20, want, x.g.count, false);
    BENCH_OK(tree_mst(test_gpu(), &x.g, &got));
    ck_assert_uint_eq(differ(&got, want, count), count);
    want[5].lo++;
    ck_assert_uint_eq(differ(&got, want, count), 5);
    ck_assert_uint_eq(differ(&got, want, 4), 5);
    tree_forest_free(&got);
}
END_TEST

/* ---- dense matrices ---------------------------------------------------------------------------- */

/* The matrix of a complete graph; missing edges as 3e38, the diagonal as junk. */
static float *matrix_of(const graph *x, uint32_t stride) {
    float *m = bench_memory((size_t)x->g.n * stride, sizeof *m);
    for (uint32_t i = 0; i < x->g.n; i++) m[(size_t)i * stride + i] = -7;
    for (size_t k = 0; k < x->g.count; k++) {
        m[(size_t)x->i[k] * stride + x->j[k]] = x->weight[k];
        m[(size_t)x->j[k] * stride + x->i[k]] = x->weight[k];
    }
    return m;
}

static void check_dense(const graph *x, bool packed, bool maximum) {
    gpu *g = test_gpu();
    uint32_t n = x->g.n, stride = packed ? (n + 3) / 4 * 4 : n;
    bench_where("dense: n %u, packed %d, maximum %d", n, packed, maximum);
    float *m = matrix_of(x, stride);
    gpu_texture t = {0};
    if (packed) BENCH_OK(gpu_texture_new(g, &t, "a matrix", GPU_RGBA32F, n, n ? stride / 4 : 1));
    else BENCH_OK(gpu_texture_new(g, &t, "a matrix", GPU_R32F, n * n, 1));
    if (n) BENCH_OK(gpu_upload(g, &t, 0, packed ? n : n * n, m));
    size_t edges;
    ref_edge *want = present(x, (double)TREE_NO_EDGE, &edges);
    size_t count = ref_mst(n, want, edges, maximum);
    tree_forest got;
    BENCH_OK(tree_mst_dense(g, &t, n, maximum, &got));
    check_forest(&got, n, want, count);
    gpu_texture_free(&t);
}

static void check_rows(const graph *x) {
    uint32_t n = x->g.n;
    float *m = matrix_of(x, n), *reversed = bench_memory((size_t)n * n, sizeof *reversed);
    for (size_t k = 0; k < (size_t)n * n; k++) reversed[k] = m[(size_t)n * n - 1 - k];
    size_t edges;
    ref_edge *want = present(x, INFINITY, &edges);
    size_t count = ref_mst(n, want, edges, false);
    error err = {0};
    for (int backwards = 0; backwards < 2; backwards++) {
        bench_where("rows: n %u, backwards %d", n, backwards);
        tree_forest got;
        ck_assert_int_eq(tree_mst_rows(&err, backwards ? reversed : m, n, backwards, &got), GLSHAPE_OK);
        check_forest(&got, n, want, count);
    }
}

START_TEST(test_dense) {
    static const uint32_t sizes[] = {0, 1, 2, 3, 4, 5, 7, 64, 255, 258, 500};
    for (weights w = REALS; w < WEIGHTS; w++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            graph x = complete_graph(sizes[s], w);
            for (int way = 0; way < 4; way++) check_dense(&x, way & 1, way & 2);
            check_rows(&x);
            bench_clear();
        }
}
END_TEST

/* ---- scipy ------------------------------------------------------------------------------------- */

START_TEST(test_scipy) {
    FILE *f = fopen("tests/tree/golden/forest.txt", "r");
    ck_assert_ptr_nonnull(f);
    unsigned n, count, chosen;
    double total, sum = 0;
    ck_assert_int_eq(fscanf(f, "#%*[^\n] %u %u %u %lf", &n, &count, &chosen, &total), 4);
    graph x = new_graph(n, count);
    for (unsigned k = 0; k < count; k++)
        ck_assert_int_eq(fscanf(f, "%u %u %f", &x.i[k], &x.j[k], &x.weight[k]), 3);
    fclose(f);
    tree_forest got;
    BENCH_OK(tree_mst(test_gpu(), &x.g, &got));
    for (uint32_t k = 0; k < got.count; k++) sum += got.weight[k];
    ck_assert_uint_eq(got.count, chosen);
    BENCH_CHECK(bench_near(sum, total, 1e-12 * total));
    tree_forest_free(&got);
}
END_TEST

Suite *tree_mst_suite(void) {
    Suite *s = suite_create("tree/mst");
    TCase *c = bench_case(s, "mst");
    tcase_add_test(c, test_the_tester);
    tcase_add_test(c, test_shapes);
    tcase_add_test(c, test_random);
    tcase_add_test(c, test_levels);
    tcase_add_test(c, test_large);
    tcase_add_test(c, test_dense);
    tcase_add_test(c, test_contradiction);
    tcase_add_test(c, test_refusals);
    tcase_add_test(c, test_scipy);
    return s;
}
