/* The tree of points by passes: against all pairs, and against the processors. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "index/index.h"
#include "prim/bench.h"
#include "reference/norm.h"
#include "reference/space.h"
#include "reference/tree.h"
#include "tree/tree.h"

typedef enum { UNIFORM, LATTICE, SAME, COPIES, BLOBS, ROW, FAR, DENORMALS, KINDS } kind;

static double uniform(void) { return bench_random() * 0x1p-32; }

static double value(kind what, size_t i, size_t c) {
    switch (what) {
        case LATTICE: /* most distances are equal */
            return bench_random() % 5;
        case SAME:
            return 0.1 * (double)c;
        case COPIES:
            return sin((double)(i * 7919 % 13 * 17 + c));
        case BLOBS: /* lists end within one */
            return (double)(i % 7 * (1 + c)) + uniform() * 1e-3;
        case ROW: /* each is nearer to the one before it: all join at once, along one path */
            return c ? 0 : (double)i * ((double)i + 1) / 2;
        case FAR:
            return i ? uniform() : 1e200;
        case DENORMALS:
            return bench_random() % 9 * 0x1p-1074;
        default:
            return uniform();
    }
}

typedef struct cloud {
    uint32_t n, columns;
    double *values;
} cloud;

static cloud make_points(kind what, uint32_t n, uint32_t columns) {
    cloud c = {n, columns, bench_memory((size_t)n * columns, sizeof *c.values)};
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < columns; k++) c.values[(size_t)i * columns + k] = value(what, i, k);
    return c;
}

static glshape_status read_row(error *err, const void *user, uint32_t i, double *out) {
    const cloud *c = user;
    (void)err;
    memcpy(out, c->values + (size_t)i * c->columns, c->columns * sizeof *out);
    return GLSHAPE_OK;
}

static spatial_index make_index(const cloud *c, double p) {
    spatial_index x;
    error err;
    OK(&err, index_new(&err, c->n, c->columns, norm_of(p), read_row, c, &x));
    return x;
}

static tree_edges new_edges(uint32_t n) {
    return (tree_edges){bench_memory(n, 4), bench_memory(n, 4), bench_memory(n, sizeof(double))};
}

static int by_order(const void *a, const void *b) {
    const ref_edge *x = a, *y = b;
    if (x->weight != y->weight) return x->weight < y->weight ? -1 : 1;
    if (x->lo != y->lo) return x->lo < y->lo ? -1 : 1;
    return (x->hi > y->hi) - (x->hi < y->hi);
}

static ref_edge *in_order(const tree_edges *t, uint32_t n) {
    ref_edge *edges = bench_memory(n, sizeof *edges);
    for (uint32_t k = 0; k + 1 < n; k++) edges[k] = (ref_edge){t->sum[k], t->i[k], t->j[k]};
    qsort(edges, n - 1, sizeof *edges, by_order);
    return edges;
}

static void compare(uint32_t n, const ref_edge *got, const ref_edge *want) {
    for (uint32_t k = 0; k + 1 < n; k++)
        ck_assert_msg(got[k].weight == want[k].weight && got[k].lo == want[k].lo && got[k].hi == want[k].hi,
                      "%s: edge %u is {%u, %u} at %.17g, not {%u, %u} at %.17g", bench_place(), k, got[k].lo,
                      got[k].hi, got[k].weight, want[k].lo, want[k].hi, want[k].weight);
}

static void find_tree(spatial_index *x, uint32_t k, tree_edges *out) {
    tree_kept kept = {0};
    BENCH_OK(tree_points_kept(test_gpu(), x, k, &kept));
    BENCH_OK(tree_kept_bring(test_gpu(), &kept, out));
    tree_kept_free(&kept);
}

static void check_tree(kind what, uint32_t n, uint32_t columns, double p, uint32_t k) {
    cloud c = make_points(what, n, columns);
    spatial_index x = make_index(&c, p);
    tree_edges tree = new_edges(n);
    size_t pairs = (size_t)n * (n - 1) / 2, at = 0;
    ref_edge *all = bench_memory(pairs, sizeof *all);
    bench_where("points %d, %u × %u, p %g, lists of %u", what, n, columns, p, k);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = i + 1; j < n; j++)
            all[at++] = (ref_edge){
                ref_norm_sum(p, c.values + (size_t)i * columns, c.values + (size_t)j * columns, columns), i,
                j};
    ref_mst(n, all, pairs, false);
    find_tree(&x, k, &tree);
    compare(n, in_order(&tree, n), all);
    index_free(&x);
    bench_clear();
}

START_TEST(test_all_pairs) {
    static const double powers[] = {2, 1, INFINITY};
    for (kind what = 0; what < KINDS; what++)
        for (int t = 0; t < hunt(4, 20); t++) {
            uint32_t n = 2 + bench_random() % (t ? 60 : 500), k = 1 + bench_random() % 8;
            check_tree(what, n, 1 + what % 3u, powers[what % 3], k < n ? k : n - 1);
        }
}
END_TEST

