/* Sparse matrices and graphs in Matrix Market's format, against SciPy's reading of the same files. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "files.h"
#include "io/graph/graph.h"
#include "io/graph/sparse.h"
#include "io/read.h"

Suite *io_market_suite(void);

#define GRAPHS GOLDEN "graphs/"
#define HEAD "%%MatrixMarket matrix coordinate "

enum { MUTATIONS = 2000 };

static error err;

static const char *make(const char *text) { return files_make("in.mtx", text, strlen(text)); }

/* What io_sparse promises. */
static bool is_sound(const io_sparse *m) {
    bool right = m->rows && m->cols && m->start[0] == 0 && m->start[m->rows] == m->count;
    for (size_t r = 0; r < m->rows && right; r++) {
        right = m->start[r] <= m->start[r + 1];
        for (size_t k = m->start[r]; k < m->start[r + 1] && right; k++)
            right = m->column[k] < m->cols && isfinite(m->value[k]) && m->value[k] != 0 &&
                    (k == m->start[r] || m->column[k - 1] < m->column[k]);
    }
    return right;
}

static float value_at(const io_sparse *m, size_t row, size_t col) {
    for (size_t k = m->start[row]; k < m->start[row + 1]; k++)
        if (m->column[k] == col) return m->value[k];
    return 0;
}

/* Asserts that m, or its transpose, has the values of the .npy file. */
static void has_values(const io_sparse *m, const char *path, bool transposed) {
    glshape_matrix dense;
    IO_OK(&err, io_read_matrix(&err, path, IO_NPY, &dense));
    IO_HOLDS(is_sound(m), "%s: not as promised", path);
    ck_assert(dense.type == GLSHAPE_F64 || dense.type == GLSHAPE_I64);
    ck_assert_uint_eq(dense.rows, transposed ? m->cols : m->rows);
    ck_assert_uint_eq(dense.cols, transposed ? m->rows : m->cols);
    for (size_t i = 0; i < dense.rows * dense.cols; i++) {
        size_t row = i / dense.cols, col = i % dense.cols;
        float got = transposed ? value_at(m, col, row) : value_at(m, row, col);
        double is =
            dense.type == GLSHAPE_F64 ? ((double *)dense.data)[i] : (double)((int64_t *)dense.data)[i];
        IO_HOLDS(got == (float)is, "%s: row %zu, column %zu is %g, not %g", path, row, col, (double)got, is);
    }
    io_matrix_free(&dense);
}

static void reads_as(const char *mtx, const char *npy) {
    io_sparse m, transposed;
    IO_OK(&err, io_read_sparse(&err, mtx, &m));
    has_values(&m, npy, false);
    IO_OK(&err, io_sparse_transpose(&err, &m, &transposed));
    has_values(&transposed, npy, true);
    io_sparse_free(&m);
    io_sparse_free(&transposed);
    ck_assert(!m.start && !m.column && !m.value);
}

START_TEST(scipy_files_are_read) {
    reads_as(GRAPHS "real-general.mtx", GRAPHS "real-general.npy");
    reads_as(GRAPHS "integer-general.mtx", GRAPHS "integer-general.npy");
    reads_as(GRAPHS "pattern-general.mtx", GRAPHS "pattern-general.npy");
    reads_as(GRAPHS "real-symmetric.mtx", GRAPHS "real-symmetric.npy");
    reads_as(GRAPHS "real-skew.mtx", GRAPHS "real-skew.npy");
    reads_as(GRAPHS "untidy.mtx", GRAPHS "untidy.npy");
}
END_TEST

START_TEST(zipped_and_marked_files_are_read) {
    size_t count;
    char *bytes = files_load(GRAPHS "real-general.mtx", &count), *marked = malloc(count + 3);
    reads_as(files_make_gzip("in.mtx.gz", bytes, count), GRAPHS "real-general.npy");
    memcpy(marked, "\xef\xbb\xbf", 3);
    memcpy(marked + 3, bytes, count);
    reads_as(files_make("marked.mtx", marked, count + 3), GRAPHS "real-general.npy");
    free(marked);
    free(bytes);
}
END_TEST

START_TEST(a_matrix_may_be_empty_of_values) {
    io_sparse m;
    IO_OK(&err, io_read_sparse(&err, make(HEAD "real general\n3 2 1\n2 2 1e-60\n"), &m));
    ck_assert(m.rows == 3 && m.cols == 2 && m.count == 0 && is_sound(&m));
    IO_OK(&err, io_sparse_tfidf(&err, &m));
    io_sparse_free(&m);
}
END_TEST

