/* Reading .npy, against files that NumPy wrote. */
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "files.h"
#include "io/npy.h"
#include "io/npz.h"
#include "io/number.h"
#include "io/read.h"
#include "io/value.h"

Suite *io_npy_suite(void);

static error err;

/* Value i as a double, by way of its text. */
static double value_at(const glshape_matrix *m, size_t i) {
    char text[IO_NUMBER_ROOM];
    double value = NAN;
    size_t length = io_value_print(text, m, i);
    ck_assert(io_number_parse(text, length, &value));
    return value;
}

/* What golden/make.py puts at row r, column c. */
static double golden_value(const char *code, size_t r, size_t c) {
    if (!strncmp(code, "b1", 2)) return (double)((r + c) % 2);
    return (double)(10 * r + c) - (code[0] == 'u' ? 0 : 5) + (code[0] == 'f' ? 0.5 : 0);
}

static void check_golden(const char *path, const char *code, glshape_type type) {
    glshape_matrix m;
    IO_OK(&err, io_read_matrix(&err, path, IO_AUTO, &m));
    ck_assert_msg(m.type == type && m.rows == 3 && m.cols == 4, "%s: type %d, %zu x %zu", path, (int)m.type,
                  m.rows, m.cols);
    for (size_t i = 0; i < 12; i++)
        ck_assert_msg(value_at(&m, i) == golden_value(code, i / 4, i % 4), "%s: value %zu is %g", path, i,
                      value_at(&m, i));
    io_matrix_free(&m);
    ck_assert_ptr_null(m.data);
}

static const struct {
    const char *code;
    glshape_type type;
} types[] = {{"f2", GLSHAPE_F32}, {"f4", GLSHAPE_F32}, {"f8", GLSHAPE_F64}, {"i1", GLSHAPE_I8},
             {"i2", GLSHAPE_I16}, {"i4", GLSHAPE_I32}, {"i8", GLSHAPE_I64}, {"u1", GLSHAPE_U8},
             {"u2", GLSHAPE_U16}, {"u4", GLSHAPE_U32}, {"u8", GLSHAPE_U64}, {"b1", GLSHAPE_U8}};

START_TEST(every_type_order_and_byte_order_is_read) {
    char path[128];
    for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
        for (int variant = 0; variant < 4; variant++) {
            if (variant & 2 && types[t].code[1] == '1') continue;
            snprintf(path, sizeof path, GOLDEN "%s-%c-%s.npy", types[t].code, variant & 1 ? 'F' : 'C',
                     variant & 2 ? "big" : "little");
            check_golden(path, types[t].code, types[t].type);
        }
    }
}
END_TEST

START_TEST(every_version_is_read) {
    check_golden(GOLDEN "version1.npy", "f4", GLSHAPE_F32);
    check_golden(GOLDEN "version2.npy", "f4", GLSHAPE_F32);
    check_golden(GOLDEN "version3.npy", "f4", GLSHAPE_F32);
}
END_TEST

START_TEST(gzip_and_standard_input_are_read) {
    check_golden(GOLDEN "version1.npy.gz", "f4", GLSHAPE_F32);
    standard_input_from(GOLDEN "f8-F-big.npy");
    check_golden("-", "f8", GLSHAPE_F64);
    standard_input_from(GOLDEN "version1.npy.gz");
    check_golden("-", "f4", GLSHAPE_F32);
}
END_TEST

START_TEST(one_dimension_is_a_column) {
    glshape_matrix m;
    IO_OK(&err, io_read_matrix(&err, GOLDEN "column.npy", IO_NPY, &m));
    ck_assert(m.type == GLSHAPE_I32 && m.rows == 5 && m.cols == 1);
    for (int i = 0; i < 5; i++) ck_assert_int_eq(((int32_t *)m.data)[i], i);
    io_matrix_free(&m);
}
END_TEST

START_TEST(a_square_is_transposed) {
    glshape_matrix m;
    IO_OK(&err, io_read_matrix(&err, GOLDEN "square-F.npy", IO_AUTO, &m));
    for (int i = 0; i < 9; i++) ck_assert_int_eq(((uint16_t *)m.data)[i], i);
    io_matrix_free(&m);
}
END_TEST

