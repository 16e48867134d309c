/* Runs every suite in one process (the GPU tests share a device) and checks at the end that nothing leaked.
 * Long suites come first, so that dealing them out to several processes is fair; before them io/grid, which
 * forks for each file, while its process is small.
 * GLSHAPE_TEST_PART=device, for one more driver, leaves out the suites of HOST, in which no driver has a
 * part that other suites do not look at, and those of COMMAND, whose methods have suites of their own.
 * GLSHAPE_TEST_WITHOUT=NAME,NAME leaves out suites, by their names below.
 */
#include <execinfo.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "suites.h"

typedef enum { DEVICE, COMMAND, HOST } part;
/* clang-format off */
#define SUITES(X) \
    X(io_grid, HOST) X(mds_layout, DEVICE) X(mds_passes, DEVICE) X(cli, DEVICE) X(knn, DEVICE) X(python, HOST) \
    X(linkage, DEVICE) X(index, DEVICE) X(mds_sources, DEVICE) X(mergetree_grids, DEVICE) X(knn_metrics, DEVICE) \
    X(cli_distances, HOST) X(mds_weights, DEVICE) X(gpu_small, HOST) X(alpha_spectrum, DEVICE) \
    X(cli_graph, HOST) X(knn_queries, DEVICE) X(knn_choose, HOST) X(linkage_across, DEVICE) X(delaunay, DEVICE) X(compare, DEVICE) X(compare_vectors, DEVICE) X(hdbscan, DEVICE) X(hdbscan_clusters, DEVICE) X(hdbscan_membership, DEVICE) \
    X(mergetree_contour, DEVICE) X(mergetree_contour_twin, DEVICE) X(rips, DEVICE) X(tree_mst, DEVICE) X(tree_points, DEVICE) X(alpha_shapes, DEVICE) X(alpha_outline, DEVICE) \
    X(mds_components, DEVICE) X(plot_png, DEVICE) X(plot_draw, DEVICE) X(cli_cubical, COMMAND) \
    X(cli_mergetree, COMMAND) X(plot_scatter, DEVICE) X(cli_alpha, COMMAND) X(mergetree_graphs, DEVICE) \
    X(cli_pack, HOST) X(prim_reduce, DEVICE) X(cli_rips, COMMAND) X(io_distances_check, HOST) \
    X(cubical_twin, DEVICE) X(mergetree_slabs, DEVICE) X(mergetree_gudhi, DEVICE) X(cli_documents, COMMAND) \
    X(prim_scan, DEVICE) X(gpu_execute, DEVICE) X(cubical_slabs, DEVICE) \
    X(mergetree_pairs, DEVICE) X(tree_elders, DEVICE) X(cli_batch, COMMAND) X(cli_terminal, COMMAND) \
    X(cli_hdbscan, COMMAND) X(cli_compare, COMMAND) X(cli_vectors, COMMAND) X(io_number, HOST) X(cli_linkage, COMMAND) X(io_hostile, HOST) \
    X(exact_predicates, DEVICE) X(exact_area, HOST) X(gpu_cache, DEVICE) X(gpu_trust, HOST) X(gpu_later, DEVICE) X(rips_cocycles, DEVICE) X(rips_filtrations, DEVICE) X(rips_collapse, DEVICE) X(rips_sweep, DEVICE) X(plot_barcode, DEVICE) \
    X(prim_radix, DEVICE) X(rips_twin, DEVICE) X(io_market, HOST) X(dist_paths, HOST) X(dist_sphere, HOST) X(io_edges, HOST) \
    X(dist_pager, DEVICE) X(dist_narrow, HOST) X(dist_reasons, DEVICE) X(api_misuse, DEVICE) X(knn_sources, DEVICE) X(exact_limbs, DEVICE) X(exact_whole, DEVICE) X(cubical_gudhi, DEVICE) X(cubical_ways, DEVICE) \
    X(cli_files, COMMAND) X(cli_names, COMMAND) X(cloud, HOST) X(cli_clouds, COMMAND) X(cli_doors, COMMAND) X(gpu_device, DEVICE) X(io_pack, HOST) X(ranks, HOST) X(ranks_fetch, HOST) X(tree_dendrogram, DEVICE) \
    X(gpu_texture, DEVICE) X(cli_delaunay, COMMAND) X(mds_termination, DEVICE) X(io_text, HOST) \
    X(io_write, HOST) X(plot_branches, HOST) X(run, HOST) X(base_threads, HOST) X(base_radix, HOST) X(persistence_column, HOST) X(persistence_sparse, HOST) X(io_distances, HOST) X(io_npy, HOST) X(io_raw, HOST) \
    X(io_regions, HOST) X(io_scipy, HOST) X(io_labels, HOST) X(io_bag, HOST) X(io_block, HOST) X(plot_canvas, HOST) X(plot_svg, HOST) \
    X(io_json, HOST) X(plot_dendrogram, HOST) X(plot_icicles, HOST) X(plot_marks, HOST)
