/* Distance matrices of every format against NumPy's and SciPy's, and what is refused as none. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/random.h"
#include "files.h"
#include "io/distances/distances_internal.h"

Suite *io_distances_suite(void);

#define FOLDER GOLDEN "distances/"
enum { GOLDEN_N = 7 };

static error err;

static io_distances *open_it(const char *path, io_distance_format format) {
    io_distances *d;
    IO_OK(&err, io_distances_open(&err, path, format, &d));
    return d;
}

static glshape_status check(io_distances *d, io_distances_facts *facts) {
    return io_distances_check(&err, d, 3, NULL, NULL, facts);
}

/* Bitwise, but for NaN. */
static bool same(float a, float b) { return a == b || (isnan(a) && isnan(b)); }

/* ---- formats ---------------------------------------------------------------------------------------- */

/* All rows at once, and each alone. */
static void check_rows(io_distances *d, const float *expected, const char *name) {
    uint32_t n = io_distances_count(d);
    float *all = malloc((size_t)n * n * sizeof *all), *row = malloc(n * sizeof *row);
    IO_OK(&err, io_distances_rows(&err, d, 0, n, all));
    for (size_t i = 0; i < (size_t)n * n; i++)
        IO_HOLDS(same(all[i], expected[i]), "%s: %zu is %g, not %g", name, i, (double)all[i],
                 (double)expected[i]);
    for (uint32_t r = 0; r < n; r++) {
        IO_OK(&err, io_distances_rows(&err, d, r, 1, row));
        for (uint32_t c = 0; c < n; c++)
            IO_HOLDS(same(row[c], expected[(size_t)r * n + c]), "%s: row %u alone differs", name, r);
    }
    free(all);
    free(row);
}

static void check_golden(const char *path, io_distance_format format, const char *kind, bool in_file) {
    char expected_path[256];
    size_t bytes;
    snprintf(expected_path, sizeof expected_path, FOLDER "%s.f4", kind);
    float *expected = (float *)(void *)files_load(expected_path, &bytes);
    io_distances *d = open_it(path, format);
    ck_assert_uint_eq(io_distances_count(d), GOLDEN_N);
    ck_assert_msg((d->layout == DISTANCES_FILE) == in_file, "%s: in file: %d", path, !in_file);
    check_rows(d, expected, path);
    io_distances_facts facts;
    IO_OK(&err, check(d, &facts));
    ck_assert_uint_eq(facts.missing, strcmp(kind, "missing") ? 0 : 3);
    ck_assert(!facts.asymmetric && !facts.rounding_asymmetry);
    io_distances_close(d);
    free(expected);
}

static const struct {
    const char *tail;
    io_distance_format format;
    bool in_file;
} files[] = {
    {"-f4-C-little.npy", IO_DISTANCES_NPY, true},
    {"-f4-C-big.npy", IO_DISTANCES_NPY, true},
    {"-f4-F-little.npy", IO_DISTANCES_NPY, true},
    {"-f4-F-big.npy", IO_DISTANCES_NPY, true},
    {"-f8-C-little.npy", IO_DISTANCES_NPY, true},
    {"-f8-C-big.npy", IO_DISTANCES_NPY, true},
    {"-f8-F-little.npy", IO_DISTANCES_NPY, true},
    {"-f8-F-big.npy", IO_DISTANCES_NPY, true},
    {"-condensed.npy", IO_DISTANCES_NPY, false},
    {"-condensed-big.npy", IO_DISTANCES_NPY, false},
    {"-full.csv", IO_DISTANCES_FULL, false},
    {"-full.txt", IO_DISTANCES_FULL, false},
    {"-lower.csv", IO_DISTANCES_LOWER, false},
    {"-lower-first.txt", IO_DISTANCES_LOWER, false},
    {"-lower-comma.txt", IO_DISTANCES_LOWER, false},
    {"-upper.csv", IO_DISTANCES_UPPER, false},
    {"-upper-last.txt", IO_DISTANCES_UPPER, false},
    {"-lower.bin", IO_DISTANCES_BINARY, false},
    {".dipha", IO_DISTANCES_DIPHA, true},
    {".dipha.gz", IO_DISTANCES_DIPHA, false},
};
enum { FILES = sizeof files / sizeof *files };