static void refuses(const char *text, const char *has) {
    io_sparse m;
    const char *path = make(text);
    IO_FAILS(&err, GLSHAPE_BAD_INPUT, io_read_sparse(&err, path, &m), has);
    IO_FAILS(&err, GLSHAPE_BAD_INPUT, io_read_sparse(&err, path, &m), path);
    ck_assert(!m.start && !m.column && !m.value && !m.rows);
}

START_TEST(other_kinds_are_refused) {
    refuses("%%MatrixMarket matrix array real general\n2 2\n1\n", "'array' is the dense format");
    refuses(HEAD "complex general\n1 1 1\n1 1 1 0\n", "'complex' values cannot be used");
    refuses(HEAD "real hermitian\n1 1 1\n1 1 1\n", "'hermitian' matrices are complex");
    refuses(HEAD "quaternion general\n1 1 1\n1 1 1\n", "'quaternion' is not a kind of value");
    refuses(HEAD "real odd\n1 1 1\n1 1 1\n", "'odd' is not a symmetry");
    refuses(HEAD "pattern skew-symmetric\n2 2 1\n2 1\n", "a pattern, which has no signs");
    refuses("%%MatrixMarket tensor coordinate real general\n", "line 1 is not");
    refuses("%%MatrixMarket\n", "line 1 is not");
    refuses("\x93NUMPY\x01", "a .npy file, which is dense");
    refuses("PK\x03\x04", "it ends within an array");
}
END_TEST

START_TEST(sizes_are_checked) {
    refuses(HEAD "real general\n% only comments\n", "ends before its size");
    refuses(HEAD "real general\n3 3\n", "line 2 is not the size");
    refuses(HEAD "real general\n3 -3 1\n", "line 2 is not the size");
    refuses(HEAD "real general\n0 3 0\n", "a matrix of 0 × 3");
    refuses(HEAD "real general\n1 99999999999 1\n1 1 1\n", "1 × 99999999999 is too large");
    refuses(HEAD "real symmetric\n2 3 1\n1 1 1\n", "2 × 3 cannot be symmetric");
}
END_TEST

START_TEST(entries_are_checked) {
    refuses(HEAD "real general\n2 3 2\n1 1 1\n3 1 1\n", "line 4: row '3' is not in 1 .. 2");
    refuses(HEAD "real general\n2 3 2\n1 1 1\n1 4 1\n", "line 4: column '4' is not in 1 .. 3");
    refuses(HEAD "real general\n2 3 1\n0 1 1\n", "line 3: row '0' is not in 1 .. 2");
    refuses(HEAD "real general\n2 3 1\n1.5 1 1\n", "line 3: row '1.5' is not");
    refuses(HEAD "real general\n2 3 1\n1 1 x\n", "line 3: 'x' is not a number");
    refuses(HEAD "real general\n2 3 1\n1 1 nan\n", "line 3: 'nan' is not a value");
    refuses(HEAD "real general\n2 3 1\n1 1 -inf\n", "line 3: '-inf' is infinite");
    refuses(HEAD "real general\n2 3 1\n1 1 1e39\n", "line 3: '1e39' is too large");
    refuses(HEAD "real general\n2 3 2\n1 1 3e38\n1 1 3e38\n", "row 1, column 1 sum to more");
    refuses(HEAD "integer general\n2 3 1\n1 1 1.5\n", "line 3: '1.5' is not an integer");
    refuses(HEAD "real general\n2 3 1\n1 1\n", "line 3 has 2 fields, an entry is 'ROW COLUMN VALUE'");
    refuses(HEAD "pattern general\n2 3 1\n1 1 1\n", "line 3 has 3 fields, an entry is 'ROW COLUMN'");
    refuses(HEAD "real general\n2 3 1\n1 1 1\n1 2 1\n", "line 4 is an entry more than the 1 announced");
    refuses(HEAD "real general\n2 3 3\n1 1 1\n1 2 1\n", "ends after 2 of its 3 entries");
    refuses(HEAD "real general\n2 3 999999999999999999\n1 1 1\n", "ends after 1 of its 9999");
    refuses(HEAD "real symmetric\n2 2 2\n2 1 1\n1 2 1\n", "line 4: entries both below and above");
    refuses(HEAD "real skew-symmetric\n2 2 1\n1 1 1\n", "line 3: the diagonal of a skew");
}
END_TEST

/* Rows cost memory, values or none: a header alone does not make the reader spend gigabytes. */
START_TEST(rows_that_are_only_announced_are_refused) {
    refuses(HEAD "real general\n4294967295 1 1\n1 1 1\n",
            "4294967295 rows, but only 1 values: is its header right?");
    refuses(HEAD "real general\n16777217 1 1\n1 1 1\n", "16777217 rows");
    io_sparse m;
    IO_OK(&err, io_read_sparse(&err, make(HEAD "real general\n16777216 1 1\n1 1 1\n"), &m));
    ck_assert(m.rows == 16777216 && m.count == 1);
    io_sparse_free(&m);
}
END_TEST

