/* Opens a matrix of distances: tells the format, and leaves square files where they are. */
#include "io/distances/distances.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/owned.h"
#include "io/distances/distances_load.h"
#include "io/npy.h"
#include "io/read.h"
#include "io/room.h"

enum { DIPHA_HEADER = 24, DIPHA_TYPE = 7, SHAPE_ROOM = IO_NPY_SHAPE + 64 };
#define DIPHA_MAGIC UINT64_C(8067171840)
#define DIPHA_MAGIC_TEXT "\0\x46\xD7\xE0\x01\0\0\0"

/* ---- names ------------------------------------------------------------------------------------------ */

static const char *const names[] = {
#define NAME(format, name) [format] = name,
    IO_DISTANCE_FORMATS(NAME)
#undef NAME
};

glshape_status io_distance_format_from_name(error *err, const char *name, io_distance_format *out) {
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(name, names[i])) {
            *out = (io_distance_format)i;
            return GLSHAPE_OK;
        }
    return fail(err, GLSHAPE_BAD_ARGUMENT,
                "'%.40s' is not a format of distances; known are auto, npy, distance, lower-distance, "
                "upper-distance, dipha and binary",
                name);
}

static bool ends_in(const char *path, size_t length, const char *extension) {
    size_t tail = strlen(extension);
    return length >= tail && !strncmp(path + length - tail, extension, tail);
}

/* Whether path has the extension that raw triangles have, gzipped or not. */
static bool is_named_binary(const char *path) {
    size_t length = strlen(path);
    if (ends_in(path, length, ".gz")) length -= 3;
    return ends_in(path, length, ".bin");
}

/* ---- square files ----------------------------------------------------------------------------------- */

/* Leaves the rows × n items that follow where they are. */
static glshape_status keep_in_file(error *err, const io_stream *s, const char *shape, io_distances *d) {
    uint64_t expected = distances_bytes(s->taken, (uint64_t)d->rows * d->n, d->item->bytes);
    if (s->size != expected) return distances_wrong_size(err, s->name, shape, expected, s->size, false);
    d->header = s->taken;
    d->layout = DISTANCES_FILE;
    d->fd = fcntl(s->fd, F_DUPFD_CLOEXEC, 3);
    if (d->fd >= 0) return GLSHAPE_OK;
    return fail(err, GLSHAPE_IO_ERROR, "cannot open %s: %s", s->name, strerror(errno));
}

/* Takes the rows × n items of d->item that follow in s. */
static glshape_status open_rows(error *err, io_stream *s, uint64_t rows, uint64_t n, const char *shape,
                                io_distances *d) {
    uint64_t count, most = rows > n ? rows : n;
    if (!rows || !n || most >= (uint64_t)1 << 31)
        return fail(err, GLSHAPE_BAD_INPUT, "%s has %llu points; from 1 to 2147483647 can be used", s->name,
                    (unsigned long long)most);
    d->rows = (uint32_t)rows;
    d->n = (uint32_t)n;
    if (s->size != IO_SIZE_UNKNOWN) return keep_in_file(err, s, shape, d);
    TRY(distances_load(err, s, rows * n, shape, d, &count));
    d->layout = DISTANCES_SQUARE;
    return GLSHAPE_OK;
}

static glshape_status open_square(error *err, io_stream *s, uint64_t n, const char *shape, io_distances *d) {
    return open_rows(err, s, n, n, shape, d);
}

/* ---- .npy ------------------------------------------------------------------------------------------- */

static bool is_vector(const io_npy *npy) {
    int sizes = 0;
    bool digit = false;
    for (const char *p = npy->shape; *p; p++) {
        bool now = *p >= '0' && *p <= '9';
        sizes += now && !digit;
        digit = now;
    }
    return sizes == 1;
}

