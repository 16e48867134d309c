#include "io/grid.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/matrix.h"
#include "base/memory.h"
#include "base/owned.h"
#include "io/dipha.h"
#include "io/nrrd.h"
#include "io/png.h"
#include "io/raw.h"
#include "io/read.h"

/* ---- raw bytes --------------------------------------------------------------------------------- */

static glshape_status parse_shape(error *err, const io_raw *raw, io_npy *npy) {
    const char *text = raw->shape, *at = text;
    for (npy->dimensions = 0; npy->dimensions < 3; npy->dimensions++) {
        char *end = NULL;
        unsigned long long size = *at >= '0' && *at <= '9' ? strtoull(at, &end, 10) : 0;
        if (!end || !size || size > SIZE_MAX / 2) break;
        npy->extent[npy->dimensions] = (size_t)size;
        if (!*end) {
            npy->dimensions++;
            snprintf(npy->shape, sizeof npy->shape, "(%s)", text);
            return GLSHAPE_OK;
        }
        at = end + 1;
        if (*end != ',') break;
    }
    return fail(err, GLSHAPE_BAD_ARGUMENT,
                "--shape takes the extents z,y,x, y,x or x, each at least 1, not '%s'", text);
}

static glshape_status parse_type(error *err, const io_raw *raw, io_npy *npy) {
#define CODE(name, ctype, code) code,
    static const char *const codes[] = {GLSHAPE_TYPES(CODE)};
#undef CODE
    for (size_t i = 0; raw->type && i < sizeof codes / sizeof *codes; i++)
        if (!strcmp(raw->type, codes[i])) {
            npy->kind = codes[i][0];
            npy->item = (size_t)(codes[i][1] - '0');
            npy->swapped = raw->big == io_is_little_endian();
            snprintf(npy->descr, sizeof npy->descr, "%s", codes[i]);
            return GLSHAPE_OK;
        }
    return fail(err, GLSHAPE_BAD_ARGUMENT,
                "raw values need --type: one of u1, u2, u4, u8, i1, i2, i4, i8, f4, f8%s%s",
                raw->type ? ", not " : "", raw->type ? raw->type : "");
}

glshape_status io_raw_check(error *err, const io_raw *raw) {
    io_npy npy = {.extent = {1, 1, 1}};
    TRY(parse_shape(err, raw, &npy));
    return parse_type(err, raw, &npy);
}

/* ---- one of five ------------------------------------------------------------------------------- */

/* Rearranges an array of 3 dimensions that is stored with the first fastest into C order. */
static glshape_status to_c_order(error *err, const io_npy *npy, glshape_matrix *m) {
    size_t a = npy->extent[0], b = npy->extent[1], c = npy->extent[2], size = matrix_value_size(m->type);
    char *to, *from = m->data;
    TRY(allocate(err, &to, a * b * c, size, "the field in C order"));
    m->data = to;
    for (size_t i = 0; i < a; i++)
        for (size_t j = 0; j < b; j++)
            for (size_t k = 0; k < c; k++, to += size) memcpy(to, from + ((k * b + j) * a + i) * size, size);
    free(from);
    return GLSHAPE_OK;
}

static glshape_status check_shape(error *err, const char *name, const io_raw *raw, size_t most, io_npy *npy) {
    size_t product = npy->extent[0];
    if (npy->dimensions < 1 || npy->dimensions > 3)
        return fail(err, GLSHAPE_BAD_INPUT, "%s has shape %s, %d dimensions; a field has 1, 2 or 3%s", name,
                    npy->shape, npy->dimensions, npy->dimensions > 3 ? ": take slices of it" : "");
    for (int i = 0; i < npy->dimensions; i++)
        if (!npy->extent[i])
            return fail(err, GLSHAPE_BAD_INPUT, "%s is empty: its shape is %s", name, npy->shape);
    for (int i = 1; i < npy->dimensions; i++) product = times(product, npy->extent[i]);
    if (product > most)
        return fail(err, GLSHAPE_BAD_INPUT,
                    "%s has shape %s, more than the %zu vertices that can be numbered; %s", name, npy->shape,
                    most, raw->remedy ? raw->remedy : "coarsen it, or cut it into parts");
    npy->rows = npy->extent[0];
    npy->cols = product / npy->rows;
    return GLSHAPE_OK;
}

static glshape_status read_npy(error *err, io_stream *s, const io_raw *raw, io_npy *npy, glshape_matrix *m) {
    TRY(io_npy_read_shape(err, s, npy));
    TRY(check_shape(err, s->name, raw, MATRIX_MOST_VERTICES, npy));
    bool rearrange = npy->fortran && npy->dimensions == 3; /* of 2, io_npy_read_numbers does it */
    npy->fortran = npy->fortran && !rearrange;
    TRY(io_npy_read_numbers(err, s, npy, m));
    return rearrange ? to_c_order(err, npy, m) : GLSHAPE_OK;
}

static glshape_status read_raw(error *err, io_stream *s, const io_raw *raw, io_npy *npy, glshape_matrix *m) {
    TRY(parse_shape(err, raw, npy));
    TRY(parse_type(err, raw, npy));
    TRY(check_shape(err, s->name, raw, MATRIX_MOST_VERTICES, npy));
    return io_npy_read_numbers(err, s, npy, m);
}

static glshape_status read_dipha(error *err, io_stream *s, const io_raw *raw, io_npy *npy,
                                 glshape_matrix *m) {
    TRY(io_dipha_read_header(err, s, npy));
    TRY(check_shape(err, s->name, raw, MATRIX_MOST_VERTICES, npy));
    return io_npy_read_numbers(err, s, npy, m);
}

