/* Reading matrices as text. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files.h"
#include "io/read.h"

Suite *io_text_suite(void);

static error err;

/* Asserts that text is read, in that format, as rows × cols doubles equal to expected. */
static void reads(const char *text, io_format format, size_t rows, size_t cols, const double *expected) {
    glshape_matrix m;
    const char *path = files_make("in.txt", text, strlen(text));
    ck_assert_msg(io_read_matrix(&err, path, format, &m) == GLSHAPE_OK, "%s\nfrom:\n%s", err.text, text);
    ck_assert_msg(m.type == GLSHAPE_F64 && m.rows == rows && m.cols == cols, "%zu x %zu from:\n%s", m.rows,
                  m.cols, text);
    for (size_t i = 0; i < rows * cols; i++) {
        double value = ((double *)m.data)[i];
        bool same = isnan(expected[i]) ? isnan(value) : value == expected[i];
        ck_assert_msg(same, "value %zu is %g from:\n%s", i, value, text);
    }
    io_matrix_free(&m);
}

/* Asserts that text is refused with a sentence of the path and has. */
static void refuses(const char *text, io_format format, const char *has) {
    glshape_matrix m;
    const char *path = files_make("in.txt", text, strlen(text));
    IO_FAILS(&err, GLSHAPE_BAD_INPUT, io_read_matrix(&err, path, format, &m), has);
    IO_FAILS(&err, GLSHAPE_BAD_INPUT, io_read_matrix(&err, path, format, &m), path);
    ck_assert_ptr_null(m.data);
}

static const double counting[] = {1, 2, 3, 4, 5, 6, 7, 8};

START_TEST(every_delimiter_is_found) {
    static const char *const texts[] = {"1,2\n3,4\n",
                                        "1\t2\n3\t4\n",
                                        "1;2\n3;4\n",
                                        "1 2\n3 4\n",
                                        "1, 2\n3, 4",
                                        "  1   2 \n 3  4 \n",
                                        "1 ,2 \n 3,4\n",
                                        "1 \t 2\n3\t4\n",
                                        "\"1\",\"2\"\n\"3\",4\n",
                                        "\"1\" \"2\"\n3 \"4\"\n",
                                        "\"1\"\t2\n\"3\"\t\"4\" \n"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) reads(texts[i], IO_AUTO, 2, 2, counting);
}
END_TEST

START_TEST(decimal_commas_between_semicolons) {
    static const double values[] = {1, 2.5, -32.5, 4};
    reads("1;2,5\n-3,25e1;4\n", IO_AUTO, 2, 2, values);
    reads("x;y\n1,0;2,5\n-32,5;4,0\n", IO_AUTO, 2, 2, values);
    reads("\"\";\"x\";\"y\"\n\"a\";1;2,5\n\"b\";-32,5;4\n", IO_AUTO, 2, 2, values);
    reads("1,0e0;2,5e0\n-3,25e1;4\n", IO_AUTO, 2, 2, values); /* no words */
    reads(";y\n1,0;2,5\n-32,5;4\n", IO_AUTO, 2, 2, values);   /* no names of rows */
}
END_TEST

START_TEST(line_ends_blanks_comments_and_marks_are_no_matter) {
    static const char *const texts[] = {"1,2\r\n3,4\r\n",
                                        ("\xef\xbb\xbf"
                                         "1,2\n3,4"),
                                        "\n\n1,2\n\n3,4\n\n",
                                        "#a,b,c\n1,2\n # x\n3,4\n#",
                                        "1,2\n3,4\r",
                                        "\xef\xbb\xbf# c\r\n \r\n1,2\r\n3,4"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) reads(texts[i], IO_AUTO, 2, 2, counting);
}
END_TEST

START_TEST(a_header_is_skipped) {
    static const char *const texts[] = {"a,b\n1,2\n3,4\n",
                                        "\"x,1\",\"y\"\"z\"\n1,2\n3,4\n",
                                        "a\tb c\n1\t2\n3\t4",
                                        "a b\n1 2\n3 4",
                                        ",b\n1,2\n3,4",
                                        ("\xef\xbb\xbf"
                                         "a;b\r\n1;2\r\n3;4"),
                                        "a,b\r1,2\r3,4\r",
                                        "a,b\r1,2\r3,4",
                                        "# c\n\na,b\n\n1,2\n3,4"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) reads(texts[i], IO_AUTO, 2, 2, counting);
    reads("sepal length in cm\n1\n2\n3\n", IO_AUTO, 3, 1, counting);
}
END_TEST