/* ---- graphs ------------------------------------------------------------------------------------------ */

static bool is_sound_graph(const io_graph *g, bool weighted) {
    const glshape_graph *a = &g->graph;
    bool right =
        a->nodes && a->start[0] == 0 && a->start[a->nodes] == 2 * g->edges && !a->weight == !weighted;
    for (size_t v = 0; v < a->nodes && right; v++)
        for (size_t k = a->start[v]; k < a->start[v + 1] && right; k++)
            right = a->to[k] < a->nodes && a->to[k] != v && (k == a->start[v] || a->to[k - 1] < a->to[k]) &&
                    (!weighted || (a->weight[k] > 0 && isfinite(a->weight[k])));
    return right;
}

static void graph_is(const char *path, bool weighted, size_t nodes, size_t edges, size_t loops,
                     size_t repeated) {
    io_graph g;
    IO_OK(&err, io_read_graph(&err, path, weighted, &g));
    IO_HOLDS(is_sound_graph(&g, weighted), "%s: not as promised", path);
    ck_assert_uint_eq(g.graph.nodes, nodes);
    ck_assert_uint_eq(g.edges, edges);
    ck_assert_uint_eq(g.loops, loops);
    ck_assert_uint_eq(g.repeated, repeated);
    ck_assert(g.first == 1 && !g.names);
    io_graph_free(&g);
    ck_assert(!g.graph.start && !g.graph.to && !g.graph.weight);
}

START_TEST(graphs_are_read) {
    graph_is(make(HEAD "pattern symmetric\n4 4 4\n2 1\n3 3\n4 1\n2 1\n"), false, 4, 2, 1, 1);
    graph_is(make(HEAD "real symmetric\n3 3 4\n1 1 5\n2 1 -9\n3 2 .5\n3 1 0\n"), false, 3, 2, 1, 0);
    graph_is(make(HEAD "real symmetric\n3 3 3\n1 1 -5\n2 1 9\n3 2 .5\n"), true, 3, 2, 1, 0);
    graph_is(make(HEAD "real general\n3 3 4\n1 2 9\n2 1 8\n3 2 1\n2 3 1\n"), false, 3, 2, 0, 0);
    graph_is(make(HEAD "pattern general\n5 5 0\n"), false, 5, 0, 0, 0);
}
END_TEST

START_TEST(both_ways_of_storing_are_one_graph) {
    io_graph one, both;
    IO_OK(&err, io_read_graph(&err, GRAPHS "graph.mtx.gz", true, &one));
    IO_OK(&err, io_read_graph(&err, GRAPHS "graph-both.mtx", true, &both));
    ck_assert_uint_eq(one.edges, both.edges);
    const glshape_graph *a = &one.graph, *b = &both.graph;
    ck_assert_mem_eq(a->start, b->start, (a->nodes + 1) * sizeof *a->start);
    ck_assert_mem_eq(a->to, b->to, 2 * one.edges * sizeof *a->to);
    ck_assert_mem_eq(a->weight, b->weight, 2 * one.edges * sizeof *a->weight);
    ck_assert(one.has_values && both.has_values);
    io_graph_free(&one);
    io_graph_free(&both);
}
END_TEST

static void refuses_graph(const char *text, bool weighted, const char *has) {
    io_graph g;
    const char *path = make(text);
    IO_FAILS(&err, GLSHAPE_BAD_INPUT, io_read_graph(&err, path, weighted, &g), has);
    IO_FAILS(&err, GLSHAPE_BAD_INPUT, io_read_graph(&err, path, weighted, &g), path);
    ck_assert(!g.graph.start && !g.graph.to && !g.graph.weight && !g.names);
}

/* First lines as people type them. */
START_TEST(first_lines_that_are_not_quite_right_are_read) {
    static const char *const heads[] = {"%MatrixMarket", " %%MatrixMarket", "\n\t%%matrixmarket",
                                        "% MatrixMarket", "\xef\xbb\xbf%MatrixMarket"};
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
        char text[256];
        io_graph g;
        snprintf(text, sizeof text, "%s matrix coordinate real symmetric\n5 5 3\n2 1 0.5\n3 2 0.25\n5 3 1\n",
                 heads[i]);
        IO_OK(&err, io_read_graph(&err, make(text), IO_GRAPH_LENGTHS, &g));
        ck_assert(g.graph.nodes == 5 && g.edges == 3 && g.graph.start[4] == g.graph.start[3]);
        io_graph_free(&g);
        snprintf(text, sizeof text, "%s matrix coordinate real general\n4 6 1\n1 2 0.5\n", heads[i]);
        IO_FAILS(&err, GLSHAPE_BAD_INPUT, io_read_graph(&err, make(text), IO_GRAPH_LEAST, &g), "is 4 × 6");
    }
}
END_TEST