/* Item (r, c) of a rows × cols matrix, as many of its bytes as an item has; no two bytes alike nearby. */
static void item_of(size_t r, size_t c, unsigned char *item, size_t size) {
    for (size_t b = 0; b < size; b++) item[b] = (unsigned char)(r * 31 + c * 7 + b * 101 + (r * c) / 256);
}

static void check_transpose(size_t rows, size_t cols, size_t size) {
    void *block = malloc(rows * cols * size);
    unsigned char *data = block, item[8];
    for (size_t c = 0; c < cols; c++)
        for (size_t r = 0; r < rows; r++) item_of(r, c, data + (c * rows + r) * size, size);
    IO_OK(&err, io_transpose(&err, "test", &block, rows, cols, size));
    data = block;
    for (size_t r = 0; r < rows; r++) {
        for (size_t c = 0; c < cols; c++) {
            item_of(r, c, item, size);
            IO_HOLDS(!memcmp(item, data + (r * cols + c) * size, size),
                     "%zu x %zu of %zu: (%zu, %zu) is wrong", rows, cols, size, r, c);
        }
    }
    free(block);
}

/* Sizes below, at and above the tile, and not a multiple of it. */
START_TEST(any_shape_is_transposed) {
    static const size_t sizes[] = {1, 2, 31, 32, 33, 64, 71};
    enum { SIZES = sizeof sizes / sizeof *sizes };
    for (size_t i = 0; i < SIZES; i++)
        for (size_t j = 0; j < SIZES; j++)
            for (size_t size = 1; size <= 8; size *= 2) check_transpose(sizes[i], sizes[j], size);
}
END_TEST

START_TEST(half_precision_is_exact) {
    static const float expected[] = {0,        0x1p-24f,  0x3FFp-24f, 0x1p-14f, 1, 65504,
                                     INFINITY, -INFINITY, NAN,        -0.0f,    -5};
    glshape_matrix m;
    IO_OK(&err, io_read_matrix(&err, GOLDEN "halves.npy", IO_AUTO, &m));
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        float value = ((float *)m.data)[i];
        ck_assert_msg(isnan(expected[i]) ? isnan(value) : !memcmp(&value, &expected[i], 4), "half %zu is %a",
                      i, (double)value);
    }
    io_matrix_free(&m);
}
END_TEST

/* A file with that dict as its header, of version 1.0, and count zero bytes. */
static const char *make_npy(const char *dict, size_t count) {
    char bytes[2048] = "\x93NUMPY\x01";
    size_t length = strlen(dict);
    bytes[8] = (char)(length & 255);
    bytes[9] = (char)(length >> 8);
    memcpy(bytes + 10, dict, length);
    return files_make("made.npy", bytes, 10 + length + count);
}

static void refused(const char *path, const char *has) {
    glshape_matrix m;
    IO_FAILS(&err, GLSHAPE_BAD_INPUT, io_read_matrix(&err, path, IO_AUTO, &m), has);
    IO_FAILS(&err, GLSHAPE_BAD_INPUT, io_read_matrix(&err, path, IO_AUTO, &m), path);
    ck_assert_ptr_null(m.data);
}

START_TEST(arrays_that_are_no_matrix_are_refused) {
    refused(GOLDEN "scalar.npy", "shape ()");
    refused(GOLDEN "cube.npy", "shape (2, 3, 4)");
    refused(GOLDEN "empty.npy", "empty: its shape is (0, 4)");
    refused(GOLDEN "no-columns.npy", "empty: its shape is (4, 0)");
}
END_TEST

START_TEST(values_that_are_no_numbers_are_refused) {
    refused(GOLDEN "object.npy", "Python objects (pickled)");
    refused(GOLDEN "object.npy", "numpy.save(..., arr.astype('f4'))");
    refused(GOLDEN "complex.npy", "complex numbers ('<c8')");
    refused(GOLDEN "strings.npy", "text ('<U9')");
    refused(GOLDEN "bytes.npy", "text ('|S1')");
    refused(GOLDEN "structured.npy", "structured array");
    refused(GOLDEN "structured3.npy", "structured array");
    refused(GOLDEN "void.npy", "raw bytes");
    refused(GOLDEN "dates.npy", "dates");
    refused(GOLDEN "spans.npy", "time spans");
    refused(GOLDEN "longdouble.npy", "'<f16'");
}
END_TEST

