/* Distance matrices: what the check of a whole matrix finds and says, files that change, hostile files. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/random.h"
#include "files.h"
#include "io/distances/distances.h"

Suite *io_distances_check_suite(void);

#define FOLDER GOLDEN "distances/"
enum { MUTATIONS = 3000 };

static error err;

static io_distances *open_it(const char *path, io_distance_format format) {
    io_distances *d;
    IO_OK(&err, io_distances_open(&err, path, format, &d));
    return d;
}

static glshape_status check(io_distances *d, io_distances_facts *facts) {
    return io_distances_check(&err, d, 3, NULL, NULL, facts);
}

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
    value_refused(900, 700, 600, -1e-3f, "row 601, column 701 is -0.001");
    value_refused(900, 0, 899, INFINITY, "row 1, column 900 is infinite");
    value_refused(900, 0, 899, -INFINITY, "row 1, column 900 is infinite");
    value_refused(900, 899, 899, 0.25f, "row 900, column 900 is 0.25; the diagonal");
    value_refused(900, 0, 0, NAN, "row 1, column 1 is missing; the diagonal");
    value_refused(900, 512, 512, -1, "row 513, column 513 is -1; the diagonal");
    value_refused(2, 1, 0, -2, "row 1, column 2 is -2");
}
END_TEST

/* 1 - X·Xᵀ of unit rows has values of -4e-16 and 1e-16 where 0 is meant, on the diagonal and off it. */
START_TEST(noise_is_0) {
    enum { N = 700 };
    float *m = make_matrix(N, 3), *row = calloc(N, sizeof *row);
    m[5 * N + 5] = -4e-16f, m[6 * N + 6] = 1e-16f;
    m[1 * N + 650] = m[650 * N + 1] = -2e-16f;
    for (int fortran = 0; fortran < 2; fortran++) {
        io_distances *d = open_it(save("m.npy", "<f4", fortran, N, m, 4), IO_DISTANCES_AUTO);
        err.notes[0] = 0;
        IO_OK(&err, check(d, NULL));
        ck_assert(strstr(err.notes, "m.npy: values that rounding left below 0") != NULL);
        IO_OK(&err, io_distances_rows(&err, d, 650, 1, row));
        ck_assert(row[1] == 0 && row[650] == 0 && row[2] == m[650 * N + 2]);
        for (uint32_t i = 5; i < 7; i++) {
            IO_OK(&err, io_distances_rows(&err, d, i, 1, row));
            ck_assert(row[i] == 0 && row[i + 1] == m[i * N + i + 1]);
        }
        io_distances_close(d);
    }
    free(row);
    free(m);
    float none[] = {0, 2, -1e-5f, 2, 0, 3, -1e-5f, 3, 0}; /* beyond 1e-6 of the row's largest */
    io_distances *d = saved(3, none);
    IO_FAILS(&err, GLSHAPE_BAD_INPUT, check(d, NULL), "row 1, column 3 is -1e-05");
    io_distances_close(d);
}
END_TEST

START_TEST(what_is_taken_is_not_refused) {
    float m[] = {0, INFINITY, 1, INFINITY, 0, NAN, 1, NAN, 0}, row[3];
    io_distances_facts facts;
    io_distances *d = saved(3, m);
    io_distances_take(d, true, true);
    IO_OK(&err, check(d, &facts));
    ck_assert(facts.missing == 1 && facts.largest == 1 && facts.squares == 1);
    IO_OK(&err, io_distances_rows(&err, d, 0, 1, row));
    ck_assert(isinf(row[1]) && row[1] > 0);
    io_distances_take(d, false, true);
    IO_FAILS(&err, GLSHAPE_BAD_INPUT, check(d, NULL), "row 2, column 3 is nan; inf stands for two points");
    io_distances_take(d, true, false);
    IO_FAILS(&err, GLSHAPE_BAD_INPUT, check(d, NULL), "row 1, column 2 is infinite");
    io_distances_close(d);
    m[1] = 7; /* a side alone */
    d = saved(3, m);
    io_distances_take(d, true, true);
    IO_FAILS(&err, GLSHAPE_BAD_INPUT, check(d, NULL), "row 1, column 2 is 7 but row 2, column 1 is inf");
    io_distances_close(d);
    double beyond[] = {0, 1e39, 1e39, 0};
    d = open_it(save("m.npy", "<f8", false, 2, beyond, 8), IO_DISTANCES_AUTO);
    io_distances_take(d, false, true);
    IO_FAILS(&err, GLSHAPE_BAD_INPUT, check(d, NULL), "row 1, column 2 is beyond 3.40282e+38");
    io_distances_close(d);
}
END_TEST