/* Asserts that reading text leaves a note that has the words, or none if they are NULL. */
static void notes(const char *text, const char *has) {
    error e = {0};
    glshape_matrix m;
    IO_OK(&e, io_read_matrix(&e, files_make("in.txt", text, strlen(text)), IO_AUTO, &m));
    io_matrix_free(&m);
    ck_assert_msg(has ? strstr(e.notes, has) != NULL : !*e.notes, "'%s' from:\n%s", e.notes, text);
}

/* What pandas and R write before the columns. */
START_TEST(names_of_rows_are_left_out) {
    static const char *const texts[] = {
        ",x,y\n0,1,2\n1,3,4\n",                         /* DataFrame.to_csv */
        ",0,1\n0,1,2\n1,3,4\n",                         /* of columns without names */
        ",0,1\n7,1,2\n3,3,4\n",                         /* of chosen rows */
        ",x,y\na,1,2\nb,3,4\n",                         /* of named ones */
        "\tx\ty\n0\t1\t2\n1\t3\t4\n",                   /* to_csv(sep="\\t") */
        "\"\",\"V1\",\"V2\"\n\"1\",1,2\n\"2\",3,4\n",   /* write.csv */
        "\"\",\"V1\",\"V2\"\n\"4\",1,2\n\"9\",3,4\n",   /* of chosen rows */
        "\"\";\"V1\";\"V2\"\n\"a b\";1;2\n\"c\";3;4\n", /* write.csv2, names */
        "\"V1\" \"V2\"\n\"1\" 1 2\n\"2\" 3 4\n",        /* write.table */
        "V1 V2\n1 1 2\n2 3 4\n",                        /* without quotes */
        "\"V1\"\t\"V2\"\n\"a\"\t1\t2\n\"b c\"\t3\t4\n", /* with tabs, named */
        "\"V1\",\"V2\"\n\"17\",1,2\n\"5\",3,4\n"};      /* with commas, of chosen rows */
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        reads(texts[i], IO_AUTO, 2, 2, counting);
        notes(texts[i], "names of the rows");
    }
    reads("\"x\"\n\"1\" 1\n\"2\" 2\n", IO_AUTO, 2, 1, counting);
    notes(",b\n1,2\n3,4", "the first column has no name; it is read as values");
    notes(",b\n1.5,2\n3,4", NULL);
    notes("a,b\n1,2\n3,4", NULL);
    notes("0,1\n1.5,2\n3,4.5", "line 1 counts 0, 1");
    notes("0,1\n1.5,2\n3,4", NULL);
    refuses("a,b\n1,2,3\n4,5,6\n", IO_AUTO, "line 3 has 3 fields, the lines before it have 2");
    refuses(",\"b,\nc\n3,4\n", IO_AUTO, "line 2 has 1 field, the lines before it have 2");
    refuses("a,b\n1,2,\n3,4,\n", IO_AUTO, "line 2 has 3 fields, the lines before it have 2");
    refuses("a,b\n1,2,3,4\n", IO_AUTO, "line 2 has 4 fields, the lines before it have 2");
    refuses("V1 V2\n\"1\" 1 2\n\"2\" 3\n", IO_AUTO, "line 3 has 2 fields, the lines before it have 3");
}
END_TEST

START_TEST(other_shapes_are_read) {
    reads("1", IO_AUTO, 1, 1, counting);
    reads("1,2,3,4,5,6,7,8", IO_AUTO, 1, 8, counting);
    reads("1\n2\n3\n4\n5\n6\n7\n8\n", IO_AUTO, 8, 1, counting);
}
END_TEST

START_TEST(missing_and_infinite_values_are_read) {
    double expected[] = {NAN, NAN, NAN, INFINITY, -INFINITY, INFINITY};
    reads("nan,NA,NaN\ninf,-Inf,Infinity\n", IO_AUTO, 2, 3, expected);
}
END_TEST