START_TEST(every_format_is_read_and_told_apart) {
    static const char *const kinds[] = {"real", "missing"};
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < FILES; i++) {
            char path[256];
            snprintf(path, sizeof path, FOLDER "%s%s", kinds[k], files[i].tail);
            check_golden(path, files[i].format, kinds[k], files[i].in_file);
            check_golden(path, IO_DISTANCES_AUTO, kinds[k], files[i].in_file);
        }
}
END_TEST

START_TEST(compressed_files_are_read) {
    check_golden(FOLDER "real-f8-C-little.npy.gz", IO_DISTANCES_AUTO, "real", false);
    check_golden(FOLDER "real-lower.csv.gz", IO_DISTANCES_AUTO, "real", false);
    check_golden(FOLDER "real-lower.bin.gz", IO_DISTANCES_AUTO, "real", false);
    check_golden(FOLDER "real-condensed.npy.gz", IO_DISTANCES_AUTO, "real", false);
}
END_TEST

START_TEST(other_types_are_read) {
    check_golden(FOLDER "half-f2-little.npy", IO_DISTANCES_AUTO, "half", true);
    check_golden(FOLDER "half-f2-big.npy", IO_DISTANCES_AUTO, "half", true);
    check_golden(FOLDER "whole-u1.npy", IO_DISTANCES_AUTO, "whole", true);
    check_golden(FOLDER "whole-u2.npy", IO_DISTANCES_AUTO, "whole", true);
    check_golden(FOLDER "whole-i4.npy", IO_DISTANCES_AUTO, "whole", true);
    check_golden(FOLDER "whole-i8.npy", IO_DISTANCES_AUTO, "whole", true);
    check_golden(FOLDER "whole-condensed-u1.npy", IO_DISTANCES_AUTO, "whole", false);
}
END_TEST

START_TEST(standard_input_is_read) {
    for (int i = 0; i < FILES; i++) {
        char path[256];
        snprintf(path, sizeof path, FOLDER "real%s", files[i].tail);
        standard_input_from(path);
        check_golden("-", files[i].format, "real", false);
        standard_input_restore();
    }
}
END_TEST

static io_distances *open_text(const char *text, io_distance_format format) {
    return open_it(files_make("d.txt", text, strlen(text)), format);
}

static void has_points(const char *text, io_distance_format format, uint32_t n) {
    io_distances *d = open_text(text, format);
    ck_assert_msg(io_distances_count(d) == n, "%s: %u points", text, io_distances_count(d));
    io_distances_close(d);
}

START_TEST(text_is_read_as_ripser_reads_it) {
    const float lower[] = {0, 1, 2, 4, 1, 0, 3, 5, 2, 3, 0, 6, 4, 5, 6, 0};
    static const char *const texts[] = {"1\n2,3\n4,5,6\n", "1 2 3 4 5 6", "1,2,3\n4,5,6,",
                                        "\n\n1;2\t3\r\n4 ,5\n6"};
    for (int i = 0; i < 4; i++) {
        io_distances *d = open_text(texts[i], IO_DISTANCES_LOWER);
        check_rows(d, lower, texts[i]);
        io_distances_close(d);
    }
    const float upper[] = {0, 1, 2, 3, 1, 0, 4, 5, 2, 4, 0, 6, 3, 5, 6, 0};
    io_distances *d = open_text("1,2,3,4\n5 6", IO_DISTANCES_UPPER);
    check_rows(d, upper, "upper");
    io_distances_close(d);
}
END_TEST

START_TEST(lines_tell_the_shape) {
    has_points("0", IO_DISTANCES_AUTO, 2);
    has_points("0", IO_DISTANCES_FULL, 1);
    has_points("0 0\n0 0\n", IO_DISTANCES_AUTO, 2);
    has_points("1\n2 0\n", IO_DISTANCES_AUTO, 3);
    has_points("2 0\n1\n", IO_DISTANCES_AUTO, 3);
    has_points("\xef\xbb\xbf\n# lower\n1\n2 0\n\n", IO_DISTANCES_AUTO, 3);
}
END_TEST