#define DICT(descr, order, shape) "{'descr': " descr ", 'fortran_order': " order ", 'shape': " shape ", }\n"

START_TEST(strange_but_right_headers_are_read) {
    static const char *const dicts[] = {
        DICT("'<f4'", "False", "(2, 3)"),
        DICT("\"<f4\"", "True", "(2,3,)"),
        DICT("'=f4'", "False", "(2L, 3L)"),
        "{'shape': (2, 3), 'fortran_order': False, 'descr': '<f4'}",
        "{'shape':(2,3),'descr':'<f4','fortran_order':True}  \n",
        "{ 'descr' : '<f4' , 'fortran_order' : False , 'shape' : ( 2 , 3 ) , }"};
    for (size_t i = 0; i < sizeof dicts / sizeof *dicts; i++) {
        glshape_matrix m;
        IO_OK(&err, io_read_matrix(&err, make_npy(dicts[i], 24), IO_AUTO, &m));
        ck_assert(m.rows == 2 && m.cols == 3 && m.type == GLSHAPE_F32);
        io_matrix_free(&m);
    }
}
END_TEST

START_TEST(malformed_headers_are_refused) {
    static const char *const dicts[] = {"",
                                        "{",
                                        "{}",
                                        "[]",
                                        "\n",
                                        "{'descr': '<f4'}",
                                        "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)",
                                        DICT("'<f4'", "False", "(2, 3"),
                                        DICT("'<f4'", "False", "2, 3)"),
                                        DICT("'<f4'", "False", "(6)"),
                                        DICT("'<f4'", "False", "(2 3)"),
                                        DICT("'<f4'", "False", "(2, -3)"),
                                        DICT("'<f4'", "False", "(2, 3.)"),
                                        DICT("'<f4'", "False", "(2, 0x3)"),
                                        DICT("'<f4'", "False", "(, )"),
                                        DICT("'<f4'", "False", "[2, 3]"),
                                        DICT("'<f4'", "false", "(2, 3)"),
                                        DICT("'<f4'", "0", "(2, 3)"),
                                        DICT("'<f4'", "Falsey", "(2, 3)"),
                                        DICT("'f4'", "False", "(2, 3)"),
                                        DICT("'<f'", "False", "(2, 3)"),
                                        DICT("'<f0'", "False", "(2, 3)"),
                                        DICT("'<q4'", "False", "(2, 3)"),
                                        DICT("'<f4", "False", "(2, 3)"),
                                        DICT("'<f4x'", "False", "(2, 3)"),
                                        DICT("'<f99999999999999999999999'", "False", "(2, 3)"),
                                        DICT("''", "False", "(2, 3)"),
                                        DICT("'\\x3cf4'", "False", "(2, 3)"),
                                        DICT("<f4", "False", "(2, 3)"),
                                        DICT("'<f4'", "False", "(2, 3)") "x",
                                        DICT("'<f4'", "False", "(2, 3), 'shape': (2, 3)"),
                                        DICT("'<f4'", "False", "(2, 3), 'extra': 1"),
                                        DICT("'<f4' 'x'", "False", "(2, 3)")};
    for (size_t i = 0; i < sizeof dicts / sizeof *dicts; i++) {
        glshape_matrix m;
        const char *path = make_npy(dicts[i], 24);
        glshape_status status = io_read_matrix(&err, path, IO_AUTO, &m);
        ck_assert_msg(status == GLSHAPE_BAD_INPUT, "status %d for %s", (int)status, dicts[i]);
        ck_assert_msg(strstr(err.text, path) && strstr(err.text, "malformed"), "%s: %s", dicts[i], err.text);
    }
}
END_TEST

START_TEST(unknown_versions_and_lengths_are_refused) {
    refused(files_make("v4.npy", "\x93NUMPY\x04\x00\x10\x00", 10), "version 4.0");
    refused(files_make("v11.npy", "\x93NUMPY\x01\x01\x10\x00", 10), "version 1.1");
    refused(files_make("long.npy", "\x93NUMPY\x02\x00\xff\xff\xff\xff", 12), "claims 4294967295 bytes");
    refused(files_make("nul.npy", "\x93NUMPY\x01\x00\x02\x00{\x00", 12), "NUL");
    refused(files_make("short.npy", "\x93NUMPY\x01\x00\x76\x00{'descr", 17),
            "needs 128 bytes, the file has 17");
}
END_TEST