static glshape_status find_item(error *err, const io_stream *s, const io_npy *npy, io_distances *d) {
    char code[IO_NPY_DESCR];
    snprintf(code, sizeof code, "%c%zu", npy->kind, npy->item);
    d->item = distances_item_of(code);
    d->swapped = npy->swapped && npy->item > 1;
    d->fortran = npy->fortran;
    if (d->item) return GLSHAPE_OK;
    return fail(err, GLSHAPE_BAD_INPUT,
                "%s holds values of type '%s', not distances; save them with numpy.save(..., "
                "arr.astype('f4'))",
                s->name, npy->descr);
}

static glshape_status open_condensed(error *err, io_stream *s, const io_npy *npy, const char *shape,
                                     io_distances *d) {
    uint64_t count = times(npy->rows, npy->cols);
    d->n = distances_points(count);
    if (!d->n)
        return fail(err, GLSHAPE_BAD_INPUT,
                    "%s has shape %s, which is no condensed distance matrix: that has n(n-1)/2 values, "
                    "below 2^31 points",
                    s->name, npy->shape);
    uint64_t expected = distances_bytes(npy->header, count, npy->item);
    if (s->size != IO_SIZE_UNKNOWN && s->size != expected)
        return distances_wrong_size(err, s->name, shape, expected, s->size, false);
    d->layout = DISTANCES_UPPER;
    return distances_load(err, s, count, shape, d, &count);
}

static glshape_status open_npy(error *err, io_stream *s, io_distances *d) {
    io_npy npy;
    char shape[SHAPE_ROOM];
    TRY(io_npy_read_header(err, s, &npy));
    TRY(find_item(err, s, &npy, d));
    snprintf(shape, sizeof shape, "shape %s of '%s'", npy.shape, npy.descr);
    if (is_vector(&npy) || (npy.rows != npy.cols && (npy.rows == 1 || npy.cols == 1)))
        return open_condensed(err, s, &npy, shape, d);
    if (npy.rows == npy.cols) return open_square(err, s, npy.rows, shape, d);
    return fail(err, GLSHAPE_BAD_INPUT, "%s has shape %s; a distance matrix is square", s->name, npy.shape);
}

/* ---- DIPHA and raw ---------------------------------------------------------------------------------- */

static uint64_t little_endian(const unsigned char *bytes) {
    uint64_t value = 0;
    for (int i = 8; i-- > 0;) value = value << 8 | bytes[i];
    return value;
}

static glshape_status open_dipha(error *err, io_stream *s, io_distances *d) {
    unsigned char header[DIPHA_HEADER];
    size_t got;
    TRY(io_stream_read(err, s, header, sizeof header, &got));
    if (got < 8 || little_endian(header) != DIPHA_MAGIC)
        return fail(err, GLSHAPE_BAD_INPUT, "%s is not a DIPHA file: it does not start with 8067171840",
                    s->name);
    if (got < sizeof header)
        return distances_wrong_size(err, s->name, "a DIPHA header", sizeof header, got, false);
    uint64_t type = little_endian(header + 8);
    if (type != DIPHA_TYPE)
        return fail(err, GLSHAPE_BAD_INPUT,
                    "%s is a DIPHA file of type %lld; only type 7, a distance matrix, is read", s->name,
                    (long long)type);
    d->item = distances_item_of("f8");
    d->swapped = !io_is_little_endian();
    char shape[SHAPE_ROOM];
    uint64_t n = little_endian(header + 16);
    snprintf(shape, sizeof shape, "a DIPHA distance matrix of %llu points", (unsigned long long)n);
    return open_square(err, s, n, shape, d);
}

static glshape_status open_binary(error *err, io_stream *s, io_distances *d) {
    uint64_t count;
    d->item = distances_item_of("f4");
    d->swapped = !io_is_little_endian();
    d->layout = DISTANCES_LOWER;
    TRY(distances_load(err, s, UINT64_MAX, "a triangle of float32", d, &count));
    d->n = distances_points(count);
    if (d->n) return GLSHAPE_OK;
    return fail(err, GLSHAPE_BAD_INPUT,
                "%s has %llu bytes, %llu float32 values; a triangle has n(n-1)/2, for n points (below 2^31)",
                s->name, (unsigned long long)s->taken, (unsigned long long)count);
}