/* clang-format on */

#define DECLARE(name, part) Suite *name##_suite(void);
SUITES(DECLARE)

static gpu *shared;

const char *test_device(void) {
    static char name[128];
    if (getenv("GLSHAPE_TEST_NAME")) return getenv("GLSHAPE_TEST_NAME");
    if (*name) return name;
    glshape_context *c;
    ck_assert_msg(!glshape_open(NULL, &c), "%s", glshape_last_error(c));
    snprintf(name, sizeof name, "%s", glshape_renderer(c));
    glshape_close(c);
    return name;
}

gpu *test_gpu(void) {
    if (shared) return shared;
    error err = {0};
    glshape_options options = {.debug = true, .device = test_device()};
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

double fact_of(glshape_context *context, const char *name) {
    static glshape_fact facts[200];
    int count = glshape_facts(context, facts, 200);
    for (int i = 0; i < count; i++)
        if (!strcmp(facts[i].name, name)) return facts[i].value;
    return 0;
}

bool is_second_driver(void) { return getenv("GLSHAPE_TEST_PART") != NULL; }

int hunt(int few, int many) {
    const char *wanted = getenv("GLSHAPE_TEST_HUNT");
    if (is_second_driver()) return few >= 8 && few <= 200 ? few / 3 : few;
    if (!wanted) return few;
    return !strcmp(wanted, "all") || few == 0 ? many : few;
}

/* GLSHAPE_TEST_SHARE=k/n: of n processes the k-th, from 0, takes every n-th suite. */
static bool is_mine(void) {
    static unsigned dealt;
    unsigned mine = 0, processes = 1;
    const char *share = getenv("GLSHAPE_TEST_SHARE");
    if (share && (sscanf(share, "%u/%u", &mine, &processes) != 2 || mine >= processes))
        ck_abort_msg("GLSHAPE_TEST_SHARE is %s, not k/n with k < n", share);
    return dealt++ % processes == mine;
}

static bool is_wanted(part of) {
    const char *wanted = getenv("GLSHAPE_TEST_PART");
    return !wanted || strcmp(wanted, "device") != 0 || of == DEVICE;
}

static bool is_left_out(const char *name) {
    const char *without = getenv("GLSHAPE_TEST_WITHOUT");
    for (size_t n = strlen(name); without && (without = strstr(without, name)); without += n)
        if (without[n] == ',' || !without[n]) return true;
    return false;
}

/* A script's background jobs, and what nohup runs, start with some signals ignored, and so would the commands
 * that tests send signals to. */
static void default_signals(void) {
    static const int numbers[] = {SIGINT, SIGQUIT, SIGHUP, SIGTERM, SIGPIPE};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) signal(numbers[i], SIG_DFL);
}

/* A crash, in a thread of a driver's, too, says where, because it may not come again: addr2line -e
 * check-glshape takes what is in parentheses. */
static void on_crash(int number) {
    void *calls[64];
    char text[160];
    int length = snprintf(text, sizeof text, "crash: signal %d in case %s\n", number, tcase_name());
    if (write(STDERR_FILENO, text, (size_t)length) == length)
        backtrace_symbols_fd(calls, backtrace(calls, sizeof calls / sizeof *calls), STDERR_FILENO);
    raise(number); /* as if there were no handler: it was for one signal */
}

static void say_where_it_crashes(void) {
#ifndef __SANITIZE_ADDRESS__ /* which says more */
    void *call;
    backtrace(&call, 1); /* loads what it needs, as a crash may leave no memory to be had */
    static const int numbers[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
    struct sigaction action = {.sa_handler = on_crash, .sa_flags = (int)SA_RESETHAND};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) sigaction(numbers[i], &action, NULL);
#endif
}

int main(void) {
    default_signals();
    say_where_it_crashes();
    SRunner *runner = srunner_create(NULL);
#define ADD(name, of) \
    if (is_wanted(of) && !is_left_out(#name) && is_mine()) srunner_add_suite(runner, name##_suite());
    SUITES(ADD)
    srunner_add_suite(runner, last_suite());
    srunner_set_fork_status(runner, CK_NOFORK);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
