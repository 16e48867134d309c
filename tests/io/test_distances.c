/* Distance matrices of every format against NumPy's and SciPy's, what is refused and where, the check. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/random.h"
#include "files.h"
#include "io/distances.h"

Suite *io_distances_suite(void);

#define FOLDER GOLDEN "distances/"
enum { GOLDEN_N = 7, MUTATIONS = 3000 };

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
    ck_assert_msg(io_distances_in_file(d) == in_file, "%s: in file: %d", path, !in_file);
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
}
END_TEST

START_TEST(text_that_is_no_number_is_refused) {
    text_refused("1\n2,x\n", IO_DISTANCES_AUTO, "line 2, column 2: 'x' is not a number");
    text_refused("1\n2,,3\n", IO_DISTANCES_AUTO, "line 2, column 2 is empty");
    text_refused(",1\n", IO_DISTANCES_AUTO, "line 1, column 1 is empty");
    text_refused("\n# none\n", IO_DISTANCES_AUTO, "no numbers");
    text_refused("", IO_DISTANCES_AUTO, "is empty");
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

/* ---- the check -------------------------------------------------------------------------------------- */

/* A random symmetric matrix, to be freed. */
static float *make_matrix(uint32_t n, uint64_t seed) {
    random_state random = {seed};
    float *m = calloc((size_t)n * n, sizeof *m);
    for (size_t r = 0; r < n; r++)
        for (size_t c = 0; c < r; c++) m[r * n + c] = m[c * n + r] = (float)random_unit(&random);
    return m;
}

static const char *save(const char *name, const char *descr, bool fortran, uint32_t n, const void *values,
                        size_t item) {
    size_t bytes = (size_t)n * n * item;
    char *file = malloc(128 + bytes);
    memcpy(file, "\x93NUMPY\x01\x00\x76", 10);
    memset(file + 10, ' ', 117);
    int length = sprintf(file + 10, "{'descr': '%s', 'fortran_order': %s, 'shape': (%u, %u), }", descr,
                         fortran ? "True" : "False", n, n);
    file[10 + length] = ' ';
    file[127] = '\n';
    memcpy(file + 128, values, bytes);
    const char *path = files_make(name, file, 128 + bytes);
    free(file);
    return path;
}

static io_distances *saved(uint32_t n, const float *m) {
    return open_it(save("m.npy", "<f4", false, n, m, 4), IO_DISTANCES_AUTO);
}

/* The facts do not depend on the number of threads, and are those of a slow count. */
START_TEST(facts_are_those_of_a_slow_count) {
    static const uint32_t sizes[] = {1, 2, 3, 511, 512, 513, 700, 1100};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        uint32_t n = sizes[s];
        float *m = make_matrix(n, n);
        if (n > 2) m[2] = m[2 * n] = NAN, m[1] = -0.0f, m[n] = 0;
        uint64_t missing = 0;
        double sum = 0;
        float largest = 0;
        for (size_t r = 0; r < n; r++)
            for (size_t c = 0; c < r; c++) {
                float v = m[r * n + c];
                missing += isnan(v) != 0;
                sum += isnan(v) ? 0 : (double)v * v;
                if (v > largest) largest = v;
            }
        io_distances *d = saved(n, m);
        io_distances_facts facts, again;
        IO_OK(&err, io_distances_check(&err, d, 1, NULL, NULL, &facts));
        IO_OK(&err, io_distances_check(&err, d, 5, NULL, NULL, &again));
        ck_assert(facts.squares == again.squares && facts.missing == again.missing);
        ck_assert_uint_eq(facts.missing, missing);
        ck_assert(facts.largest == largest && !facts.asymmetric);
        ck_assert_msg(fabs(facts.squares - sum) <= 1e-12 * sum, "%.17g, not %.17g", facts.squares, sum);
        io_distances_close(d);
        free(m);
    }
}
END_TEST