/* The distances 1 2 3, 1.5 2.7, 0.15 of four points, from each to the later ones. */
START_TEST(a_diagonal_in_an_upper_triangle_is_left_out) {
    const float four[] = {0, 1, 2, 3, 1, 0, 1.5f, 2.7f, 2, 1.5f, 0, 0.15f, 3, 2.7f, 0.15f, 0};
    io_distances *d = open_text("0 1 2 3\n0 1.5 2.7\n0 0.15\n0\n", IO_DISTANCES_AUTO);
    check_rows(d, four, "upper with diagonal");
    io_distances_close(d);
    ck_assert(strstr(err.notes, "diagonal, of 4 points; say --format upper-distance") != NULL);
    has_points("0 1 2 3\n0 1.5 2.7\n0 0.15\n0\n", IO_DISTANCES_UPPER, 5);
    has_points("0,5\n0\n", IO_DISTANCES_AUTO, 2);
    has_points("1e-16 1 2\n-2e-16 1.5\n0\n", IO_DISTANCES_AUTO, 3); /* as rounding leaves it */
    has_points("0 1 2\n0 1.5\n1\n", IO_DISTANCES_AUTO, 4);          /* the last 0 is none */
    d = open_text("1\n2\n3\n1.5\n2.7\n0.15\n", IO_DISTANCES_AUTO);  /* numpy.savetxt(pdist(X)) */
    check_rows(d, four, "condensed");
    io_distances_close(d);
}
END_TEST

static const char *npy_of_values(const char *name, const char *order, const float *values) {
    char file[128 + 9 * sizeof *values] = "\x93NUMPY\x01\x00\x76";
    memset(file + 10, ' ', 117);
    int length = sprintf(file + 10, "{'descr': '<f4', 'fortran_order': %s, 'shape': (3, 3), }", order);
    file[10 + length] = ' ';
    file[127] = '\n';
    memcpy(file + 128, values, 9 * sizeof *values);
    return files_make(name, file, sizeof file);
}

/* One side of the diagonal is all 0: the other says all. */
START_TEST(a_square_with_one_side_is_a_triangle) {
    const float three[] = {0, 1, 2, 1, 0, 1.5f, 2, 1.5f, 0}, upper[] = {0, 1, 2, 0, 0, 1.5f, 0, 0, 0},
                lower[] = {0, 0, 0, 1, 0, 0, 2, 1.5f, 0};
    const char *paths[8];
    int count = 0;
    paths[count++] = files_make("u.txt", "0 1 2\n0 0 1.5\n0 0 0\n", 20);
    paths[count++] = files_make("l.txt", "0,0,0\n1,0,0\n2,1.5,0\n", 20);
    paths[count++] = npy_of_values("u.npy", "False", upper);
    paths[count++] = npy_of_values("l.npy", "False", lower);
    paths[count++] = npy_of_values("f.npy", "True", upper);
    for (int i = 0; i < count; i++) {
        err.notes[0] = 0;
        io_distances *d = open_it(paths[i], IO_DISTANCES_AUTO);
        bool below = i == 0 || i == 2;
        ck_assert_msg(strstr(err.notes, below ? "every value below" : "every value above") != NULL, "%s: %s",
                      paths[i], err.notes);
        IO_OK(&err, io_distances_symmetrize(&err, d)); /* no averages with the zeros */
        check_rows(d, three, paths[i]);
        IO_OK(&err, check(d, NULL));
        io_distances_close(d);
    }
    io_distances *d = open_text("0 0 2\n1 0 0\n0 0 0\n", IO_DISTANCES_AUTO); /* both sides have some */
    IO_FAILS(&err, GLSHAPE_BAD_INPUT, check(d, NULL), "symmetric");
    io_distances_close(d);
    d = open_text("0 1 2\n0 3 1.5\n0 0 0\n", IO_DISTANCES_AUTO); /* no diagonal */
    IO_FAILS(&err, GLSHAPE_BAD_INPUT, check(d, NULL), "diagonal");
    io_distances_close(d);
}
END_TEST

/* A triangle of one point has no values; Ripser reads it so. */
START_TEST(triangle_of_one_point) {
    static const char *const texts[] = {"", "\n", "# of one\n\n"};
    static const io_distance_format formats[] = {IO_DISTANCES_LOWER, IO_DISTANCES_UPPER};
    for (int k = 0; k < 6; k++) {
        io_distances *d = open_text(texts[k % 3], formats[k / 3]);
        ck_assert_uint_eq(io_distances_count(d), 1);
        check_rows(d, (float[]){0}, "one point");
        IO_OK(&err, check(d, NULL));
        io_distances_close(d);
    }
}
END_TEST

START_TEST(names_of_formats) {
    io_distance_format format;
#define HAS_NAME(value, name)                                       \
    IO_OK(&err, io_distance_format_from_name(&err, name, &format)); \
    ck_assert_int_eq(format, value);
    IO_DISTANCE_FORMATS(HAS_NAME)
    IO_FAILS(&err, GLSHAPE_BAD_ARGUMENT, io_distance_format_from_name(&err, "matrix", &format),
             "lower-distance");
}
END_TEST