START_TEST(a_format_fixes_the_delimiter) {
    reads("1,2\n3,4\n", IO_CSV, 2, 2, counting);
    reads("1;2\n3;4\n", IO_CSV, 2, 2, counting);
    reads("1\t2\n3\t4\n", IO_TSV, 2, 2, counting);
    reads("1 2\n3 4\n", IO_TEXT, 2, 2, counting);
    reads("1 2\n3,4\n", IO_CLOUD, 2, 2, counting);
    reads("1; 2\n3\t4\n", IO_CLOUD, 2, 2, counting);
    refuses("1 2\n3,,4\n", IO_CLOUD, "line 2 has 3 fields, the lines before it have 2");
    refuses("1 2\n3,4\n", IO_AUTO, "line 1, column 1: '1 2' is not a number");
    refuses("1 2\n3 4\n", IO_CSV, "line 1, column 1: '1 2' is not a number");
    refuses("5\n1 2\n3 4\n", IO_CSV, "line 2, column 1: '1 2' is not a number");
    refuses("5\n1,2\n", IO_TSV, "line 2, column 1: '1,2' is not a number: write decimals with a point");
    refuses("5 6\n7\n8\n", IO_CSV, "line 1, column 1: '5 6' is not a number");
    refuses("1,2\n3,4\n", IO_NPY, "not a .npy file");
}
END_TEST

START_TEST(formats_have_names) {
    io_format format;
    IO_OK(&err, io_format_from_name(&err, "tsv", &format));
    ck_assert_int_eq(format, IO_TSV);
    IO_OK(&err, io_format_from_name(&err, "auto", &format));
    ck_assert_int_eq(format, IO_AUTO);
    IO_OK(&err, io_format_from_name(&err, "point-cloud", &format));
    ck_assert_int_eq(format, IO_CLOUD);
    IO_FAILS(&err, GLSHAPE_BAD_ARGUMENT, io_format_from_name(&err, "xls", &format),
             "auto, npy, csv, tsv and text");
}
END_TEST

START_TEST(ragged_rows_are_refused) {
    refuses("1,2,3\n4,5\n", IO_AUTO, "line 2 has 2 fields, the lines before it have 3");
    refuses("a,b,c\n1,2,3\n\n# c\n4,5,6,7\n", IO_AUTO, "line 5 has 4 fields, the lines before it have 3");
    refuses("a,b\n1,2,3\n", IO_AUTO, "line 2 has 3 fields, the lines before it have 2");
    refuses("a,b\n1\n", IO_AUTO, "line 2 has 1 field, the lines before it have 2");
    refuses("1 2\n3\n", IO_AUTO, "line 2 has 1 field, the lines before it have 2");
    refuses("1,2\n3,x,4\n", IO_AUTO, "line 2 has 3 fields, the lines before it have 2");
}
END_TEST

START_TEST(fields_that_are_no_numbers_are_refused) {
    refuses("1,2\n3,4\n5,abc\n", IO_AUTO, "line 3, column 2: 'abc' is not a number");
    refuses("h,h\n3,4\n\n5,abc\n", IO_AUTO, "line 4, column 2: 'abc' is not a number");
    refuses("1,2.O\n3,4\n", IO_AUTO, "line 1, column 2: '2.O' is not a number");
    refuses("a,b\nc,d\n", IO_AUTO, "line 2, column 1: 'c' is not a number");
    refuses("1,2\n,4\n", IO_AUTO, "line 2, column 1 is empty");
    refuses("1,2,\n3,4,\n", IO_AUTO, "line 1, column 3 is empty");
    refuses("1,2\n3,\"\"\n", IO_AUTO, "line 2, column 2: '' is not a number");
    refuses("1.5;2,5\n3;4,5\n", IO_AUTO,
            "line 1, column 2: '2,5' is not a number: write decimals with a point");
    refuses("1.000;2,5\n3;4,5\n", IO_AUTO,
            "line 1, column 2: '2,5' is not a number: write decimals with a point");
    refuses("1;2,5\n3;4.5\n", IO_AUTO,
            "line 2, column 2: '4.5' has a point, where numbers before it have commas");
    refuses("1,2\n3,\"4\n", IO_AUTO, "line 2, column 2: '4' has an unfinished quote");
    refuses("1,2\n\"3\"4,5\n", IO_AUTO, "line 2, column 1: '3' has an unfinished quote");
    refuses("1,2\n3,\x01\x7f\n", IO_AUTO, "column 2: '?\?' is not");
}
END_TEST

START_TEST(long_fields_are_shown_cut_between_characters) {
    char text[400] = "1\n";
    for (int i = 0; i < 100; i++) strcat(text, "é");
    refuses(text, IO_AUTO, "é...' is not a number");
}
END_TEST

START_TEST(files_without_numbers_are_refused) {
    refuses("", IO_AUTO, "is empty");
    refuses("\n\n# 1,2\n", IO_AUTO, "only blank lines or comments");
    refuses("a,b\n", IO_AUTO, "only a header line and no numbers");
    refuses("a,b\n\n#\n", IO_AUTO, "only a header line and no numbers");
}
END_TEST