START_TEST(files_cut_short_say_what_is_missing) {
    size_t count;
    char *bytes = files_load(GOLDEN "version1.npy", &count);
    ck_assert_uint_eq(count, 176);
    refused(files_make("cut.npy", bytes, 150), "176 bytes are expected");
    refused(files_make("cut.npy", bytes, 150), "the file has 150; it is cut short");
    refused(files_make_gzip("cut.npy.gz", bytes, 150), "the file has 150; it is cut short");
    char *longer = calloc(count + 3, 1);
    memcpy(longer, bytes, count);
    refused(files_make("long.npy", longer, count + 3), "the file has 179; something follows");
    refused(files_make_gzip("long.npy.gz", longer, count + 3), "177 or more; something follows");
    free(longer);
    free(bytes);
}
END_TEST

START_TEST(cut_and_damaged_gzip_is_refused) {
    size_t count;
    char *bytes = files_load(GOLDEN "savetxt.csv.gz", &count);
    refused(files_make("cut.gz", bytes, count - 1), "cut short");
    refused(files_make("cut.gz", bytes, 1000), "cut short");
    bytes[count - 6] ^= 1; /* the checksum */
    refused(files_make("sum.gz", bytes, count), "damaged");
    bytes[count - 6] ^= 1;
    bytes[count] = 'x'; /* where files_load put a NUL */
    refused(files_make("more.gz", bytes, count + 1), "followed by something else");
    char *filled = calloc(count + 40000, 1); /* as tapes are, which gzip -d passes over */
    memcpy(filled, bytes, count);
    glshape_matrix m;
    IO_OK(&err, io_read_matrix(&err, files_make("filled.gz", filled, count + 40000), IO_AUTO, &m));
    io_matrix_free(&m);
    filled[count + 39999] = 1;
    refused(files_make("filled.gz", filled, count + 40000), "followed by something else");
    free(filled);
    free(bytes);
}
END_TEST

START_TEST(impossible_sizes_are_refused_at_once) {
    const char *square = DICT("'<f4'", "False", "(1099511627776, 1099511627776)");
    refused(make_npy(square, 24), "more than any memory can hold");
    refused(make_npy(DICT("'<f4'", "False", "(99999999999999999999999999, 2)"), 24), "beyond any memory");
    refused(make_npy(DICT("'<f8'", "True", "(1073741824, 1048576)"), 24), "the file has");
    glshape_matrix m;
    const char *path = make_npy(DICT("'<f8'", "True", "(1073741824, 1048576)"), 24);
    standard_input_from(path);
    IO_FAILS(&err, GLSHAPE_NO_MEMORY, io_read_matrix(&err, "-", IO_AUTO, &m), "standard input needs");
}
END_TEST

/* A sparse file has the size that its header claims, and yet cannot be held. */
START_TEST(more_than_the_memory_there_is_is_refused) {
    const char *path = make_npy(DICT("'<f8'", "False", "(1073741824, 1024)"), 0);
    size_t header;
    free(files_load(path, &header));
    if (truncate(path, (off_t)header + ((off_t)1 << 43))) return; /* the file system has no such files */
    glshape_matrix m;
    IO_FAILS(&err, GLSHAPE_NO_MEMORY, io_read_matrix(&err, path, IO_AUTO, &m), "needs 8388608.0 MiB");
}
END_TEST

START_TEST(the_first_value_that_is_not_finite_is_named) {
    float values[6] = {0, 1, 2, 3, NAN, INFINITY};
    glshape_matrix m = {GLSHAPE_F32, 2, 3, values};
    IO_FAILS(&err, GLSHAPE_BAD_INPUT, io_check_finite(&err, "x.npy", &m), "x.npy: row 2, column 2 is NaN");
    values[4] = 4;
    IO_FAILS(&err, GLSHAPE_BAD_INPUT, io_check_finite(&err, "-", &m),
             "standard input: row 2, column 3 is infinite");
    values[5] = 5;
    IO_OK(&err, io_check_finite(&err, "x.npy", &m));
    double doubles[2] = {1e300, -INFINITY};
    m = (glshape_matrix){GLSHAPE_F64, 2, 1, doubles};
    IO_FAILS(&err, GLSHAPE_BAD_INPUT, io_check_finite(&err, "d", &m), "d: row 2, column 1 is infinite");
    m = (glshape_matrix){GLSHAPE_I64, 2, 1, doubles};
    IO_OK(&err, io_check_finite(&err, "i", &m));
}
END_TEST

