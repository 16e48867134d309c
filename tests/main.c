/* Runs every suite in one process (the GPU tests share a device) and checks at the end that nothing leaked.
 */
#include <stdio.h>
#include <stdlib.h>

#include "suites.h"

/* clang-format off */
#define SUITES(X) \
    X(base_threads) X(gpu_device) X(gpu_execute) X(gpu_texture) X(prim_histogram) X(prim_radix) X(prim_reduce) X(prim_scan) \
    X(prim_sort) X(prim_transpose) X(dist_pager) X(dist_paths) X(tree_mst) X(tree_dendrogram) X(mergetree_grids) X(mergetree_gudhi) X(mergetree_graphs) X(mergetree_slabs) X(alpha_limbs) X(alpha_predicates) X(alpha_delaunay) X(alpha_spectrum) X(alpha_shapes) X(mergetree_pairs) X(mergetree_contour) \
    X(knn) X(linkage) X(mds_layout) X(mds_passes) \
    X(mds_termination) X(mds_sources) X(mds_weights) X(mds_components) X(io_bag) X(io_distances) X(io_distances_check) X(io_edges) \
    X(io_hostile) X(io_json) X(io_labels) X(io_market) X(io_npy) X(io_number) X(io_pack) X(io_regions) X(io_text) \
    X(io_write) X(plot_barcode) X(plot_branches) X(plot_canvas) X(plot_dendrogram) X(plot_png) X(plot_scatter) X(plot_svg) \
    X(cli) X(cli_alpha) X(cli_delaunay) X(cli_distances) X(cli_documents) X(cli_files) X(cli_graph) X(cli_mergetree) X(cli_linkage) X(cli_pack) X(cli_rips) X(cli_terminal) \
    X(rips_twin) X(rips) X(rips_cocycles)
/* clang-format on */

#define DECLARE(name) Suite *name##_suite(void);
SUITES(DECLARE)

static gpu *shared;

gpu *test_gpu(void) {
    if (shared) return shared;
    error err = {0};
    glshape_options options = {.debug = true, .device = getenv("GLSHAPE_TEST_NAME")};
    if (gpu_open(&err, &options, &shared) || gpu_enter(shared)) {
        /* A run in which every GPU test is skipped must not pass: no device is a failure. */
        ck_abort_msg("no device to test on: %s", err.text);
    }
    printf("device: %s, %s\n", gpu_renderer(shared), gpu_version(shared));
    return shared;
}

/* The end of the run: every GL object of the shared device must be gone. */
START_TEST(nothing_leaks) {
    if (!shared) return;
    gpu *g = shared;
    shared = NULL;
    ck_assert_uint_eq(gpu_bytes(g), 0);
    gpu_leave(g);
    ck_assert_int_eq(gpu_close(g), 0);
}
END_TEST

static Suite *last_suite(void) {
    Suite *s = suite_create("last");
    TCase *t = tcase_create("leaks");
    tcase_add_test(t, nothing_leaks);
    suite_add_tcase(s, t);
    return s;
}

int main(void) {
    SRunner *runner = srunner_create(NULL);
#define ADD(name) srunner_add_suite(runner, name##_suite());
    SUITES(ADD)
    srunner_add_suite(runner, last_suite());
    srunner_set_fork_status(runner, CK_NOFORK);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
