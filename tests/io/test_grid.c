/* Fields as other programs write them (tests/io/golden/fields/make.py says which): their values are those of
 * the .npy file beside. */
#include <stdlib.h>

#include "base/matrix.h"
#include "files.h"
#include "io/field/grid.h"
#include "suites.h"

#define FIELDS GOLDEN "fields/"

/* libtiff, libhdf5 and libnetcdf are loaded at run time. tools/bootstrap installs them; a machine without it
 * refuses with a remedy. */
static bool is_missing(const error *err) { return strstr(err->text, "not installed: install it") != NULL; }

static bool load(const char *name, int channel, io_grid *out) {
    error err = {0};
    char path[100];
    snprintf(path, sizeof path, FIELDS "%s", name);
    glshape_status status = io_read_grid(&err, path, &(io_raw){.channel = channel}, out);
    if (status && is_missing(&err)) return false;
    ck_assert_msg(!status, "%s", err.text);
    return true;
}

static const struct {
    const char *file, *same;
    int channel; /* 1 + its number */
} written[] = {
    {"packed.npz", "volume.npy", 0},      {"one.nii", "volume.npy", 0},
    {"one.nii.gz", "volume.npy", 0},      {"two.nii", "volume.npy", 0},
    {"big.nii", "volume.npy", 0},         {"pair.hdr", "volume.npy", 0},
    {"scaled.nii", "scaled.npy", 0},      {"text.vtk", "volume.npy", 0},
    {"binary.vtk", "volume.npy", 0},      {"cells.vtk", "volume.npy", 0},
    {"local.mha", "volume.npy", 0},       {"packed.mha", "volume.npy", 0},
    {"apart.mhd", "volume.npy", 0},       {"stack.tif", "volume.npy", 0},
    {"zlib.tif", "volume.npy", 0},        {"big.tif", "volume.npy", 0},
    {"mixed.tif", "mixed.npy", 0},        {"colors.tif", "green.npy", 2},
    {"colors.ppm", "green.npy", 2},       {"gray.pgm", "gray.npy", 0},
    {"plain.pgm", "gray.npy", 0},         {"deep.pgm", "deep.npy", 0},
    {"text.vti", "volume.npy", 0},        {"inline.vti", "volume.npy", 0},
    {"inline_zlib.vti", "volume.npy", 0}, {"base64.vti", "volume.npy", 0},
    {"base64_zlib.vti", "volume.npy", 0}, {"raw.vti", "volume.npy", 0},
    {"raw_zlib.vti", "volume.npy", 0},    {"cells.vti", "volume.npy", 0},
    {"gray.txt", "gray.npy", 0},          {"gray.csv", "gray.npy", 0},
    {"gray.asc", "gray.npy", 0},          {"one.h5", "volume.npy", 0},
    {"block.h5", "volume.npy", 0},        {"matlab.mat", "volume.npy", 0},
    {"chunks.h5", "volume.npy", 0},       {"block_chunks.h5", "volume.npy", 0},
    {"new_chunks.h5", "volume.npy", 0},   {"columns.h5", "volume.npy", 0},
};

START_TEST(as_written) {
    io_grid got, want;
    size_t count = 1;
    if (!load(written[_i].file, written[_i].channel, &got)) return;
    load(written[_i].same, 0, &want);
    ck_assert_int_eq(got.dims, want.dims);
    for (int k = 0; k < got.dims; k++) {
        ck_assert_uint_eq(got.shape[k], want.shape[k]);
        count *= got.shape[k];
    }
    const glshape_matrix a = {got.type, count, 1, got.values}, b = {want.type, count, 1, want.values};
    for (size_t i = 0; i < count; i++) {
        double x, y;
        matrix_doubles(&a, i, 1, &x);
        matrix_doubles(&b, i, 1, &y);
        ck_assert_msg(x == y, "%s: value %zu is %g, not %g", written[_i].file, i, x, y);
    }
    io_grid_free(&got);
    io_grid_free(&want);
}
END_TEST