/* The tree by mutual reachability, against all pairs; core distances are those of the points, sorted. */
static void check_raised(kind what, uint32_t n, uint32_t columns, double p, uint32_t within) {
    cloud c = make_points(what, n, columns);
    spatial_index x = make_index(&c, p);
    tree_kept kept = {0};
    const tree_scale scale = {p == 2, 0.5};
    tree_edges tree = new_edges(n);
    size_t pairs = (size_t)n * (n - 1) / 2, at = 0;
    ref_edge *all = bench_memory(pairs, sizeof *all);
    ref_neighbor *near = bench_memory(n, sizeof *near);
    double *core = bench_memory(n, sizeof *core), *got = bench_memory(n, sizeof *got);
    bench_where("points %d, %u × %u, p %g, within %u", what, n, columns, p, within);
    for (uint32_t i = 0; i < n; i++) {
        ref_by_sum(c.values, n, columns, p, c.values + (size_t)i * columns, near);
        core[i] = near[within].sum;
    }
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = i + 1; j < n; j++) {
            double sum =
                ref_norm_sum(p, c.values + (size_t)i * columns, c.values + (size_t)j * columns, columns);
            all[at++] = (ref_edge){fmax(sum, fmax(core[i], core[j])), i, j};
        }
    ref_mst(n, all, pairs, false);
    BENCH_OK(tree_raised_kept(test_gpu(), &x, within, &scale, got, &kept));
    BENCH_OK(tree_kept_bring(test_gpu(), &kept, &tree));
    compare(n, in_order(&tree, n), all);
    for (uint32_t i = 0; i < n; i++) BENCH_CHECK(got[i] == (p == 2 ? sqrt(core[i]) : core[i]) / 2);
    tree_kept_free(&kept);
    index_free(&x);
    bench_clear();
}

START_TEST(test_raised) {
    static const double powers[] = {2, 1, INFINITY};
    for (kind what = 0; what < KINDS; what++)
        for (int t = 0; t < hunt(4, 20); t++) {
            uint32_t n = 2 + bench_random() % (t ? 60 : 500), within = bench_random() % 6;
            check_raised(what, n, 1 + what % 3u, powers[what % 3], within < n ? within : n - 1);
        }
}
END_TEST

/* The tree of the processors, from lists of their own. */
static void compare_with_threads(kind what, uint32_t n, uint32_t columns, uint32_t k) {
    cloud c = make_points(what, n, columns);
    spatial_index x = make_index(&c, 2);
    tree_edges got = new_edges(n), want = new_edges(n);
    uint32_t *list = bench_memory((size_t)n * k, sizeof *list);
    const index_task task = {.x = &x, .queries = &x, .k = k};
    bench_where("points %d, %u × %u, lists of %u", what, n, columns, k);
    BENCH_OK(index_nearest_on_cpu(run_of(test_gpu()), &task, list, NULL));
    BENCH_OK(tree_points(test_gpu(), &x, &(tree_lists){.k = k, .index = list}, NULL, &want));
    find_tree(&x, k, &got);
    compare(n, in_order(&got, n), in_order(&want, n));
    index_free(&x);
    bench_clear();
}

START_TEST(test_threads) {
    for (kind what = 0; what < KINDS; what++)
        if (what != SAME) compare_with_threads(what, 20000, 1 + what % 3u, 1 + what % 4u * 3);
    compare_with_threads(ROW, 30000, 1, 8); /* a path of 30,000 components */
}
END_TEST

/* Searches between two concentric spheres look at most points: the tree is given up, or found with patience.
 */
START_TEST(test_patience) {
    enum { N = 6000 };
    cloud c = make_points(UNIFORM, N, 3);
    for (uint32_t i = 0; i < N; i++) {
        double *row = c.values + (size_t)i * 3, length = 0;
        for (int k = 0; k < 3; k++) row[k] -= 0.5, length += row[k] * row[k];
        for (int k = 0; k < 3; k++) row[k] *= (i % 2 ? 1 : 0.01) / sqrt(length);
    }
    spatial_index x = make_index(&c, 2);
    tree_kept kept = {.most = 10};
    BENCH_OK(tree_points_kept(test_gpu(), &x, 8, &kept));
    ck_assert(!kept.edges.id);
    kept.most = 1e6;
    BENCH_OK(tree_points_kept(test_gpu(), &x, 8, &kept));
    ck_assert(kept.edges.id && kept.edges.elements == N);
    tree_kept_free(&kept);
    index_free(&x);
}
END_TEST

static void check_place(const spatial_index *x, uint32_t k, run_why want) {
    run_why why;
    BENCH_OK(tree_points_place(test_gpu(), x, k, &why));
    bool right = run_why_device(want) ? run_why_device(why) : why == want;
    ck_assert_msg(right, "lists of %u: %d, not %d", k, why, want);
}

/* What passes cannot do is for the processors. */
START_TEST(test_limits) {
    cloud c = make_points(UNIFORM, 100, 3);
    spatial_index x = make_index(&c, 2), broken = make_index(&c, 1.5);
    check_place(&broken, 4, RUN_NOT_LIMITS);
    check_place(&x, 33, RUN_NOT_LIMITS);
    gpu_set_eager(test_gpu(), true);
    check_place(&x, 4, RUN_FOR_PASSES);
    gpu_set_exact(test_gpu(), false);
    check_place(&x, 4, RUN_NOT_EXACT);
    gpu_set_exact(test_gpu(), true);
    gpu_set_eager(test_gpu(), false);
    if (!gpu_is_named(test_gpu())) check_place(&x, 4, RUN_NOT_SMALL);
    index_free(&x);
    index_free(&broken);
}
END_TEST

Suite *tree_points_suite(void) {
    Suite *s = suite_create("tree/points");
    TCase *c = bench_case(s, "points");
    tcase_set_timeout(c, 300);
    tcase_add_test(c, test_all_pairs);
    tcase_add_test(c, test_raised);
    tcase_add_test(c, test_threads);
    tcase_add_test(c, test_patience);
    tcase_add_test(c, test_limits);
    return s;
}