START_TEST(symmetrize_takes_the_mean) {
    io_distances *d = open_text("0 1 nan\n3 0 5\n7 6 0\n", IO_DISTANCES_AUTO);
    IO_FAILS(&err, GLSHAPE_BAD_INPUT, check(d, NULL), "missing");
    IO_OK(&err, io_distances_symmetrize(&err, d));
    check_rows(d, (float[]){0, 2, 7, 2, 0, 5.5f, 7, 5.5f, 0}, "mean");
    io_distances_facts facts;
    IO_OK(&err, check(d, &facts));
    ck_assert(!facts.asymmetric);
    io_distances_close(d);
    d = open_it(FOLDER "real-f4-C-little.npy", IO_DISTANCES_AUTO);
    IO_FAILS(&err, GLSHAPE_BAD_ARGUMENT, io_distances_symmetrize(&err, d), "glshape pack --symmetrize");
    io_distances_close(d);
}
END_TEST

/* ---- names ------------------------------------------------------------------------------------------ */

/* As pandas, R and PHYLIP write them (tests/io/golden/distances/named/make.py). */
START_TEST(names_are_left_out) {
    static const char *const files[] = {"pandas.csv", "pandas.tsv", "counted.csv", "header.csv", "rows.csv",
                                        "r.csv",      "r.txt",      "r_plain.txt", "square.phy", "lower.phy"};
    char path[100];
    float want[36], got[36];
    snprintf(path, sizeof path, FOLDER "named/%s", files[_i]);
    io_distances *d = open_it(FOLDER "named/d.npy", IO_DISTANCES_AUTO), *named;
    IO_OK(&err, io_distances_rows(&err, d, 0, 6, want));
    error own = {0};
    IO_OK(&own, io_distances_open(&own, path, IO_DISTANCES_AUTO, &named));
    ck_assert_uint_eq(io_distances_count(named), 6);
    IO_OK(&err, io_distances_rows(&err, named, 0, 6, got));
    ck_assert_mem_eq(got, want, sizeof want);
    ck_assert_msg(strstr(own.notes, "have names; points count") != NULL, "%s", own.notes);
    io_distances_close(d);
    io_distances_close(named);
}
END_TEST

/* PHYLIP's programs break long rows; what goes on with one begins with blanks. */
START_TEST(broken_rows) {
    static const float rows[] = {0, 2, 3, 2, 0, 4, 3, 4, 0};
    static const char *const texts[] = {"  3\na 0 2\n  3\nb 2\n  0\n  4\nc 3 4 0\n",
                                        "3\r\na\r\nb 2\r\nc  3\r\n   4\r\n",
                                        "3\n  a 0 2 3\n  b 2 0 4\n  c 3 4 0\n"};
    io_distances *d = open_text(texts[_i], IO_DISTANCES_AUTO);
    check_rows(d, rows, texts[_i]);
    io_distances_close(d);
}
END_TEST

/* ---- refusals --------------------------------------------------------------------------------------- */

static void refused(const char *path, io_distance_format format, const char *has) {
    io_distances *d = NULL;
    IO_FAILS(&err, GLSHAPE_BAD_INPUT, io_distances_open(&err, path, format, &d), has);
    ck_assert_ptr_null(d);
    ck_assert_msg(strstr(err.text, path) != NULL, "no path in: %s", err.text);
}

static void text_refused(const char *text, io_distance_format format, const char *has) {
    refused(files_make("d.txt", text, strlen(text)), format, has);
}

START_TEST(text_of_a_wrong_shape_is_refused) {
    text_refused("1\n2,3\n\n4,5\n6,7,8,9\n", IO_DISTANCES_AUTO, "line 4 has 2 values, not 3");
    text_refused("1\n2,3\n4,5\n", IO_DISTANCES_LOWER, "line 3 has 2 values, not 3");
    text_refused("0 1 2\n1 0 3\n2 3\n", IO_DISTANCES_AUTO, "line 3 has 2 values, not 3");
    text_refused("0 1 2\n1 0 3\n", IO_DISTANCES_AUTO, "2 lines of 3 values");
    text_refused("0 1\n1 0\n0 0\n", IO_DISTANCES_AUTO, "3 lines of 2 values");
    text_refused("1 2 3\n4 5\n", IO_DISTANCES_AUTO, "first line has 3 values has 3 lines, it has 2");
    text_refused("1 2 3\n4 5\n6\n7\n", IO_DISTANCES_AUTO, "line 4 has 1 value, not 0");
    text_refused("1 2 3 4\n5\n", IO_DISTANCES_AUTO, "line 2 has 1 value, not 4");
    text_refused("1 2 3\n", IO_DISTANCES_AUTO, "one line");
    text_refused("1 2 3 4\n", IO_DISTANCES_LOWER, "4 values; a triangle has 3 for 3 points and 6 for 4");
    text_refused("0\n1 0\n2 3 0\n", IO_DISTANCES_AUTO, "diagonal");
    text_refused("1\n2\n3\n", IO_DISTANCES_FULL, "3 lines of 1");
    text_refused("1\n2\n3\n4\n", IO_DISTANCES_AUTO, "4 lines of 1");
}
END_TEST