static bool same_values(const io_grid *a, const io_grid *b) {
    size_t bytes = matrix_value_size(a->type);
    bool same = a->type == b->type && a->dims == b->dims;
    for (int k = 0; k < a->dims && same; k++) {
        same = a->shape[k] == b->shape[k];
        bytes *= a->shape[k];
    }
    return same && !memcmp(a->values, b->values, bytes);
}

/* Something long may follow what libhdf5 knows of. The room for values is made ready meanwhile, and threads
 * read them. */
START_TEST(padded) {
    static const char *const files[] = {"one.h5", "chunks.h5", "columns.h5", "several.h5"};
    enum { MORE = 6 << 20 };
    error err = {0};
    char path[100];
    size_t bytes;
    io_grid want, got;
    const io_raw raw = {.dataset = _i == 3 ? "group/volume" : NULL};
    snprintf(path, sizeof path, FIELDS "%s", files[_i]);
    glshape_status status = io_read_grid(&err, path, &raw, &want);
    if (status && is_missing(&err)) return;
    char *whole = files_load(path, &bytes), *longer = calloc(bytes + MORE, 1);
    memcpy(longer, whole, bytes);
    IO_OK(&err, io_read_grid(&err, files_make("padded", longer, bytes + MORE), &raw, &got));
    ck_assert(same_values(&got, &want));
    io_grid_free(&got);
    io_grid_free(&want);
    free(longer);
    free(whole);
}
END_TEST

/* Arrays are chosen by name, and converted from what the file has. */
START_TEST(several) {
    static const char *const sets[] = {"group/volume", "half", "bytes"},
                             *const files[] = {"several.h5", "several.h5", "records.nc"},
                             *const same[] = {"volume.npy", "volume.npy", "records.npy"};
    io_grid got, want;
    error err = {0};
    for (int k = 0; k < 3; k++) {
        char path[100];
        snprintf(path, sizeof path, FIELDS "%s", files[k]);
        glshape_status status = io_read_grid(&err, path, &(io_raw){.dataset = sets[k]}, &got);
        if (status && is_missing(&err)) continue;
        ck_assert_msg(!status, "%s", err.text);
        load(same[k], 0, &want);
        size_t count = want.shape[0] * want.shape[1] * want.shape[2];
        const glshape_matrix a = {got.type, count, 1, got.values}, b = {want.type, count, 1, want.values};
        for (size_t i = 0; i < count; i++) {
            double x, y;
            matrix_doubles(&a, i, 1, &x);
            matrix_doubles(&b, i, 1, &y);
            ck_assert_double_eq(x, y);
        }
        io_grid_free(&got);
        io_grid_free(&want);
    }
}
END_TEST

static const struct {
    const char *file, *dataset, *has;
} not_read[] = {{"several.h5", NULL,
                 "4 data sets: choose one with --dataset, of 'empty', 'group/other', 'group/volume', 'half'"},
                {"several.h5", "volume", "no data set 'volume'; it has"},
                {"several.h5", "empty", "nothing is stored of 'empty'"},
                {"several.h5", "complex", "'complex' are not of a type that is read"},
                {"holes.nc", NULL, "2 data sets: choose one with --dataset, of 't', 'u'"},
                {"holes.nc", "t", "value 5 of 't' is -999 (_FillValue or missing_value)"},
                {"gone.nc", NULL, "value 5 of 't' is -999"},
                {"elsewhere.h5", "gone", "value 2 of 'gone' is 225"},
                {"elsewhere.h5", "one", "'one' is a single value"},
                {"elsewhere.h5", "outside", "are in other files"},
                {"elsewhere.h5", "link", "no data set 'link'"},
                {"gray.csv", "t", "is not HDF5 or NetCDF"}};

START_TEST(sets_refused) {
    char path[100];
    io_grid grid;
    error err = {0};
    snprintf(path, sizeof path, FIELDS "%s", not_read[_i].file);
    glshape_status status = io_read_grid(&err, path, &(io_raw){.dataset = not_read[_i].dataset}, &grid);
    ck_assert_int_ne(status, GLSHAPE_OK);
    ck_assert_msg(is_missing(&err) || strstr(err.text, not_read[_i].has), "%s", err.text);
}
END_TEST

