/* The tree of an index, where searches across components are answered through it or by pairs. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "linkage/linkage.h"
#include "prim/bench.h"

static double uniform(void) { return bench_random() * 0x1p-32; }

/* Groups that are far from each other; `ties`: of whole numbers, with copies. */
static double *draw_groups(uint32_t n, uint32_t columns, uint32_t groups, bool ties) {
    double *x = bench_memory((size_t)n * columns, sizeof *x),
           *center = bench_memory((size_t)groups * columns, sizeof *center);
    for (size_t e = 0; e < (size_t)groups * columns; e++) center[e] = floor(40 * uniform());
    for (uint32_t i = 0; i < n; i++) {
        const double *own = center + (size_t)(bench_random() % groups) * columns;
        for (uint32_t c = 0; c < columns; c++)
            x[(size_t)i * columns + c] = own[c] + (ties ? bench_random() % 30 / 28 : uniform());
    }
    return x;
}

/* Counts what it passes on. */
typedef struct counted {
    linkage_across pairs;
    double most;
    uint32_t calls;
} counted;

static glshape_status get_most(void *user, double *most) {
    *most = ((const counted *)user)->most;
    return GLSHAPE_OK;
}

static glshape_status answer(void *user, const index_crossing *task) {
    counted *c = user;
    c->calls++;
    return linkage_answer(&c->pairs, task);
}

static int by_ends(const void *a, const void *b) { return memcmp(a, b, 2 * sizeof(uint32_t)); }

/* The edges in one order. */
typedef struct tree {
    tree_edges edges;
    uint32_t (*ends)[2];
} tree;

static tree find_tree(knn_points *p, const tree_lists *lists, const tree_other_way *other) {
    uint32_t n = p->n;
    tree t = {{bench_memory(n, 4), bench_memory(n, 4), bench_memory(n, sizeof(double))},
              bench_memory(n, sizeof *t.ends)};
    BENCH_OK(tree_points(test_gpu(), &p->space, lists, other, &t.edges));
    for (uint32_t k = 0; k + 1 < n; k++) {
        t.ends[k][0] = t.edges.i[k];
        t.ends[k][1] = t.edges.j[k];
    }
    qsort(t.ends, n - 1, sizeof *t.ends, by_ends);
    return t;
}

START_TEST(test_other_way) {
    enum { N = 6000, COLUMNS = 40, K = 4 };
    /* A second driver takes two, in which each is so and is not. */
    for (int way = is_second_driver(); way < (is_second_driver() ? 3 : 4); way++) {
        bool raised = way & 1, ties = way & 2;
        glshape_matrix m = {GLSHAPE_F64, N, COLUMNS, draw_groups(N, COLUMNS, 300, ties)};
        gpu *g = test_gpu();
        knn_points p = {0};
        knn_cost cost = {0};
        index_cores cores = {.alpha = 1};
        bench_where("groups, way %d", way);
        BENCH_OK(knn_points_new(run_of(g), &ranks_alone, &m, GLSHAPE_METRIC_EUCLIDEAN, 2, &p));
        p.search = GLSHAPE_SEARCH_INDEX;
        uint32_t *index = bench_memory(N * K, sizeof *index);
        uint16_t *listed = bench_memory(N, sizeof *listed); /* with core distances: none */
        double *sum = bench_memory(N * K, sizeof *sum), *core = bench_memory(N, sizeof *core);
        bool in_space;
        BENCH_OK(knn_in_space(g, &p, K, &in_space));
        BENCH_OK(knn_lists(g, &p, K, index, sum, true, &cost));
        for (uint32_t v = 0; v < N; v++) {
            core[v] = sum[v * K + K - 1];
            sum[v * K + K - 1] = raised ? 0 : core[v];
        }
        cores.core = core;
        tree_lists lists = {.k = K, .index = index, .sum = sum};
        if (raised) lists.listed = listed, lists.cores = &cores;
        counted c = {.pairs = {.g = g, .p = &p, .cores = lists.cores}, .most = 1e9};
        tree_other_way other = {get_most, answer, &c};
        tree want = find_tree(&p, &lists, NULL), far = find_tree(&p, &lists, &other);
        BENCH_CHECK(c.calls == 0);
        c.most = 1;
        tree got = find_tree(&p, &lists, &other);
        BENCH_CHECK(c.calls > 0);
        BENCH_CHECK(bench_same(want.ends, far.ends, 2 * (N - 1)));
        BENCH_CHECK(bench_same(want.ends, got.ends, 2 * (N - 1)));
        knn_points_free(&p);
        bench_clear();
    }
}
END_TEST

/* A tree on a device that has not the memory for its dendrogram is brought to the processors. */
START_TEST(test_short_of_memory) {
    enum { N = 3000, LIMIT = 2 << 20 };
    error err = {0};
    gpu *g;
    glshape_matrix m = {GLSHAPE_F64, N, 3, draw_groups(N, 3, 20, true)};
    knn_points p = {0};
    bool in_space;
    double *merges[2] = {NULL, NULL};
    uint32_t *edges[2] = {NULL, NULL};
    OK(&err, gpu_open(&err, &(glshape_options){.gpu_memory = LIMIT, .device = test_device()}, &g));
    gpu_enter(g);
    OK(run_error(run_of(g)), knn_points_new(run_of(g), &ranks_alone, &m, GLSHAPE_METRIC_EUCLIDEAN, 2, &p));
    p.search = GLSHAPE_SEARCH_INDEX;
    OK(run_error(run_of(g)), knn_in_space(g, &p, 2, &in_space));
    for (int full = 0; full < 2; full++) {
        linkage_tree tree;
        gpu_texture ballast = {0};
        OK(run_error(run_of(g)), linkage_tree_new(run_error(run_of(g)), N, &tree));
        OK(run_error(run_of(g)), tree_points_kept(g, &p.space, 2, &tree.kept));
        tree.count = N - 1;
        tree.i[0] = tree.j[0] = 0;
        ck_assert(linkage_has_scale(&p, &tree.scale) && tree.scale.root);
        uint32_t rest = (uint32_t)((LIMIT - gpu_bytes(g)) / 4);
        if (full)
            OK(run_error(run_of(g)),
               gpu_texture_new(g, &ballast, "ballast", GPU_R32UI, rest - rest % 1024, 1));
        OK(run_error(run_of(g)), linkage_rows(g, &tree, &merges[full], &edges[full]));
        ck_assert(full == (tree.i[0] < tree.j[0])); /* whether edges came down */
        gpu_texture_free(&ballast);
        linkage_tree_free(&tree);
    }
    ck_assert(!memcmp(merges[0], merges[1], (N - 1) * 32) && !memcmp(edges[0], edges[1], (N - 1) * 8));
    for (int full = 0; full < 2; full++) free(merges[full]), free(edges[full]);
    knn_points_free(&p);
    gpu_leave(g);
    ck_assert_int_eq(gpu_close(g), 0);
}
END_TEST

Suite *linkage_across_suite(void) {
    Suite *s = suite_create("linkage/across");
    TCase *c = bench_case(s, "across");
    tcase_set_timeout(c, 300);
    tcase_add_test(c, test_other_way);
    tcase_add_test(c, test_short_of_memory);
    return s;
}