/* ---- .npz ---------------------------------------------------------------------------------------- */

static const char *make_npz(const io_npz_array *arrays, int count) {
    const char *path = files_path("t.npz");
    IO_OK(&err, io_write_npz(&err, path, arrays, count));
    return path;
}

START_TEST(npz_of_one_array_is_read) {
    const float values[6] = {1, 2, 3, 4, 5, 6.5f};
    const io_npz_array both[] = {
        {.name = "X", .type = GLSHAPE_F32, .dims = 2, .shape = {3, 2}, .data = values},
        {.name = "Y", .type = GLSHAPE_F32, .dims = 1, .shape = {6}, .data = values}};
    const io_npz_array sparse[] = {
        {.name = "indptr", .type = GLSHAPE_F32, .dims = 1, .shape = {6}, .data = values}};
    glshape_matrix m;
    for (int format = 0; format < 2; format++) {
        IO_OK(&err, io_read_points(&err, make_npz(both, 1), format ? IO_NPY : IO_AUTO, &m));
        ck_assert(m.type == GLSHAPE_F32 && m.rows == 3 && m.cols == 2 &&
                  !memcmp(m.data, values, sizeof values));
        io_matrix_free(&m);
        IO_FAILS(&err, GLSHAPE_BAD_INPUT,
                 io_read_points(&err, make_npz(both, 2), format ? IO_NPY : IO_AUTO, &m),
                 "has several arrays, 'X' and 'Y' among them");
    }
    IO_FAILS(&err, GLSHAPE_BAD_INPUT, io_read_points(&err, make_npz(sparse, 1), IO_AUTO, &m),
             "a sparse matrix of scipy is read as a graph");
    size_t count;
    char *bytes = files_load(make_npz(both, 1), &count);
    for (size_t k = 4; k < count; k++) { /* cut short, and damaged */
        if (!io_read_points(&err, files_make("cut.npz", bytes, k), IO_AUTO, &m)) io_matrix_free(&m);
        bytes[k] ^= 1 << k % 8;
        if (!io_read_points(&err, files_make("bad.npz", bytes, count), IO_AUTO, &m)) io_matrix_free(&m);
        bytes[k] ^= 1 << k % 8;
        IO_HOLDS(!m.data, "byte %zu", k);
    }
    free(bytes);
}
END_TEST

Suite *io_npy_suite(void) {
    Suite *suite = suite_create("io/npy");
    TCase *tests = files_case("npy");
    tcase_add_test(tests, every_type_order_and_byte_order_is_read);
    tcase_add_test(tests, every_version_is_read);
    tcase_add_test(tests, gzip_and_standard_input_are_read);
    tcase_add_test(tests, one_dimension_is_a_column);
    tcase_add_test(tests, a_square_is_transposed);
    tcase_add_test(tests, any_shape_is_transposed);
    tcase_add_test(tests, half_precision_is_exact);
    tcase_add_test(tests, arrays_that_are_no_matrix_are_refused);
    tcase_add_test(tests, values_that_are_no_numbers_are_refused);
    tcase_add_test(tests, strange_but_right_headers_are_read);
    tcase_add_test(tests, malformed_headers_are_refused);
    tcase_add_test(tests, unknown_versions_and_lengths_are_refused);
    tcase_add_test(tests, files_cut_short_say_what_is_missing);
    tcase_add_test(tests, cut_and_damaged_gzip_is_refused);
    tcase_add_test(tests, impossible_sizes_are_refused_at_once);
    tcase_add_test(tests, more_than_the_memory_there_is_is_refused);
    tcase_add_test(tests, the_first_value_that_is_not_finite_is_named);
    tcase_add_test(tests, npz_of_one_array_is_read);
    suite_add_tcase(suite, tests);
    return suite;
}
