/* Documents: UCI's bag of words, and their weights, against scikit-learn. */
#include <math.h>
#include <stdlib.h>

#include "files.h"
#include "io/graph/sparse.h"
#include "io/read.h"

Suite *io_bag_suite(void);

#define DOCUMENTS GOLDEN "documents/"

static error err;

static const char *make(const char *text) { return files_make("docword.txt", text, strlen(text)); }

/* Asserts that m is the .npy file of doubles within tolerance. */
static void is_near(const io_sparse *m, const char *path, double tolerance) {
    glshape_matrix dense;
    IO_OK(&err, io_read_matrix(&err, path, IO_NPY, &dense));
    ck_assert(dense.type == GLSHAPE_F64 && dense.rows == m->rows && dense.cols == m->cols);
    double *is = dense.data;
    for (size_t r = 0; r < m->rows; r++)
        for (size_t k = m->start[r]; k < m->start[r + 1]; k++) is[r * m->cols + m->column[k]] -= m->value[k];
    for (size_t i = 0; i < m->rows * m->cols; i++)
        IO_HOLDS(fabs(is[i]) <= tolerance, "%s: row %zu, column %zu differs by %g", path, i / m->cols,
                 i % m->cols, is[i]);
    io_matrix_free(&dense);
}

START_TEST(both_formats_are_the_same_documents) {
    io_sparse bag, terms, transposed;
    IO_OK(&err, io_read_sparse(&err, DOCUMENTS "docword.txt", &bag));
    is_near(&bag, DOCUMENTS "counts.npy", 0);
    IO_OK(&err, io_read_sparse(&err, DOCUMENTS "terms.mtx", &terms));
    IO_OK(&err, io_sparse_transpose(&err, &terms, &transposed));
    is_near(&transposed, DOCUMENTS "counts.npy", 0);
    ck_assert_uint_eq(bag.count, transposed.count);
    ck_assert_mem_eq(bag.start, transposed.start, (bag.rows + 1) * sizeof *bag.start);
    ck_assert_mem_eq(bag.column, transposed.column, bag.count * sizeof *bag.column);
    ck_assert_mem_eq(bag.value, transposed.value, bag.count * sizeof *bag.value);
    io_sparse_free(&bag);
    io_sparse_free(&terms);
    io_sparse_free(&transposed);
}
END_TEST

START_TEST(weights_are_those_of_scikit_learn) {
    io_sparse m;
    IO_OK(&err, io_read_sparse(&err, DOCUMENTS "docword.txt", &m));
    IO_OK(&err, io_sparse_tfidf(&err, &m));
    is_near(&m, DOCUMENTS "tfidf.npy", 4e-8);
    io_sparse_free(&m);
}
END_TEST

START_TEST(counts_are_summed_and_zeros_dropped) {
    io_sparse m;
    IO_OK(&err, io_read_sparse(&err, make("2\r\n3\r\n4\r\n2 3 1\r\n1 1 0\r\n2 1 5\r\n2 3 4\r\n"), &m));
    ck_assert(m.rows == 2 && m.cols == 3 && m.count == 2 && m.start[1] == 0);
    ck_assert(m.column[0] == 0 && m.value[0] == 5 && m.column[1] == 2 && m.value[1] == 5);
    io_sparse_free(&m);
}
END_TEST

static void refuses(const char *text, const char *has) {
    io_sparse m;
    const char *path = make(text);
    IO_FAILS(&err, GLSHAPE_BAD_INPUT, io_read_sparse(&err, path, &m), has);
    IO_FAILS(&err, GLSHAPE_BAD_INPUT, io_read_sparse(&err, path, &m), path);
    ck_assert(!m.start && !m.column && !m.value);
}

START_TEST(other_files_are_refused) {
    refuses("a,b\n1,2\n", "line 1 is not the number of documents");
    refuses("3\n4 5\n", "line 2 is not the number of words");
    refuses("3\n4\n", "ends before the number of entries");
    refuses("3\n4\n-1\n", "line 3 is not the number of entries");
    refuses("0\n4\n0\n", "0 documents of 4 words");
    refuses("5000000000\n4\n0\n", "line 1 is not the number of documents");
    refuses("3\n4\n1\n4 1 1\n", "line 4: document '4' is not in 1 .. 3");
    refuses("3\n4\n1\n3 0 1\n", "line 4: word '0' is not in 1 .. 4");
    refuses("3\n4\n1\n3 1 -1\n", "line 4: '-1' is not a count");
    refuses("3\n4\n1\n3 1 1.5\n", "line 4: '1.5' is not a count");
    refuses("3\n4\n1\n3 1\n", "line 4 has 2 fields");
    refuses("3\n4\n1\n3 1 1\n2 1 1\n", "line 5 is an entry more than the 1 announced");
    refuses("3\n4\n2\n3 1 1\n", "ends after 1 of its 2 entries");
    refuses("3\n4\n900000000000000000\n3 1 1\n", "ends after 1 of its 9000");
}
END_TEST

Suite *io_bag_suite(void) {
    Suite *suite = suite_create("io/bag");
    TCase *tests = files_case("bag");
    tcase_add_test(tests, both_formats_are_the_same_documents);
    tcase_add_test(tests, weights_are_those_of_scikit_learn);
    tcase_add_test(tests, counts_are_summed_and_zeros_dropped);
    tcase_add_test(tests, other_files_are_refused);
    suite_add_tcase(suite, tests);
    return suite;
}