static void value_refused(uint32_t n, size_t row, size_t col, float value, const char *has) {
    float *m = make_matrix(n, 1);
    m[row * n + col] = m[col * n + row] = value;
    io_distances *d = saved(n, m);
    IO_FAILS(&err, GLSHAPE_BAD_INPUT, check(d, NULL), has);
    io_distances_close(d);
    free(m);
}

START_TEST(values_that_are_no_distances_are_refused) {
    value_refused(900, 600, 700, -1.5f, "row 601, column 701 is -1.5; distances are not negative");
    value_refused(900, 700, 600, -1e-45f, "row 601, column 701 is -1.4");
    value_refused(900, 0, 899, INFINITY, "row 1, column 900 is infinite");
    value_refused(900, 0, 899, -INFINITY, "row 1, column 900 is infinite");
    value_refused(900, 899, 899, 0.25f, "row 900, column 900 is 0.25; the diagonal");
    value_refused(900, 0, 0, NAN, "row 1, column 1 is missing; the diagonal");
    value_refused(900, 512, 512, -1, "row 513, column 513 is -1; the diagonal");
    value_refused(2, 1, 0, -2, "row 1, column 2 is -2");
}
END_TEST

START_TEST(doubles_beyond_float32_are_refused) {
    double m[] = {0, 1e39, 1e39, 0};
    io_distances *d = open_it(save("m.npy", "<f8", false, 2, m, 8), IO_DISTANCES_AUTO);
    IO_FAILS(&err, GLSHAPE_BAD_INPUT, check(d, NULL), "row 1, column 2 is infinite or beyond 3.40282e+38");
    io_distances_close(d);
}
END_TEST

/* One differing value anywhere is found, with both places. */
START_TEST(asymmetry_is_found_anywhere) {
    enum { N = 1500 };
    random_state random = {5};
    float *m = make_matrix(N, 2);
    for (int i = 0; i < 30; i++) {
        uint32_t r = random_below(&random, N), c = random_below(&random, N);
        if (r == c) continue;
        float kept = m[(size_t)r * N + c];
        uint32_t bits;
        memcpy(&bits, &kept, 4);
        bits ^= i < 10 ? 1u << 20 : 1; /* one unit in the last place is within rounding */
        memcpy(&m[(size_t)r * N + c], &bits, 4);
        io_distances *d = saved(N, m);
        io_distances_facts facts;
        glshape_status status = check(d, &facts);
        char places[128];
        sprintf(places, "row %u, column %u is", (r < c ? r : c) + 1, (r < c ? c : r) + 1);
        if (i < 10) IO_FAILS(&err, GLSHAPE_BAD_INPUT, status, places);
        else ck_assert_msg(!status && facts.rounding_asymmetry && facts.asymmetric, "%s", places);
        if (i < 10) IO_FAILS(&err, GLSHAPE_BAD_INPUT, status, "--symmetrize averages the two");
        io_distances_close(d);
        m[(size_t)r * N + c] = kept;
    }
    free(m);
}
END_TEST

START_TEST(the_largest_asymmetry_is_named) {
    float m[] = {0, 1, 2, 3, 1, 0, 4, 1.5f, 2, 4.5f, 0, 5, 3, 1.25f, 7, 0};
    io_distances *d = saved(4, m);
    IO_FAILS(&err, GLSHAPE_BAD_INPUT, check(d, NULL), "row 3, column 4 is 5 but row 4, column 3 is 7");
    io_distances_close(d);
    d = open_it(save("m.npy", "<f4", true, 4, m, 4), IO_DISTANCES_AUTO);
    IO_FAILS(&err, GLSHAPE_BAD_INPUT, check(d, NULL), "row 3, column 4 is 7 but row 4, column 3 is 5");
    io_distances_close(d);
    m[1] = NAN;
    d = saved(4, m);
    IO_FAILS(&err, GLSHAPE_BAD_INPUT, check(d, NULL), "row 1, column 2 is missing but row 2, column 1 is 1");
    io_distances_close(d);
}
END_TEST

