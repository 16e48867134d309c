/* Sparse matrices as scipy.sparse.save_npz writes them, beside the same in Matrix Market's format
 * (tests/io/golden/scipy/make.py). */
#include <stdlib.h>

#include "files.h"
#include "io/graph/graph.h"
#include "io/graph/sparse.h"
#include "suites.h"

#define FOLDER GOLDEN "scipy/"

static const char *const formats[] = {"csr", "csc", "coo"};

static const char *path_of(const char *name, int format) {
    static char path[100];
    snprintf(path, sizeof path, FOLDER "%s_%s.npz", name, formats[format]);
    return path;
}

START_TEST(graphs) {
    static const io_graph_values values[] = {IO_GRAPH_PLAIN, IO_GRAPH_LENGTHS, IO_GRAPH_HEIGHTS};
    error err = {0};
    for (int v = 0; v < 3; v++) {
        io_graph a, b;
        IO_OK(&err, io_read_graph(&err, path_of("graph", _i), values[v], &a));
        IO_OK(&err, io_read_graph(&err, FOLDER "graph.mtx", values[v], &b));
        size_t n = a.graph.nodes, count = b.graph.start[b.graph.nodes];
        ck_assert(n == 12 && b.graph.nodes == n && count > 40);
        ck_assert_mem_eq(a.graph.start, b.graph.start, (n + 1) * sizeof *a.graph.start);
        ck_assert_mem_eq(a.graph.to, b.graph.to, count * sizeof *a.graph.to);
        if (v) ck_assert_mem_eq(a.graph.weight, b.graph.weight, count * sizeof *a.graph.weight);
        ck_assert(a.first == 0 && a.has_values && a.has_lengths);
        io_graph_free(&a);
        io_graph_free(&b);
    }
}
END_TEST

START_TEST(rows) {
    error err = {0};
    io_sparse a, b;
    IO_OK(&err, io_read_sparse(&err, path_of("counts", _i), &a));
    IO_OK(&err, io_read_sparse(&err, FOLDER "counts.mtx", &b));
    ck_assert(a.rows == 9 && a.cols == 20 && a.count == 54 && b.count == 54);
    ck_assert_mem_eq(a.start, b.start, 10 * sizeof *a.start);
    ck_assert_mem_eq(a.column, b.column, 54 * sizeof *a.column);
    ck_assert_mem_eq(a.value, b.value, 54 * sizeof *a.value);
    io_sparse_free(&a);
    io_sparse_free(&b);
}
END_TEST

/* A matrix of zeros has arrays without values. */
START_TEST(without_entries) {
    static const char *const files[] = {FOLDER "none_csr.npz", FOLDER "none_coo.npz"};
    error err = {0};
    io_graph g;
    IO_OK(&err, io_read_graph(&err, files[_i], IO_GRAPH_LENGTHS, &g));
    ck_assert(g.graph.nodes == 3 && g.graph.start[3] == 0);
    io_graph_free(&g);
}
END_TEST

static void refused(const char *path, const char *has) {
    error err = {0};
    io_graph g;
    IO_FAILS(&err, GLSHAPE_BAD_INPUT, io_read_graph(&err, path, IO_GRAPH_LENGTHS, &g), has);
}

START_TEST(refusals) {
    error err = {0};
    io_sparse m;
    refused(FOLDER "dia.npz", "in the format 'dia'");
    refused(FOLDER "counts_csr.npz", "is 9 × 20; a graph is a square matrix");
    refused(GOLDEN "fields/packed.npz", "has no array 'shape'");
    IO_FAILS(&err, GLSHAPE_BAD_INPUT, io_read_sparse(&err, FOLDER "dia.npz", &m), "tocsr()");
}
END_TEST

/* Where a byte is another one, the file is refused, or nothing of the matrix has changed. */
START_TEST(damage) {
    size_t bytes, read = 0;
    error own = {0};
    io_graph want;
    char *whole = files_load(path_of("graph", 1), &bytes);
    IO_OK(&own, io_read_graph(&own, path_of("graph", 1), IO_GRAPH_LENGTHS, &want));
    size_t n = want.graph.nodes, count = want.graph.start[n];
    for (size_t k = 0; k < bytes; k++) {
        error err = {0};
        io_graph g;
        whole[k] ^= 4;
        if (!io_read_graph(&err, files_make("damaged.npz", whole, bytes), IO_GRAPH_LENGTHS, &g)) {
            IO_HOLDS(g.graph.nodes == n && g.graph.start[n] == count &&
                         !memcmp(g.graph.to, want.graph.to, count * sizeof *g.graph.to) &&
                         !memcmp(g.graph.weight, want.graph.weight, count * sizeof *g.graph.weight),
                     "byte %zu: another graph", k);
            io_graph_free(&g);
            read++;
        } else IO_HOLDS(*err.text, "byte %zu: no sentence", k);
        whole[k] ^= 4;
    }
    ck_assert_uint_lt(read, bytes / 2);
    io_graph_free(&want);
    free(whole);
}
END_TEST

Suite *io_scipy_suite(void) {
    Suite *s = suite_create("io/scipy");
    TCase *t = files_case("scipy");
    tcase_add_loop_test(t, graphs, 0, 3);
    tcase_add_loop_test(t, rows, 0, 3);
    tcase_add_loop_test(t, without_entries, 0, 2);
    tcase_add_test(t, refusals);
    tcase_add_test(t, damage);
    suite_add_tcase(s, t);
    return s;
}