START_TEST(other_graphs_are_refused) {
    refuses_graph(HEAD "pattern general\n3 4 1\n1 2\n", false, "is 3 × 4; a graph is a square matrix");
    refuses_graph(HEAD "pattern general\n9 9 1\n3 7\n", false, "directed (edge 3 → 7 has no partner)");
    refuses_graph(HEAD "real general\n9 9 2\n3 7 1\n7 3 2\n", true,
                  "directed (edge 3 → 7 has the value 1, its partner 2)");
    refuses_graph(HEAD "real skew-symmetric\n2 2 1\n2 1 1\n", false, "is skew-symmetric");
    refuses_graph(HEAD "pattern symmetric\n2 2 1\n2 1\n", true, "is a pattern: its edges have no lengths");
    refuses_graph(HEAD "real symmetric\n2 2 1\n2 1 0\n", true, "line 3: 0 is no length");
    refuses_graph(HEAD "real symmetric\n2 2 1\n2 1 -2\n", true, "line 3: -2 is no length");
    refuses_graph(HEAD "real symmetric\n2 2 1\n2 1 1e-60\n", true, "line 3: 1e-60 is too small");
    refuses_graph(HEAD "real symmetric\n2 2 1\n2 1 nan\n", false, "line 3: 'nan'");
}
END_TEST

/* ---- damaged files ----------------------------------------------------------------------------------- */

static void survive(const char *bytes, size_t count) {
    io_sparse m;
    io_graph g;
    const char *path = files_make("hostile.mtx", bytes, count);
    err.text[0] = '\0';
    if (io_read_sparse(&err, path, &m) == GLSHAPE_OK) IO_HOLDS(is_sound(&m), "%s is read wrongly", bytes);
    else IO_HOLDS(!m.start && !m.value && strstr(err.text, path), "without the path: %s", err.text);
    io_sparse_free(&m);
    for (int weighted = 0; weighted < 2; weighted++) {
        if (io_read_graph(&err, path, weighted, &g) == GLSHAPE_OK)
            IO_HOLDS(is_sound_graph(&g, weighted), "%s is read wrongly", bytes);
        else IO_HOLDS(!g.graph.start && !g.names && strstr(err.text, path), "without the path: %s", err.text);
        io_graph_free(&g);
    }
}

static uint64_t state;

static uint64_t next_random(void) {
    uint64_t z = state += 0x9E3779B97F4A7C15u; /* splitmix64 */
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
}

static void mutate(char *bytes, size_t count) {
    static const char likely[] = "0123456789 \n\t-+.eE%#,\"\x00\xff";
    for (uint64_t i = next_random() % 3 + 1; i-- > 0;)
        bytes[next_random() % count] = likely[next_random() % (sizeof likely - 1)];
}

START_TEST(damaged_files_are_survived) {
    static const char *const paths[] = {GRAPHS "untidy.mtx", GRAPHS "real-symmetric.mtx",
                                        GOLDEN "documents/docword.txt"};
    for (size_t p = 0; p < sizeof paths / sizeof *paths; p++) {
        size_t count;
        char *bytes = files_load(paths[p], &count), *copy = calloc(count + 1, 1);
        for (size_t n = 1; n < count; n++) survive(bytes, n);
        for (state = 0; state < MUTATIONS;) {
            uint64_t seed = state;
            memcpy(copy, bytes, count);
            mutate(copy, count);
            survive(copy, count);
            state = seed + 1;
        }
        free(copy);
        free(bytes);
    }
}
END_TEST

Suite *io_market_suite(void) {
    Suite *suite = suite_create("io/market");
    TCase *tests = files_case("market");
    tcase_add_test(tests, scipy_files_are_read);
    tcase_add_test(tests, zipped_and_marked_files_are_read);
    tcase_add_test(tests, a_matrix_may_be_empty_of_values);
    tcase_add_test(tests, other_kinds_are_refused);
    tcase_add_test(tests, sizes_are_checked);
    tcase_add_test(tests, entries_are_checked);
    tcase_add_test(tests, rows_that_are_only_announced_are_refused);
    tcase_add_test(tests, graphs_are_read);
    tcase_add_test(tests, both_ways_of_storing_are_one_graph);
    tcase_add_test(tests, first_lines_that_are_not_quite_right_are_read);
    tcase_add_test(tests, other_graphs_are_refused);
    tcase_add_test(tests, damaged_files_are_survived);
    suite_add_tcase(suite, tests);
    return suite;
}