/* A damaged file of a library's is refused, whatever it says. */
START_TEST(damaged) {
    static const char *const files[] = {"one.h5",    "four.nc",  "block.h5",
                                        "chunks.h5", "three.nc", "records.nc"};
    char path[100];
    size_t bytes;
    uint64_t seed = 7;
    snprintf(path, sizeof path, FIELDS "%s", files[_i]);
    char *whole = files_load(path, &bytes), *bad = malloc(bytes);
    for (int k = 0; k < (_i < 4 ? 100 : 20000); k++) {
        error err = {0};
        io_grid grid;
        memcpy(bad, whole, bytes);
        for (int j = 0; j < 1 + k % 8; j++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            bad[(seed >> 20) % bytes] = (char)(seed >> 56);
        }
        glshape_status status =
            io_read_grid(&err, files_make("bad", bad, k % 3 ? bytes : bytes - seed % bytes),
                         &(io_raw){.remedy = NULL}, &grid);
        IO_HOLDS(!status || *err.text, "%s: no words", files[_i]);
        io_grid_free(&grid);
    }
    free(bad);
    free(whole);
}
END_TEST

/* A file that ends early is refused, unless all values are there: but text, which does not say how long it
 * is. */
START_TEST(cut_short) {
    static const char *const files[] = {
        "packed.npz", "one.nii",         "one.nii.gz", "two.nii",      "inline.vti", "inline_zlib.vti",
        "base64.vti", "base64_zlib.vti", "raw.vti",    "raw_zlib.vti", "binary.vtk", "local.mha",
        "packed.mha", "stack.tif",       "zlib.tif",   "big.tif",      "colors.ppm"};
    char path[100];
    size_t bytes, refused = 0;
    io_grid want;
    if (!load(files[_i], 1, &want)) return;
    snprintf(path, sizeof path, FIELDS "%s", files[_i]);
    char *whole = files_load(path, &bytes);
    for (size_t cut = 1; cut < bytes; cut++) {
        error err = {0};
        io_grid grid;
        glshape_status status =
            io_read_grid(&err, files_make("cut", whole, cut), &(io_raw){.channel = 1}, &grid);
        IO_HOLDS(status ? *err.text != 0 : same_values(&grid, &want), "%s: %zu bytes of %zu are read",
                 files[_i], cut, bytes);
        refused += status != GLSHAPE_OK;
        io_grid_free(&grid);
    }
    ck_assert_uint_gt(refused, bytes / 2);
    free(whole);
    io_grid_free(&want);
}
END_TEST

static const struct {
    const char *file, *has;
    int channel;
} refused[] = {
    {"colors.ppm", "choose one with --channel 0 to 2", 0},
    {"lz4.vti", "SetCompressorTypeToZLib", 0},
    {"colors.tif", "choose one with --channel 0 to 2", 0},
    {"colors.tif", "channels 0 to 2, not 3", 4},
    {"gray.pgm", "has one channel; leave --channel out", 2},
    {"gray.npy", "has one channel; leave --channel out", 2},
    {"gray.csv", "has one channel; leave --channel out", 2},
    {"packed.npz", "has one channel; leave --channel out", 2},
    {"time.nii", "img.slicer[..., 0]", 0},
    {"tiles.tif", "tiffcp -s", 0},
    {"many.tif", "more values than the file can have", 0},
    {"imagej.tif", "ImageJ has written others behind it", 0},
    {"apart.raw", "of raw values say --shape z,y,x and --type", 0},
};

START_TEST(refusals) {
    error err = {0};
    io_grid grid;
    char path[100];
    snprintf(path, sizeof path, FIELDS "%s", refused[_i].file);
    glshape_status status = io_read_grid(&err, path, &(io_raw){.channel = refused[_i].channel}, &grid);
    ck_assert_msg(status != GLSHAPE_OK, "%s is read", refused[_i].file);
    if (is_missing(&err)) return;
    ck_assert_msg(strstr(err.text, refused[_i].has) != NULL, "no \"%s\" in: %s", refused[_i].has, err.text);
    ck_assert_ptr_null(grid.values);
}
END_TEST