START_TEST(missing_is_not_zero) {
    float m[] = {0, NAN, 0, 0};
    io_distances *d = saved(2, m);
    IO_FAILS(&err, GLSHAPE_BAD_INPUT, check(d, NULL), "row 1, column 2 is missing but row 2, column 1 is 0");
    io_distances_close(d);
}
END_TEST

/* Whichever thread is first to see one. */
START_TEST(the_first_of_many_faults_is_named) {
    enum { N = 1500 };
    float *m = make_matrix(N, 6);
    for (size_t r = 700; r < N; r++) m[r * N + 3] = -1;
    for (int i = 0; i < 20; i++) {
        io_distances *d = saved(N, m);
        IO_FAILS(&err, GLSHAPE_BAD_INPUT, io_distances_check(&err, d, 6, NULL, NULL, NULL),
                 "row 701, column 4 is -1");
        io_distances_close(d);
    }
    free(m);
}
END_TEST

/* What a sum of both sides would not see. */
START_TEST(exchanged_values_are_found) {
    float *m = make_matrix(64, 3);
    float kept = m[5];
    m[5] = m[9];
    m[9] = kept;
    io_distances *d = saved(64, m);
    IO_FAILS(&err, GLSHAPE_BAD_INPUT, check(d, NULL), "a distance matrix is symmetric");
    io_distances_allow_asymmetry(d);
    io_distances_facts facts;
    IO_OK(&err, check(d, &facts));
    ck_assert(facts.asymmetric && !facts.rounding_asymmetry);
    io_distances_close(d);
    free(m);
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

static bool stop_at(void *user, double fraction) { return fraction < *(double *)user; }

START_TEST(a_check_can_be_cancelled) {
    float *m = make_matrix(1100, 4);
    io_distances *d = saved(1100, m);
    double at = 0;
    ck_assert_int_eq(io_distances_check(&err, d, 2, stop_at, &at, NULL), GLSHAPE_CANCELLED);
    m[1] = 7;
    io_distances_close(d);
    d = saved(1100, m);
    at = 0.95;
    ck_assert_int_eq(io_distances_check(&err, d, 1, stop_at, &at, NULL), GLSHAPE_CANCELLED);
    io_distances_close(d);
    free(m);
}
END_TEST

/* ---- files that change, hostile files --------------------------------------------------------------- */

static void change_size(const char *path, io_distances *d, off_t size) {
    float row[64 * 64];
    IO_OK(&err, io_distances_rows(&err, d, 0, 64, row));
    ck_assert_int_eq(truncate(path, size), 0);
    IO_FAILS(&err, GLSHAPE_IO_ERROR, io_distances_rows(&err, d, 63, 1, row),
             "changed while it was being read");
    IO_FAILS(&err, GLSHAPE_IO_ERROR, check(d, NULL), "it had 16512 bytes, now it has");
    io_distances_close(d);
}

START_TEST(a_file_that_changes_its_size_is_an_error) {
    float *m = make_matrix(64, 1);
    for (int longer = 0; longer < 2; longer++) {
        const char *path = save("m.npy", "<f4", false, 64, m, 4);
        change_size(path, open_it(path, IO_DISTANCES_AUTO), longer ? 20000 : 300);
    }
    free(m);
}
END_TEST

START_TEST(rows_beyond_the_last_are_refused) {
    float row[8];
    io_distances *d = open_it(FOLDER "real-f4-C-little.npy", IO_DISTANCES_AUTO);
    IO_FAILS(&err, GLSHAPE_BAD_ARGUMENT, io_distances_rows(&err, d, 6, 2, row), "7 rows");
    IO_FAILS(&err, GLSHAPE_BAD_ARGUMENT, io_distances_rows(&err, d, UINT32_MAX, 2, row), "7 rows");
    IO_OK(&err, io_distances_rows(&err, d, 7, 0, row));
    io_distances_close(d);
}
END_TEST

/* Opens and checks; reads every value of what opens. A failure must name the file. */
static bool survives(const char *name, const char *bytes, size_t count) {
    const char *path = files_make(name, bytes, count);
    io_distances *d;
    err.text[0] = '\0';
    if (io_distances_open(&err, path, IO_DISTANCES_AUTO, &d)) {
        IO_HOLDS(!d && strstr(err.text, path), "a failure without the path: %s", err.text);
        return false;
    }
    uint32_t n = io_distances_count(d);
    float *rows = malloc((size_t)n * n * sizeof *rows);
    IO_OK(&err, io_distances_rows(&err, d, 0, n, rows));
    (void)io_distances_check(&err, d, 1, NULL, NULL, NULL);
    io_distances_close(d);
    free(rows);
    return true;
}

static void each_prefix(const char *path, const char *name) {
    size_t count;
    char *bytes = files_load(path, &count);
    for (size_t n = 0; n < count; n++)
        IO_HOLDS(!survives(name, bytes, n), "%s: the first %zu of %zu bytes are read", path, n, count);
    IO_HOLDS(survives(name, bytes, count), "%s: %s", path, err.text);
    free(bytes);
}

START_TEST(prefixes_are_refused) {
    each_prefix(FOLDER "real-f4-C-little.npy", "h.npy");
    each_prefix(FOLDER "real-condensed.npy", "h.npy");
    each_prefix(FOLDER "real.dipha.gz", "h");
}
END_TEST

static void each_mutation(const char *path, const char *name) {
    size_t count;
    char *bytes = files_load(path, &count), *copy = malloc(count);
    for (uint64_t seed = 0; seed < MUTATIONS; seed++) {
        random_state random = {seed};
        memcpy(copy, bytes, count);
        for (uint32_t k = random_below(&random, 3) + 1; k-- > 0;)
            copy[random_below(&random, (uint32_t)count)] =
                "0123456789,;() \n\t.-+e#\x00\xff\x80n"[random_below(&random, 27)];
        if (seed == 0) printf("%s: seeds 0 to %d\n", path, MUTATIONS - 1);
        (void)survives(name, copy, random_below(&random, 4) ? count : random_below(&random, (uint32_t)count));
    }
    free(copy);
    free(bytes);
}

START_TEST(damaged_files_are_survived) {
    each_mutation(FOLDER "real-f4-C-little.npy", "h.npy");
    each_mutation(FOLDER "real-condensed.npy", "h.npy");
    each_mutation(FOLDER "real-lower.csv", "h.csv");
    each_mutation(FOLDER "missing-full.csv", "h.csv");
    each_mutation(FOLDER "real-lower.bin", "h.bin");
    each_mutation(FOLDER "real.dipha", "h");
    each_mutation(FOLDER "real.dipha.gz", "h");
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
    tcase_add_test(tests, names_of_formats);
    tcase_add_test(tests, text_of_a_wrong_shape_is_refused);
    tcase_add_test(tests, text_that_is_no_number_is_refused);
    tcase_add_test(tests, npy_of_a_wrong_size_is_refused);
    tcase_add_test(tests, a_pipe_of_a_wrong_size_is_refused);
    tcase_add_test(tests, dipha_and_binary_of_a_wrong_size_are_refused);
    tcase_add_test(tests, missing_files_are_refused);
    tcase_add_test(tests, facts_are_those_of_a_slow_count);
    tcase_add_test(tests, values_that_are_no_distances_are_refused);
    tcase_add_test(tests, doubles_beyond_float32_are_refused);
    tcase_add_test(tests, asymmetry_is_found_anywhere);
    tcase_add_test(tests, the_largest_asymmetry_is_named);
    tcase_add_test(tests, missing_is_not_zero);
    tcase_add_test(tests, the_first_of_many_faults_is_named);
    tcase_add_test(tests, exchanged_values_are_found);
    tcase_add_test(tests, symmetrize_takes_the_mean);
    tcase_add_test(tests, a_check_can_be_cancelled);
    tcase_add_test(tests, a_file_that_changes_its_size_is_an_error);
    tcase_add_test(tests, rows_beyond_the_last_are_refused);
    tcase_add_test(tests, prefixes_are_refused);
    tcase_add_test(tests, damaged_files_are_survived);
    suite_add_tcase(suite, tests);
    return suite;
}