/* ---- opening ---------------------------------------------------------------------------------------- */

distances_identity distances_identify(int fd) {
    struct stat info;
    if (fstat(fd, &info) || !S_ISREG(info.st_mode)) return (distances_identity){.known = false};
    return (distances_identity){true,
                                (uint64_t)info.st_size,
                                (uint64_t)info.st_dev,
                                (uint64_t)info.st_ino,
                                (int64_t)info.st_mtim.tv_sec,
                                info.st_mtim.tv_nsec};
}

static io_distance_format detect(const io_stream *s, const char *path) {
    if (io_stream_starts(s, IO_NPY_MAGIC, IO_NPY_MAGIC_BYTES)) return IO_DISTANCES_NPY;
    if (io_stream_starts(s, DIPHA_MAGIC_TEXT, 8)) return IO_DISTANCES_DIPHA;
    return is_named_binary(path) ? IO_DISTANCES_BINARY : IO_DISTANCES_AUTO;
}

static void close_owned(io_distances **d) { io_distances_close(*d); }

/* Opens the file; nothing is read yet. empty: whether it may be. */
static glshape_status open_stream(error *err, const char *path, bool precise, bool empty, io_stream *s,
                                  io_distances **out) {
    OWNED_BY(close_owned) io_distances *d = NULL;
    TRY(allocate(err, &d, 1, sizeof *d, path));
    d->fd = -1;
    d->precise = precise;
    TRY(io_stream_open_any(err, path, s));
    if (!s->have && !empty) return fail(err, GLSHAPE_BAD_INPUT, "%s is empty", s->name);
    TRY(allocate(err, &d->name, strlen(s->name) + 1, 1, s->name));
    TRY(allocate(err, &d->lost, 1, sizeof *d->lost, s->name));
    TRY(allocate(err, &d->rounded, 1, sizeof *d->rounded, s->name));
    strcpy(d->name, s->name);
    if (strcmp(path, "-")) d->identity = distances_identify(s->fd);
    *out = MOVE(d);
    return GLSHAPE_OK;
}

static glshape_status open_matrix(error *err, const char *path, io_distance_format format, bool precise,
                                  io_distances **out) {
    OWNED_BY(io_stream_close) io_stream s = {.fd = -1};
    OWNED_BY(close_owned) io_distances *d = NULL;
    *out = NULL;
    bool triangle = format == IO_DISTANCES_LOWER || format == IO_DISTANCES_UPPER;
    TRY(open_stream(err, path, precise, triangle, &s, &d));
    if (format == IO_DISTANCES_AUTO) format = detect(&s, path);
    switch (format) {
        case IO_DISTANCES_NPY:
            TRY(open_npy(err, &s, d));
            break;
        case IO_DISTANCES_DIPHA:
            TRY(open_dipha(err, &s, d));
            break;
        case IO_DISTANCES_BINARY:
            TRY(open_binary(err, &s, d));
            break;
        default:
            TRY(distances_read_text(err, &s, format, d));
    }
    d->rows = d->n;
    TRY(distances_complete(err, d));
    *out = MOVE(d);
    return GLSHAPE_OK;
}

glshape_status io_distances_open(error *err, const char *path, io_distance_format format,
                                 io_distances **out) {
    return open_matrix(err, path, format, false, out);
}

glshape_status io_distances_open_precise(error *err, const char *path, io_distance_format format,
                                         io_distances **out) {
    return open_matrix(err, path, format, true, out);
}

bool io_distances_are_double(const io_distances *d) {
    return d->layout == DISTANCES_FILE ? d->precise && !distances_is_single(d->item) : d->values.wide;
}

/* ---- rectangles ------------------------------------------------------------------------------------- */