START_TEST(a_nul_in_text_is_no_end) {
    glshape_matrix m;
    const char *path = files_make("nul", "1,2\n3,4\0,5\n", 11);
    IO_FAILS(&err, GLSHAPE_BAD_INPUT, io_read_matrix(&err, path, IO_AUTO, &m), "line 2 has 3 fields");
    path = files_make("nul", "1,2\n3,4\0005\n", 10);
    IO_FAILS(&err, GLSHAPE_BAD_INPUT, io_read_matrix(&err, path, IO_AUTO, &m), "line 2, column 2: '4?5'");
}
END_TEST

START_TEST(other_known_formats_are_named) {
    refuses("PK\x03\x04", IO_AUTO, "zip archive");
    refuses("\x89PNG\r\n", IO_AUTO, "PNG");
    refuses("\x89HDF\r\n", IO_AUTO, "HDF5");
    refuses("BZh91AY", IO_AUTO, "bzip2");
    refuses(
        "\xff\xfe"
        "1",
        IO_AUTO, "UTF-16");
    refuses("\x80\x04\x95", IO_AUTO, "pickle");
    glshape_matrix m;
    IO_FAILS(&err, GLSHAPE_BAD_INPUT, io_read_matrix(&err, GOLDEN "f4-C-little.npy", IO_TEXT, &m),
             "--format npy");
}
END_TEST

START_TEST(files_that_cannot_be_opened_are_named) {
    glshape_matrix m;
    const char *path = files_path("missing.csv");
    IO_FAILS(&err, GLSHAPE_IO_ERROR, io_read_matrix(&err, path, IO_AUTO, &m), "missing.csv: No such file");
    path = files_path("");
    IO_FAILS(&err, GLSHAPE_IO_ERROR, io_read_matrix(&err, path, IO_AUTO, &m), "is a directory");
    IO_FAILS(&err, GLSHAPE_IO_ERROR, io_read_matrix(&err, path, IO_AUTO, &m), path);
    path = files_make("secret", "1", 1);
    ck_assert_int_eq(chmod(path, 0), 0);
    if (geteuid())
        IO_FAILS(&err, GLSHAPE_IO_ERROR, io_read_matrix(&err, path, IO_AUTO, &m),
                 "secret: Permission denied");
}
END_TEST

START_TEST(standard_input_is_named) {
    glshape_matrix m;
    ck_assert_str_eq(io_input_name("-"), "standard input");
    ck_assert_str_eq(io_input_name("./-"), "./-");
    standard_input_from(files_make("x", "1,2\n3,x\n", 8));
    IO_FAILS(&err, GLSHAPE_BAD_INPUT, io_read_matrix(&err, "-", IO_AUTO, &m),
             "standard input: line 2, column 2: 'x'");
}
END_TEST

/* Every double that NumPy wrote, in three ways, comes back to the bit. */
START_TEST(numpys_text_is_read_to_the_bit) {
    static const char *const paths[] = {GOLDEN "savetxt.csv", GOLDEN "savetxt.csv.gz", GOLDEN "savetxt.txt",
                                        GOLDEN "repr.tsv"};
    glshape_matrix expected, m;
    IO_OK(&err, io_read_matrix(&err, GOLDEN "savetxt.npy", IO_AUTO, &expected));
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        IO_OK(&err, io_read_matrix(&err, paths[i], IO_AUTO, &m));
        ck_assert(m.cols == expected.cols && m.rows == (i < 3 ? expected.rows : 20));
        ck_assert_int_eq(memcmp(m.data, expected.data, m.rows * m.cols * sizeof(double)), 0);
        io_matrix_free(&m);
    }
    io_matrix_free(&expected);
}
END_TEST

/* Lines of many lengths, so that they meet the ends of windows everywhere; and one longer than a window. */
START_TEST(windows_do_not_show) {
    enum { ROWS = 30000, LONG = 60000 };
    char *text = malloc(ROWS * 12 + LONG * 12), *p = text;
    for (int i = 0; i < ROWS; i++) p += sprintf(p, "%d,%d\n", i * 7919 % 100003, i);
    const char *path = files_make("many.csv", text, (size_t)(p - text));
    glshape_matrix m;
    IO_OK(&err, io_read_matrix(&err, path, IO_AUTO, &m));
    ck_assert(m.rows == ROWS && m.cols == 2);
    for (int i = 0; i < ROWS; i++) {
        const double *row = (double *)m.data + 2 * i;
        IO_HOLDS(row[0] == i * 7919 % 100003 && row[1] == i, "row %d is %g,%g", i, row[0], row[1]);
    }
    io_matrix_free(&m);
    p = text;
    for (int i = 0; i < 2 * LONG; i++) p += sprintf(p, "%d%c", i % LONG, i % LONG == LONG - 1 ? '\n' : ',');
    path = files_make_gzip("long.csv", text, (size_t)(p - text));
    IO_OK(&err, io_read_matrix(&err, path, IO_AUTO, &m));
    ck_assert(m.rows == 2 && m.cols == LONG);
    for (int i = 0; i < 2 * LONG; i++) IO_HOLDS(((double *)m.data)[i] == i % LONG, "value %d is wrong", i);
    io_matrix_free(&m);
    free(text);
}
END_TEST