START_TEST(text_that_is_no_number_is_refused) {
    text_refused("1\n2,x\n", IO_DISTANCES_AUTO, "line 2, column 2: 'x' is not a number");
    text_refused("1\n2,,3\n", IO_DISTANCES_AUTO, "line 2, column 2 is empty");
    text_refused(",1\n", IO_DISTANCES_AUTO, "names of columns, but no distances");
    text_refused(",a,b\na,0,x\nb,x,0\n", IO_DISTANCES_AUTO, "line 2, column 2: 'x' is not a number");
    text_refused(",a,b\nb,0,1\na,1,0\n", IO_DISTANCES_AUTO,
                 "line 2 is the row of 'b', but column 1 is that of 'a'");
    text_refused("4\na 0 1\nb 1 0\n", IO_DISTANCES_AUTO, "says that it has 4 points, but it has 2 lines");
    text_refused("1 2O 3\n4 5\n6\n", IO_DISTANCES_AUTO, "line 1, column 2: '2O' is not a number");
    text_refused("0,1.2.3,4\n1,0,5\n4,5,0\n", IO_DISTANCES_AUTO, "column 2: '1.2.3' is not a number");
    text_refused("x1 2 3\n4 5\n6\n", IO_DISTANCES_AUTO, "line 1 begins with 'x1', which is no number");
    text_refused("distance\n1\n2\n3\n", IO_DISTANCES_AUTO, "line 1 begins with 'distance'");
    text_refused("id,1,2\n1,0,5\n2,5,0\n", IO_DISTANCES_AUTO, "names of columns after an empty field");
    text_refused("3\n1 0 2 3\n2 2 0 4\n3 3 4 0\n", IO_DISTANCES_AUTO, "but its names are numbers");
    text_refused("3\n1\n2 2\n3 3 4\n", IO_DISTANCES_AUTO, "but its names are numbers");
    text_refused("0.5\na 0 1\nb 1 0\n", IO_DISTANCES_AUTO, "line 2 begins with a name");
    text_refused("\n# none\n", IO_DISTANCES_AUTO, "no numbers");
    text_refused("", IO_DISTANCES_AUTO, "is empty");
    text_refused("", IO_DISTANCES_FULL, "is empty");
    text_refused("PK\x03\x04", IO_DISTANCES_AUTO, "zip");
}
END_TEST

static const char *npy_of(const char *descr, const char *shape, size_t bytes) {
    char file[512] = "\x93NUMPY\x01\x00\x76";
    memset(file + 10, ' ', 118);
    int length = sprintf(file + 10, "{'descr': '%s', 'fortran_order': False, 'shape': %s, }", descr, shape);
    file[10 + length] = ' ';
    file[127] = '\n';
    return files_make("d.npy", file, 128 + bytes);
}

START_TEST(npy_of_a_wrong_size_is_refused) {
    refused(npy_of("<f4", "(3, 3)", 35), IO_DISTANCES_AUTO, "164 bytes are expected");
    refused(npy_of("<f4", "(3, 3)", 35), IO_DISTANCES_AUTO, "the file has 163; it is cut short");
    refused(npy_of("<f4", "(3, 3)", 40), IO_DISTANCES_AUTO, "the file has 168; something follows");
    refused(npy_of("<f4", "(3, 4)", 48), IO_DISTANCES_AUTO, "shape (3, 4); a distance matrix is square");
    refused(npy_of("<f4", "(5,)", 20), IO_DISTANCES_AUTO, "shape (5,)");
    refused(npy_of("<f4", "(6,)", 20), IO_DISTANCES_AUTO, "152 bytes are expected");
    refused(npy_of("<f4", "(6,)", 28), IO_DISTANCES_AUTO, "the file has 156");
    refused(npy_of("<c8", "(3, 3)", 72), IO_DISTANCES_AUTO, "'<c8'");
    refused(npy_of("<f4", "(2147483648, 2147483648)", 8), IO_DISTANCES_AUTO, "2147483648 points");
    refused(npy_of("<f8", "(2147483647, 2147483647)", 8), IO_DISTANCES_AUTO, "the file has 136");
    refused(files_make("d.npy", "0 1\n1 0\n\n", 9), IO_DISTANCES_NPY, "not a .npy file");
}
END_TEST