#define ESRI "ncols 3\nNROWS 2\nxllcorner 0\nyllcorner 0\ncellsize 1\nNODATA_value -9999\n"
#define VTK                                                                               \
    "# vtk DataFile Version 3.0\nt\nASCII\nDATASET STRUCTURED_POINTS\nDIMENSIONS 3 2 1\n" \
    "POINT_DATA 6\n"
#define META \
    "NDims = 2\nDimSize = 3 2\nElementType = MET_UCHAR\nBinaryData = False\nElementDataFile = LOCAL\n"

/* Texts with the same six values; a line may end anywhere where a header has the sizes. */
START_TEST(texts) {
    static const char *const files[] = {
        ESRI "1 2 3\n4 5 6\n",
        ESRI "1 2 3 4 5 6",
        "NCols 3\r\nnrows 2\r\n1 2 \r\n3 4 \r\n5 6 \r\n",
        VTK "SCALARS a int\nLOOKUP_TABLE default\n1 2 3 4\n5 6\n",
        VTK "SCALARS a int 1\r\n lookup_table default\r\n1 2 3 4\r\n5 6\r\n",
        VTK "FIELD f 1\n\na 1 6 int\n1 2 3 4 5 6\nMETADATA\n",
        "Comment = mine\nObjectType = Image\n" META "1 2\n3 4\n5 6\n",
        "P2 3 2 9\n1 2 3 4\n5 6\n",
        "P2 3 2 9\n001\t+2\v3 4\n000000000000000000005 6\n", /* blanks of all kinds, more than 18 digits */
        VTK "SCALARS a int\nLOOKUP_TABLE default\n01 +2 3 4\n5 00000000000000000000006\n",
    };
    for (int piped = 0; piped < 2; piped++) {
        error err = {0};
        io_grid grid;
        const char *path = files_make("text", files[_i], strlen(files[_i]));
        if (piped) standard_input_from(path);
        IO_OK(&err, io_read_grid(&err, piped ? "-" : path, &(io_raw){0}, &grid));
        if (piped) standard_input_restore();
        ck_assert(grid.dims == 2 && grid.shape[0] == 2 && grid.shape[1] == 3);
        const glshape_matrix m = {grid.type, 6, 1, grid.values};
        for (size_t k = 0; k < 6; k++) {
            double value;
            matrix_doubles(&m, k, 1, &value);
            ck_assert_msg(value == (double)k + 1, "file %d: value %zu is %g", _i, k, value);
        }
        io_grid_free(&grid);
    }
}
END_TEST

static const struct {
    const char *text, *has;
} wrong[] = {
    {ESRI "1 2 3\n", "has 3 values, but its header says nrows 2 and ncols 3"},
    {ESRI "1 2 3\n4 -9999 6\n", "no data at (y 1, x 1)"},
    {"ncols 3\nnrows 1\nNODATA_value nan\nnan 2\n", "has 2 values"},
    {"ncols 1.5\nnrows 2\n1 2 3\n", "has 3 values"},
    {"2\n3\n-2\n1\n2\n3\n4\n5\n6\n", "as files of Perseus do"},
    {VTK "SCALARS a int 1\n9 8 7\n1 2 3\n4 5 6\n", "a line such as 'LOOKUP_TABLE default'"},
    {VTK "VECTORS a int\n", "has no scalars of points or cells"},
    {"P2 3 2 9\n1 2 3 256 5 6\n", "value 4, '256', is not in 0 to 255"},
    {"P2 3 2 9\n1 2 3 -4 5 6\n", "value 4, '-4', is not in 0 to 255"},
    {"P2 3 2 9\n1 2 3 99999999999999999999 5 6\n", "is not in 0 to 255"},
    {"P2 3 2 9\n1 2 3 4x 5 6\n", "value 4, '4x', is no whole number"},
    {VTK "SCALARS a short\nLOOKUP_TABLE default\n1 2 3 32768 5 6\n", "is not in -2^15 to 2^15 - 1"},
    {VTK "SCALARS a short\nLOOKUP_TABLE default\n1 2 3 -32769 5 6\n", "is not in -2^15 to 2^15 - 1"},
};

