/* Reading labels. */
#include <stdio.h>
#include <stdlib.h>

#include "files.h"
#include "io/labels.h"

Suite *io_labels_suite(void);

static error err;

/* Asserts that path has those classes (of) and names, both ended by NULL in names and by count. */
static void check(const char *path, size_t expect, size_t count, const uint32_t *of,
                  const char *const *names) {
    io_labels labels;
    IO_OK(&err, io_read_labels(&err, path, expect, &labels));
    ck_assert_uint_eq(labels.count, count);
    for (size_t i = 0; i < count; i++) ck_assert_uint_eq(labels.of[i], of[i]);
    for (size_t c = 0; c < labels.classes; c++) {
        ck_assert_ptr_nonnull(names[c]);
        ck_assert_str_eq(labels.names[c], names[c]);
    }
    ck_assert_ptr_null(names[labels.classes]);
    io_labels_free(&labels);
    ck_assert_ptr_null(labels.of);
}

static const char *make(const char *text) { return files_make("labels.csv", text, strlen(text)); }

static void refuses(const char *path, size_t expect, const char *has) {
    io_labels labels;
    IO_FAILS(&err, GLSHAPE_BAD_INPUT, io_read_labels(&err, path, expect, &labels), has);
    IO_FAILS(&err, GLSHAPE_BAD_INPUT, io_read_labels(&err, path, expect, &labels), path);
    ck_assert(!labels.of && !labels.names);
}

START_TEST(words_are_ordered_by_name) {
    const uint32_t of[] = {1, 0, 1, 2};
    const char *const names[] = {"Iris setosa", "b", "versicolor", NULL};
    check(make("b\nIris setosa\nb\nversicolor\n"), 4, 4, of, names);
    check(make("\xef\xbb\xbf"
               "b\r\n Iris setosa \r\n\"b\"\r\n\t versicolor\r\n\r\n"),
          0, 4, of, names);
    check(make("# c\nb\n# d\nIris setosa\nb\nversicolor\n\n\n"), 4, 4, of, names);
}
END_TEST

START_TEST(numbers_are_ordered_by_value) {
    const uint32_t of[] = {2, 1, 2, 0, 1};
    const char *const names[] = {"-1", "9", "10", NULL};
    check(make("10\n9\n10.0\n-1\n9e0\n"), 5, 5, of, names);
}
END_TEST

START_TEST(large_integers_stay_apart) {
    const uint32_t of[] = {1, 0, 1};
    const char *const names[] = {"9007199254740992", "9007199254740993", NULL};
    check(make("9007199254740993\n9007199254740992\n9007199254740993\n"), 3, 3, of, names);
}
END_TEST

START_TEST(one_word_makes_all_of_them_words) {
    const uint32_t of[] = {1, 2, 0, 3};
    const char *const names[] = {"10", "9", "9.0", "nan", NULL};
    check(make("9\n9.0\n10\nnan\n"), 4, 4, of, names);
}
END_TEST

START_TEST(one_line_too_many_is_a_header) {
    const uint32_t of[] = {1, 0};
    const char *const names[] = {"1", "2", NULL};
    check(make("class\n2\n1\n"), 2, 2, of, names);
    const uint32_t all[] = {2, 1, 0};
    const char *const words[] = {"1", "2", "class", NULL};
    check(make("class\n2\n1\n"), 3, 3, all, words);
}
END_TEST

START_TEST(quotes_protect_delimiters) {
    const uint32_t of[] = {0, 1};
    const char *const names[] = {"a,b;c", "say \"x\"", NULL};
    check(make("\"a,b;c\"\n\"say \"\"x\"\"\"\n"), 2, 2, of, names);
}
END_TEST

START_TEST(other_counts_are_refused) {
    refuses(make("1\n2\n3\n"), 5, "labels.csv has 3 labels, the data has 5 rows");
    refuses(make("1\n2\n3\n"), 1, "labels.csv has 3 labels, the data has 1 row");
    refuses(GOLDEN "label-floats.npy", 3, "has 4 labels, the data has 3 rows"); /* .npy has no header */
}
END_TEST

START_TEST(what_is_no_single_column_is_refused) {
    refuses(make("a\nb,c\n"), 2, "line 2 is not one label");
    refuses(make("a\tb\n"), 1, "line 1 is not one label");
    refuses(make("a\n\"b\n"), 2, "line 2 is not one label");
    refuses(make("a\n\n# x\nb\n"), 3, "line 2 is empty");
    refuses(make(""), 2, "is empty");
    refuses(make("\n# a\n"), 2, "no labels");
    refuses(GOLDEN "f4-C-little.npy", 3, "shape (3, 4); labels are one column");
    refuses(GOLDEN "complex.npy", 3, "shape (3, 4)");
    refuses(GOLDEN "halves.npy", 11, "row 7, column 1 is infinite");
    refuses(make("PK\x03\x04"), 1, "zip archive");
}
END_TEST

START_TEST(missing_files_are_named) {
    io_labels labels;
    const char *path = files_path("none");
    IO_FAILS(&err, GLSHAPE_IO_ERROR, io_read_labels(&err, path, 0, &labels), "none: No such file");
}
END_TEST

START_TEST(numpy_arrays_are_read) {
    const uint32_t of[] = {1, 0, 1, 2};
    const char *const floats[] = {"-1.5", "2", "10", NULL};
    check(GOLDEN "label-floats.npy", 4, 4, of, floats);
    const uint32_t pair[] = {1, 0, 1};
    const char *const large[] = {"9223372036854775808", "9223372036854775809", NULL};
    check(GOLDEN "label-ints.npy", 3, 3, pair, large);
    const char *const letters[] = {"a", "b", NULL};
    check(GOLDEN "bytes.npy", 0, 3, pair, letters);
    const uint32_t iris[] = {1, 2, 0, 1};
    const char *const words[] = {"na\xc3\xafve \xe6\xbc\xa2\xf0\x9d\x84\x9e", "setosa", "virginica", NULL};
    check(GOLDEN "strings.npy", 4, 4, iris, words);
}
END_TEST

Suite *io_labels_suite(void) {
    Suite *suite = suite_create("io/labels");
    TCase *tests = files_case("labels");
    tcase_add_test(tests, words_are_ordered_by_name);
    tcase_add_test(tests, numbers_are_ordered_by_value);
    tcase_add_test(tests, large_integers_stay_apart);
    tcase_add_test(tests, one_word_makes_all_of_them_words);
    tcase_add_test(tests, one_line_too_many_is_a_header);
    tcase_add_test(tests, quotes_protect_delimiters);
    tcase_add_test(tests, other_counts_are_refused);
    tcase_add_test(tests, what_is_no_single_column_is_refused);
    tcase_add_test(tests, missing_files_are_named);
    tcase_add_test(tests, numpy_arrays_are_read);
    suite_add_tcase(suite, tests);
    return suite;
}