START_TEST(doubles_beyond_float32_are_refused) {
    double m[] = {0, 1e39, 1e39, 0};
    io_distances *d = open_it(save("m.npy", "<f8", false, 2, m, 8), IO_DISTANCES_AUTO);
    IO_FAILS(&err, GLSHAPE_BAD_INPUT, check(d, NULL), "row 1, column 2 is infinite or beyond 3.40282e+38");
    io_distances_close(d);
}
END_TEST

/* Where all are below the least normal float32; unless none loses digits, or another is far larger. Of two
 * readers of a row each, the second learns from the first what that has read. */
START_TEST(tiny_doubles_are_refused) {
    static const double values[] = {1e-50, 1.1e-38, 0x1p-140, 0, 1e-37};
    for (int i = 0; i < 5; i++) {
        double x = values[i], m[] = {0, x, x, 0};
        glshape_status want = i < 2 ? GLSHAPE_BAD_INPUT : GLSHAPE_OK;
        const char *sentence = i < 2 ? "m.npy: all distances are below 1.17549e-38, " : "", *file;
        io_distances_watch *w[2];
        io_distances *d[2];
        float row[2];
        bool again;
        void *report;
        size_t bytes;
        file = save("m.npy", "<f8", false, 2, m, 8);
        for (int k = 0; k < 2; k++) {
            d[k] = open_it(file, IO_DISTANCES_AUTO);
            IO_OK(&err, io_distances_watch_new(&err, d[k], &w[k]));
        }
        IO_OK(&err, io_distances_watch_rows(&err, w[0], 0, 1, row));
        IO_OK(&err, io_distances_watch_report(&err, w[0], &report, &bytes));
        io_distances_watch_add(w[1], report, bytes);
        ck_assert_int_eq(io_distances_watch_rows(&err, w[1], 1, 1, row), want);
        ck_assert_int_eq(io_distances_watch_rows(&err, w[0], 1, 1, row), want);
        for (int k = 0; k < 2; k++) {
            IO_FAILS(&err, want, io_distances_watch_end(&err, w[k], NULL, NULL, &again), sentence);
            io_distances_watch_free(w[k]);
            io_distances_close(d[k]);
        }
        free(report);
        char text[80];
        int length = snprintf(text, sizeof text, "0 %.17g\n%.17g 0\n", x, x);
        d[0] = open_it(files_make("m.txt", text, (size_t)length), IO_DISTANCES_AUTO);
        IO_FAILS(&err, want, check(d[0], NULL), i < 2 ? "m.txt: all distances are below " : "");
        io_distances_close(d[0]);
    }
    double m[] = {0, 1e-50, 1, 1e-50, 0, 1, 1, 1, 0};
    io_distances *d = open_it(save("m.npy", "<f8", false, 3, m, 8), IO_DISTANCES_AUTO);
    IO_OK(&err, check(d, NULL));
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

/* ---- the check of what somebody else reads ---------------------------------------------------------- */

/* Reads all rows, some of them twice, in the order of a stride; whether any was refused. */
static bool read_watched(io_distances_watch *w, uint32_t n, float *rows) {
    bool refused = false;
    io_distances_watch_rows(&err, w, n / 3, 1, rows);
    for (uint32_t i = 0; i < n; i += 7)
        refused |= io_distances_watch_rows(&err, w, (i * 11u) % n, 1, rows) != GLSHAPE_OK;
    for (uint32_t first = 0; first < n; first += 100) {
        uint32_t count = n - first < 100 ? n - first : 100;
        refused |= io_distances_watch_rows(&err, w, first, count, rows) != GLSHAPE_OK;
    }
    return refused;
}

static void check_watched(const char *what, uint32_t n, const float *m, glshape_status expected,
                          bool refused) {
    io_distances *d = saved(n, m);
    io_distances_watch *w;
    float *rows = malloc((size_t)n * 100 * sizeof *rows);
    bool again;
    error direct = {0};
    IO_OK(&err, io_distances_watch_new(&err, d, &w));
    IO_HOLDS(read_watched(w, n, rows) == refused, "%s", what);
    glshape_status status = io_distances_watch_end(&err, w, NULL, NULL, &again);
    IO_HOLDS(status == expected && again == refused, "%s: %d", what, status);
    IO_HOLDS(io_distances_check(&direct, d, 0, NULL, NULL, NULL) == expected, "%s", what);
    if (expected) ck_assert_str_eq(direct.text, err.text);
    else IO_HOLDS(!read_watched(w, n, rows), "%s, again", what);
    io_distances_watch_free(w);
    io_distances_close(d);
    free(rows);
}

START_TEST(watching_is_checking) {
    enum { N = 777 };
    float *m = make_matrix(N, 8);
    check_watched("good", N, m, GLSHAPE_OK, false);
    m[5 * N + 9] = nextafterf(m[5 * N + 9], 2);
    check_watched("but for rounding", N, m, GLSHAPE_OK, true);
    m[5 * N + 9] = 3;
    check_watched("asymmetric", N, m, GLSHAPE_BAD_INPUT, true);
    m[5 * N + 9] = m[9 * N + 5];
    m[776 * N + 776] = 1;
    check_watched("diagonal", N, m, GLSHAPE_BAD_INPUT, true);
    m[776 * N + 776] = 0;
    m[3 * N + 4] = m[4 * N + 3] = m[700 * N + 8] = m[8 * N + 700] = -1;
    check_watched("negative", N, m, GLSHAPE_BAD_INPUT, true);
    free(m);
}
END_TEST

/* What is not read is checked at the end. */
START_TEST(unread_rows_are_checked) {
    float *m = make_matrix(50, 9), rows[50];
    m[48 * 50 + 49] = m[49 * 50 + 48] = -2;
    io_distances *d = saved(50, m);
    io_distances_watch *w;
    bool again;
    IO_OK(&err, io_distances_watch_new(&err, d, &w));
    IO_OK(&err, io_distances_watch_rows(&err, w, 3, 1, rows));
    IO_FAILS(&err, GLSHAPE_BAD_INPUT, io_distances_watch_end(&err, w, NULL, NULL, &again),
             "row 49, column 50 is -2");
    io_distances_watch_free(w);
    io_distances_close(d);
    free(m);
}
END_TEST

/* Of weights: nothing may be missing, the diagonal may be anything but negative. */
START_TEST(weights_are_checked) {
    float m[] = {7, 1, 2, 1, 8, 0, 2, 0, 9};
    for (int k = 0; k < 3; k++) {
        static const float bad[] = {NAN, -1, INFINITY};
        static const int at[] = {5, 7, 8};
        io_distances *d = saved(3, m);
        IO_FAILS(&err, GLSHAPE_BAD_INPUT, check(d, NULL), "row 1, column 1 is 7; the diagonal");
        io_distances_are_weights(d);
        IO_OK(&err, check(d, NULL));
        io_distances_close(d);
        float kept = m[at[k]];
        m[at[k]] = bad[k];
        d = saved(3, m);
        io_distances_are_weights(d);
        IO_FAILS(&err, GLSHAPE_BAD_INPUT, check(d, NULL), "weights are finite numbers, not negative");
        io_distances_close(d);
        m[at[k]] = kept;
    }
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

Suite *io_distances_check_suite(void) {
    Suite *suite = suite_create("io/distances_check");
    TCase *tests = files_case("check");
    tcase_add_test(tests, facts_are_those_of_a_slow_count);
    tcase_add_test(tests, values_that_are_no_distances_are_refused);
    tcase_add_test(tests, noise_is_0);
    tcase_add_test(tests, what_is_taken_is_not_refused);
    tcase_add_test(tests, doubles_beyond_float32_are_refused);
    tcase_add_test(tests, tiny_doubles_are_refused);
    tcase_add_test(tests, watching_is_checking);
    tcase_add_test(tests, unread_rows_are_checked);
    tcase_add_test(tests, weights_are_checked);
    tcase_add_test(tests, asymmetry_is_found_anywhere);
    tcase_add_test(tests, the_largest_asymmetry_is_named);
    tcase_add_test(tests, missing_is_not_zero);
    tcase_add_test(tests, the_first_of_many_faults_is_named);
    tcase_add_test(tests, exchanged_values_are_found);
    tcase_add_test(tests, a_check_can_be_cancelled);
    tcase_add_test(tests, a_file_that_changes_its_size_is_an_error);
    tcase_add_test(tests, rows_beyond_the_last_are_refused);
    tcase_add_test(tests, prefixes_are_refused);
    tcase_add_test(tests, damaged_files_are_survived);
    suite_add_tcase(suite, tests);
    return suite;
}