START_TEST(wrong_texts) {
    error err = {0};
    io_grid grid;
    const char *path = files_make("text", wrong[_i].text, strlen(wrong[_i].text));
    IO_FAILS(&err, GLSHAPE_BAD_INPUT, io_read_grid(&err, path, &(io_raw){0}, &grid), wrong[_i].has);
    ck_assert_ptr_null(grid.values);
}
END_TEST

/* A header's claim is not believed before the values come. */
START_TEST(claims_of_a_pipe) {
    error err = {0};
    io_grid grid;
    static const char text[] =
        "# vtk DataFile Version 3.0\nt\nASCII\nDATASET STRUCTURED_POINTS\n"
        "DIMENSIONS 60000 60000 1\nPOINT_DATA 3600000000\nSCALARS a double\n"
        "LOOKUP_TABLE default\n1\n";
    standard_input_from(files_make("p", text, sizeof text - 1));
    IO_FAILS(&err, GLSHAPE_BAD_INPUT, io_read_grid(&err, "-", &(io_raw){0}, &grid), "but it has");
    standard_input_restore();
}
END_TEST

/* NIfTI's factor, if it is no number, is none; its summand has to be one. */
START_TEST(scales) {
    const unsigned char infinity[] = {0, 0, 0x80, 0x7f};
    error err = {0};
    io_grid grid, want;
    size_t bytes;
    char *file = files_load(FIELDS "scaled.nii", &bytes);
    memcpy(file + 112, infinity, 4);
    IO_OK(&err, io_read_grid(&err, files_make("a.nii", file, bytes), &(io_raw){0}, &grid));
    memset(file + 112, 0, 4);
    IO_OK(&err, io_read_grid(&err, files_make("b.nii", file, bytes), &(io_raw){0}, &want));
    ck_assert(same_values(&grid, &want));
    io_grid_free(&grid);
    io_grid_free(&want);
    file[115] = 0x40;
    memcpy(file + 116, infinity, 4);
    IO_FAILS(&err, GLSHAPE_BAD_INPUT,
             io_read_grid(&err, files_make("c.nii", file, bytes), &(io_raw){0}, &grid), "adds inf");
    free(file);
}
END_TEST

/* Raw values after a header of somebody's own. */
START_TEST(skipped_bytes) {
    error err = {0};
    io_grid grid;
    const char *path = files_make("raw", "HEADER\1\2\3\4\5\6", 12);
    io_raw raw = {.shape = "2,3", .type = "u1", .skip = 6};
    IO_OK(&err, io_read_grid(&err, path, &raw, &grid));
    for (int k = 0; k < 6; k++) ck_assert_int_eq(((unsigned char *)grid.values)[k], k + 1);
    io_grid_free(&grid);
    uint64_t at;
    bool there;
    IO_OK(&err, io_grid_find(&err, path, &raw, &grid, &at, &there));
    ck_assert(there && at == 6);
    raw.skip = 7;
    IO_FAILS(&err, GLSHAPE_BAD_INPUT, io_read_grid(&err, path, &raw, &grid), "13 bytes are expected");
    raw.skip = UINT64_MAX;
    IO_FAILS(&err, GLSHAPE_BAD_INPUT, io_read_grid(&err, path, &raw, &grid), "it is cut short");
}
END_TEST

#define COUNT(a) (int)(sizeof(a) / sizeof *(a))

Suite *io_grid_suite(void) {
    Suite *s = suite_create("io/grid");
    TCase *t = files_case("grid");
    tcase_add_loop_test(t, as_written, 0, COUNT(written));
    tcase_add_loop_test(t, cut_short, 0, 17);
    tcase_add_loop_test(t, refusals, 0, COUNT(refused));
    tcase_add_test(t, several);
    tcase_add_loop_test(t, padded, 0, 4);
    tcase_add_loop_test(t, sets_refused, 0, COUNT(not_read));
    tcase_add_loop_test(t, damaged, 0, 6);
    tcase_add_loop_test(t, texts, 0, 10);
    tcase_add_loop_test(t, wrong_texts, 0, COUNT(wrong));
    tcase_add_test(t, claims_of_a_pipe);
    tcase_add_test(t, scales);
    tcase_add_test(t, skipped_bytes);
    suite_add_tcase(s, t);
    return s;
}
