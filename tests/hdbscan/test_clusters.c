/* Clusters of a dendrogram: by passes and by threads. */
#include <math.h>
#include <stdlib.h>

#include "hdbscan/hdbscan.h"
#include "prim/bench.h"

static double uniform(void) { return bench_random() * 0x1p-32; }
static uint32_t below(uint32_t most) { return bench_random() % most; }

typedef enum { PATH_UP, BUSHES, LEVELS, HALVES, STAR, ZEROS, SHAPES } shape;

/* A tree whose condensed tree is long, wide, deep, of many ties, or of many equal points. */
static void shape_tree(shape what, uint32_t n, uint32_t *i, uint32_t *j, double *height) {
    for (uint32_t k = 0; k + 1 < n; k++) {
        bool begins = k % 97 == 0;
        i[k] = k + 1;
        j[k] = what == STAR                ? 0
               : what == BUSHES && !begins ? k - below(k % 97 + 1)
               : what == LEVELS            ? below(k + 1)
                                           : k;
        height[k] = what == PATH_UP  ? k + uniform()
                    : what == BUSHES ? begins ? 5 + uniform() : uniform()
                    : what == LEVELS ? 1 + below(5)
                    : what == HALVES ? __builtin_ctz(k + 1) + 0.5 * uniform() + 0.1
                    : what == STAR   ? uniform()
                                     : (k % 5 ? 0 : below(3) * uniform());
    }
}

static void compare_clusters(shape what, uint32_t n, const glshape_hdbscan_options *o) {
    gpu *g = test_gpu();
    uint32_t *i = bench_memory(n, sizeof *i), *j = bench_memory(n, sizeof *j);
    double *height = bench_memory(n, sizeof *height), *rows = bench_memory(n, 4 * sizeof *rows);
    hdbscan_way way = {0};
    glshape_hdbscan_result r[2] = {{.n = n, .merges = rows, .options = *o},
                                   {.n = n, .merges = rows, .options = *o}};
    bool done;
    bench_where("shape %d, %u points, sizes %d to %zu, epsilon %g", what, n, o->min_cluster_size,
                o->max_cluster_size, o->epsilon);
    shape_tree(what, n, i, j, height);
    BENCH_OK(tree_dendrogram_by_passes(g, n, i, j, height, rows, NULL, &way.merges));
    BENCH_OK(hdbscan_clusters_by_passes(g, &way, &r[0], &done));
    BENCH_OK(hdbscan_clusters_by_threads(run_error(run_of(g)), &r[1]));
    BENCH_CHECK(done && hdbscan_same(&r[0], &r[1]));
    hdbscan_way_free(&way);
    for (int k = 0; k < 2; k++) r[k].merges = NULL, glshape_hdbscan_free(&r[k]);
    bench_clear();
}

/* Any options, with defaults in place of zeros. */
static glshape_hdbscan_options any_options(uint32_t n) {
    static const double distances[] = {0, 0, 0.3, 1, 2.5, 5.2};
    return (glshape_hdbscan_options){.min_cluster_size = (int)(2 + below(below(2) ? 4 : 90)),
                                     .selection = (glshape_hdbscan_selection)below(2),
                                     .epsilon = distances[below(6)],
                                     .max_epsilon = below(3) ? INFINITY : 0.7,
                                     .max_cluster_size = below(3) ? SIZE_MAX : 1 + below(n),
                                     .allow_single_cluster = below(2)};
}

/* The device and the processors find the same clusters. */
START_TEST(test_passes) {
    for (uint32_t n = 2; n < 12; n++)
        for (shape what = 0; what < SHAPES; what++) {
            glshape_hdbscan_options o = any_options(n);
            compare_clusters(what, n, &o);
        }
    for (int turn = 0; turn < hunt(2, 20); turn++)
        for (shape what = 0; what < SHAPES; what++) {
            uint32_t n = turn == 1 ? 70000 + below(99) : 100 + below(9000); /* numbers of three bytes */
            glshape_hdbscan_options o = any_options(n);
            compare_clusters(what, n, &o);
        }
}
END_TEST

/* Heights that its numbers do not hold are left to the processors, and so is what has no room. */
START_TEST(test_left) {
    static const double heights[] = {0x1p-501, 0x1p501, INFINITY, 0x1p-1074};
    gpu *g = test_gpu();
    const uint32_t i[] = {0, 1, 2}, j[] = {1, 2, 3};
    for (size_t k = 0; k < sizeof heights / sizeof *heights; k++) {
        double height[] = {1, 1, heights[k]}, rows[12];
        hdbscan_way way = {0};
        glshape_hdbscan_result r = {.n = 4, .merges = rows, .options = {.min_cluster_size = 2}};
        bool done;
        BENCH_OK(tree_dendrogram_by_passes(g, 4, i, j, height, rows, NULL, &way.merges));
        BENCH_OK(hdbscan_clusters_by_passes(g, &way, &r, &done));
        BENCH_CHECK(!done && !r.tree && !r.rows);
        hdbscan_way_free(&way);
    }
    bench_clear();
}
END_TEST

/* Stabilities are sums by sixty-fours. */
START_TEST(test_sums) {
    for (size_t count = 1; count < 9000; count = count * 5 / 4 + 1) {
        double *term = bench_memory(count, sizeof *term), *part = bench_memory(count, sizeof *part);
        for (size_t k = 0; k < count; k++) part[k] = term[k] = uniform() * ldexp(1, (int)below(40));
        for (size_t left = count, to; left > 1; left = to) {
            to = 0;
            for (size_t k = 0; k < left; k += 64, to++) {
                double sum = part[k];
                for (size_t e = k + 1; e < left && e < k + 64; e++) sum += part[e];
                part[to] = sum;
            }
        }
        BENCH_CHECK(hdbscan_sum(count, term) == part[0]);
        bench_clear();
    }
}
END_TEST

Suite *hdbscan_clusters_suite(void) {
    Suite *s = suite_create("hdbscan/clusters");
    TCase *t = bench_case(s, "clusters");
    tcase_add_test(t, test_passes);
    tcase_add_test(t, test_left);
    tcase_add_test(t, test_sums);
    return s;
}