static glshape_status read_nrrd(error *err, io_stream *s, const char *path, const io_raw *raw, io_npy *npy,
                                glshape_matrix *m) {
    io_nrrd nrrd;
    TRY(io_nrrd_read_header(err, s, &nrrd));
    TRY(check_shape(err, s->name, raw, MATRIX_MOST_VERTICES, &nrrd.npy));
    TRY(io_nrrd_read_numbers(err, s, path, &nrrd, m));
    *npy = nrrd.npy;
    return GLSHAPE_OK;
}

glshape_status io_read_grid(error *err, const char *path, const io_raw *raw, io_grid *out) {
    OWNED_BY(io_stream_close) io_stream s = {.fd = -1};
    OWNED_BY(io_matrix_free) glshape_matrix m = {.data = NULL};
    io_npy npy = {.extent = {1, 1, 1}};
    *out = (io_grid){.values = NULL};
    TRY(io_stream_open(err, path, &s));
    if (raw->shape) TRY(read_raw(err, &s, raw, &npy, &m));
    else if (io_stream_starts(&s, IO_NPY_MAGIC, IO_NPY_MAGIC_BYTES)) TRY(read_npy(err, &s, raw, &npy, &m));
    else if (io_stream_starts(&s, IO_NRRD_MAGIC, IO_NRRD_MAGIC_BYTES))
        TRY(read_nrrd(err, &s, path, raw, &npy, &m));
    else if (io_stream_starts(&s, IO_PNG_MAGIC, IO_PNG_MAGIC_BYTES)) TRY(io_png_read(err, &s, &npy, &m));
    else if (io_stream_starts(&s, IO_DIPHA_MAGIC, IO_DIPHA_MAGIC_BYTES))
        TRY(read_dipha(err, &s, raw, &npy, &m));
    else
        return fail(
            err, GLSHAPE_BAD_ARGUMENT,
            "%s is neither .npy, NRRD, PNG nor a DIPHA image; of raw values say --shape z,y,x and --type",
            s.name);
    *out = (io_grid){.type = m.type, .dims = npy.dimensions, .values = MOVE(m.data)};
    memcpy(out->shape, npy.extent, sizeof out->shape);
    return GLSHAPE_OK;
}

/* ---- a part of a file -------------------------------------------------------------------------- */

/* The element type of numbers that are stored as they are in memory. */
static bool type_of(const io_npy *npy, glshape_type *out) {
#define CODE(name, ctype, code) code,
    static const char *const codes[] = {GLSHAPE_TYPES(CODE)};
#undef CODE
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        if (npy->kind == codes[i][0] && npy->item == (size_t)(codes[i][1] - '0'))
            return *out = (glshape_type)i, true;
    return false;
}

glshape_status io_grid_find(error *err, const char *path, const io_raw *raw, io_grid *out, uint64_t *at,
                            bool *there) {
    OWNED_BY(io_stream_close) io_stream s = {.fd = -1};
    io_npy npy = {.extent = {1, 1, 1}};
    *out = (io_grid){.values = NULL};
    *there = false;
    TRY(io_stream_open(err, path, &s));
    if (s.size == IO_SIZE_UNKNOWN || s.gzip) return GLSHAPE_OK;
    if (raw->shape) {
        TRY(parse_shape(err, raw, &npy));
        TRY(parse_type(err, raw, &npy));
    } else {
        if (!io_stream_starts(&s, IO_NPY_MAGIC, IO_NPY_MAGIC_BYTES)) return GLSHAPE_OK;
        TRY(io_npy_read_shape(err, &s, &npy));
    }
    TRY(check_shape(err, s.name, raw, SIZE_MAX - 1, &npy));
    if (npy.swapped || npy.fortran || !type_of(&npy, &out->type)) return GLSHAPE_OK;
    *at = npy.header;
    *there = s.size >= npy.header && s.size - npy.header == times(times(npy.rows, npy.cols), npy.item);
    out->dims = npy.dimensions;
    memcpy(out->shape, npy.extent, sizeof out->shape);
    return GLSHAPE_OK;
}

glshape_status io_grid_read_planes(error *err, const char *path, uint64_t at, size_t first, size_t count,
                                   io_grid *out) {
    size_t plane = matrix_value_size(out->type);
    for (int i = 1; i < out->dims; i++) plane *= out->shape[i];
    size_t bytes = count * plane, got;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return fail(err, GLSHAPE_IO_ERROR, "cannot open %s: %s", path, strerror(errno));
    glshape_status status =
        io_raw_read_at(err, path, fd, at + first * plane, (char *)out->values + first * plane, bytes, &got);
    close(fd);
    if (!status && got < bytes)
        return fail(err, GLSHAPE_IO_ERROR, "cannot read %s: it has become shorter while it was read", path);
    return status;
}

glshape_status io_grid_reserve(error *err, io_grid *out) {
    size_t bytes = matrix_value_size(out->type);
    for (int i = 0; i < out->dims; i++) bytes = times(bytes, out->shape[i]);
    TRY(memory_map(err, &out->values, bytes, "the field"));
    out->reserved = bytes;
    return GLSHAPE_OK;
}

void io_grid_free(io_grid *f) {
    if (f->reserved) memory_unmap(f->values, f->reserved);
    else free(f->values);
    *f = (io_grid){.values = NULL};
}