START_TEST(a_pipe_of_a_wrong_size_is_refused) {
    io_distances *d;
    standard_input_from(npy_of("<f4", "(3, 3)", 30));
    IO_FAILS(&err, GLSHAPE_BAD_INPUT, io_distances_open(&err, "-", IO_DISTANCES_AUTO, &d),
             "has 158; it is cut");
    standard_input_restore();
    standard_input_from(npy_of("<f4", "(3, 3)", 60));
    IO_FAILS(&err, GLSHAPE_BAD_INPUT, io_distances_open(&err, "-", IO_DISTANCES_AUTO, &d),
             "has 165 or more; something follows");
    standard_input_restore();
    standard_input_from(npy_of("<f4", "(1073741824, 1073741824)", 60));
    IO_FAILS(&err, GLSHAPE_NO_MEMORY, io_distances_open(&err, "-", IO_DISTANCES_AUTO, &d), "MiB");
    standard_input_restore();
}
END_TEST

START_TEST(dipha_and_binary_of_a_wrong_size_are_refused) {
    size_t bytes;
    char *dipha = files_load(FOLDER "real.dipha", &bytes);
    refused(files_make("d", dipha, bytes - 1), IO_DISTANCES_AUTO, "416 bytes are expected");
    refused(files_make("d", dipha, 20), IO_DISTANCES_AUTO, "24 bytes are expected");
    dipha[8] = 2;
    refused(files_make("d", dipha, bytes), IO_DISTANCES_AUTO, "type 2");
    dipha[8] = 7;
    dipha[23] = -1;
    refused(files_make("d", dipha, bytes), IO_DISTANCES_AUTO, "points");
    dipha[0] = 1;
    refused(files_make("d", dipha, bytes), IO_DISTANCES_DIPHA, "not a DIPHA");
    free(dipha);
    refused(files_make("d.bin", "abcdefgh", 8), IO_DISTANCES_AUTO, "8 bytes, 2 float32 values");
    refused(files_make("d.bin", "abcdefgh", 7), IO_DISTANCES_AUTO, "7 bytes");
}
END_TEST

START_TEST(missing_files_are_refused) {
    io_distances *d;
    IO_FAILS(&err, GLSHAPE_IO_ERROR, io_distances_open(&err, files_path("none.npy"), IO_DISTANCES_AUTO, &d),
             "none.npy");
    ck_assert_ptr_null(d);
}
END_TEST

Suite *io_distances_suite(void) {
    Suite *suite = suite_create("io/distances");
    TCase *tests = files_case("distances");
    tcase_add_test(tests, every_format_is_read_and_told_apart);
    tcase_add_test(tests, compressed_files_are_read);
    tcase_add_test(tests, other_types_are_read);
    tcase_add_test(tests, standard_input_is_read);
    tcase_add_test(tests, text_is_read_as_ripser_reads_it);
    tcase_add_test(tests, lines_tell_the_shape);
    tcase_add_test(tests, a_diagonal_in_an_upper_triangle_is_left_out);
    tcase_add_test(tests, a_square_with_one_side_is_a_triangle);
    tcase_add_test(tests, triangle_of_one_point);
    tcase_add_test(tests, names_of_formats);
    tcase_add_test(tests, symmetrize_takes_the_mean);
    tcase_add_loop_test(tests, names_are_left_out, 0, 10);
    tcase_add_loop_test(tests, broken_rows, 0, 3);
    tcase_add_test(tests, text_of_a_wrong_shape_is_refused);
    tcase_add_test(tests, text_that_is_no_number_is_refused);
    tcase_add_test(tests, npy_of_a_wrong_size_is_refused);
    tcase_add_test(tests, a_pipe_of_a_wrong_size_is_refused);
    tcase_add_test(tests, dipha_and_binary_of_a_wrong_size_are_refused);
    tcase_add_test(tests, missing_files_are_refused);
    suite_add_tcase(suite, tests);
    return suite;
}