static glshape_status open_npy_rectangle(error *err, io_stream *s, io_distances *d) {
    io_npy npy;
    char shape[SHAPE_ROOM];
    TRY(io_npy_read_header(err, s, &npy));
    TRY(find_item(err, s, &npy, d));
    snprintf(shape, sizeof shape, "shape %s of '%s'", npy.shape, npy.descr);
    if (npy.dimensions != 2)
        return fail(err, GLSHAPE_BAD_INPUT,
                    "%s has shape %s; distances of others to points have two dimensions", s->name, npy.shape);
    if (npy.fortran && npy.rows > 1 && npy.cols > 1)
        return fail(err, GLSHAPE_BAD_INPUT,
                    "%s is in column order; save it with numpy.save(..., numpy.ascontiguousarray(arr))",
                    s->name);
    return open_rows(err, s, npy.rows, npy.cols, shape, d);
}

static glshape_status read_text_rectangle(error *err, const char *path, io_distances *d) {
    OWNED_BY(io_matrix_free) glshape_matrix m = {0};
    TRY(io_read_matrix(err, path, IO_TEXT, &m));
    if (m.rows >= (size_t)1 << 31 || m.cols >= (size_t)1 << 31)
        return fail(err, GLSHAPE_BAD_INPUT, "%s has %zu rows and %zu columns, more than can be used", d->name,
                    m.rows, m.cols);
    d->values.wide = d->precise;
    TRY(allocate(err, &d->values.at, times(m.rows, m.cols), distances_size(d->values), d->name));
    for (size_t k = 0; k < m.rows * m.cols; k++) distances_set(d->values, k, ((const double *)m.data)[k]);
    d->rows = (uint32_t)m.rows;
    d->n = (uint32_t)m.cols;
    d->layout = DISTANCES_SQUARE;
    return GLSHAPE_OK;
}

glshape_status io_distances_open_rectangle(error *err, const char *path, io_distances **out) {
    OWNED_BY(io_stream_close) io_stream s = {.fd = -1};
    OWNED_BY(close_owned) io_distances *d = NULL;
    *out = NULL;
    TRY(open_stream(err, path, true, false, &s, &d));
    if (io_stream_starts(&s, IO_NPY_MAGIC, IO_NPY_MAGIC_BYTES)) TRY(open_npy_rectangle(err, &s, d));
    else if (strcmp(path, "-")) TRY(read_text_rectangle(err, path, d));
    else return fail(err, GLSHAPE_BAD_INPUT, "standard input is no .npy; give text by the name of its file");
    d->rectangle = true;
    *out = MOVE(d);
    return GLSHAPE_OK;
}

uint32_t io_distances_height(const io_distances *d) { return d->rows; }

void io_distances_close(io_distances *d) {
    if (!d) return;
    if (d->fd >= 0) close(d->fd);
    free(d->values.at);
    free(d->lost);
    free(d->rounded);
    free(d->name);
    io_label_list_free(&d->names);
    free(d);
}

uint32_t io_distances_count(const io_distances *d) { return d->n; }
const char *io_distances_name(const io_distances *d) { return d->name; }
io_label_list *io_distances_names(io_distances *d) { return &d->names; }
bool io_distances_is_file(const io_distances *d) { return d->identity.known; }

/* ---- as a reader ------------------------------------------------------------------------------- */

static bool told(glshape_status status, const error *err, char *message, size_t size) {
    if (status) snprintf(message, size, "%s", err->text);
    return !status;
}

bool io_distances_reader(void *user, uint32_t first, uint32_t count, float *out, char *message, size_t size) {
    error err = {0};
    return told(io_distances_rows(&err, user, first, count, out), &err, message, size);
}

bool io_distances_double_reader(void *user, uint32_t first, uint32_t count, double *out, char *message,
                                size_t size) {
    error err = {0};
    return told(io_distances_double_rows(&err, user, first, count, out), &err, message, size);
}

bool io_distances_watch_double_reader(void *user, uint32_t first, uint32_t count, double *out, char *message,
                                      size_t size) {
    error err = {0};
    return told(io_distances_watch_double_rows(&err, user, first, count, out), &err, message, size);
}

bool io_distances_watch_reader(void *user, uint32_t first, uint32_t count, float *out, char *message,
                               size_t size) {
    error err = {0};
    return told(io_distances_watch_rows(&err, user, first, count, out), &err, message, size);
}