/* Integers that no double is, in a file of integers alone; and beside other numbers. */
START_TEST(wide_integers_stay) {
    static const struct {
        const char *text;
        size_t rows, cols;
        int64_t values[4];
    } cases[] = {
        {"1732530000000000001\n0\n", 2, 1, {1732530000000000001, 0}},
        {"a,b\n1,-5\n-9007199254740993,+9007199254740993\n",
         2,
         2,
         {1, -5, -9007199254740993, 9007199254740993}},
        {"3.0 1e3\n9223372036854775807 -9223372036854775808\n", 2, 2, {3, 1000, INT64_MAX, INT64_MIN}}};
    static const char *const doubles[] = {"9007199254740992\n1732530000000000000\n1e300\n",
                                          "9007199254740992.0\n0.5\n"};
    static const char *const mixed[][2] = {
        {"1,0.5\n9007199254740993,2\n", "line 2, column 1: an integer beyond 2^53"},
        {"9007199254740993,2\n1,0.5\n", "line 2, column 2: a number that is no integer"},
        {"9007199254740993\nnan\n", "line 2, column 1"},
        {"1\n18446744073709551617\n", "line 2, column 1: an integer beyond 2^63"}};
    glshape_matrix m;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        IO_OK(&err,
              io_read_points(&err, files_make("w.csv", cases[k].text, strlen(cases[k].text)), IO_AUTO, &m));
        ck_assert(m.type == GLSHAPE_I64 && m.rows == cases[k].rows && m.cols == cases[k].cols);
        ck_assert(!memcmp(m.data, cases[k].values, m.rows * m.cols * sizeof(int64_t)));
        io_matrix_free(&m);
    }
    for (size_t k = 0; k < sizeof doubles / sizeof *doubles; k++) {
        IO_OK(&err, io_read_points(&err, files_make("d.csv", doubles[k], strlen(doubles[k])), IO_AUTO, &m));
        ck_assert(m.type == GLSHAPE_F64);
        io_matrix_free(&m);
    }
    for (size_t k = 0; k < sizeof mixed / sizeof *mixed; k++) {
        const char *path = files_make("m.csv", mixed[k][0], strlen(mixed[k][0]));
        IO_FAILS(&err, GLSHAPE_BAD_INPUT, io_read_points(&err, path, IO_AUTO, &m), mixed[k][1]);
    }
}
END_TEST

Suite *io_text_suite(void) {
    Suite *suite = suite_create("io/text");
    TCase *tests = files_case("text");
    tcase_add_test(tests, every_delimiter_is_found);
    tcase_add_test(tests, wide_integers_stay);
    tcase_add_test(tests, decimal_commas_between_semicolons);
    tcase_add_test(tests, line_ends_blanks_comments_and_marks_are_no_matter);
    tcase_add_test(tests, a_header_is_skipped);
    tcase_add_test(tests, names_of_rows_are_left_out);
    tcase_add_test(tests, other_shapes_are_read);
    tcase_add_test(tests, missing_and_infinite_values_are_read);
    tcase_add_test(tests, a_format_fixes_the_delimiter);
    tcase_add_test(tests, formats_have_names);
    tcase_add_test(tests, ragged_rows_are_refused);
    tcase_add_test(tests, fields_that_are_no_numbers_are_refused);
    tcase_add_test(tests, long_fields_are_shown_cut_between_characters);
    tcase_add_test(tests, files_without_numbers_are_refused);
    tcase_add_test(tests, a_nul_in_text_is_no_end);
    tcase_add_test(tests, other_known_formats_are_named);
    tcase_add_test(tests, files_that_cannot_be_opened_are_named);
    tcase_add_test(tests, standard_input_is_named);
    tcase_add_test(tests, numpys_text_is_read_to_the_bit);
    tcase_add_test(tests, windows_do_not_show);
    suite_add_tcase(suite, tests);
    return suite;
}
