#include "io/field/grid.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/matrix.h"
#include "base/memory.h"
#include "base/owned.h"
#include "io/field/dipha.h"
#include "io/field/hdf5.h"
#include "io/field/metaimage.h"
#include "io/field/netcdf.h"
#include "io/field/nifti.h"
#include "io/field/nrrd.h"
#include "io/field/png.h"
#include "io/field/pnm.h"
#include "io/field/tiff.h"
#include "io/field/vti.h"
#include "io/field/vtk.h"
#include "io/npz.h"
#include "io/raw.h"
#include "io/read.h"
#include "io/text.h"

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

/* Whether this is a type's code, as u1, or its name, as uint8. */
static bool is_type(const char *text, const char *code) {
    char name[16];
    const char *kind = code[0] == 'u' ? "uint" : code[0] == 'i' ? "int" : "float";
    snprintf(name, sizeof name, "%s%d", kind, 8 * (code[1] - '0'));
    return !strcmp(text, code) || !strcmp(text, name);
}

static glshape_status parse_type(error *err, const io_raw *raw, io_npy *npy) {
#define CODE(name, ctype, code) code,
    static const char *const codes[] = {GLSHAPE_TYPES(CODE)};
#undef CODE
    for (size_t i = 0; raw->type && i < sizeof codes / sizeof *codes; i++)
        if (is_type(raw->type, codes[i])) {
            npy->kind = codes[i][0];
            npy->item = (size_t)(codes[i][1] - '0');
            npy->swapped = raw->big == io_is_little_endian();
            snprintf(npy->descr, sizeof npy->descr, "%s", codes[i]);
            return GLSHAPE_OK;
        }
    return fail(err, GLSHAPE_BAD_ARGUMENT,
                "raw values need --type: one of u1, u2, u4, u8, i1, i2, i4, i8, f4, f8, or a name, "
                "such as uint8%s%s",
                raw->type ? "; not " : "", raw->type ? raw->type : "");
}

glshape_status io_raw_check(error *err, const io_raw *raw) {
    io_npy npy = {.extent = {1, 1, 1}};
    TRY(parse_shape(err, raw, &npy));
    return parse_type(err, raw, &npy);
}

/* ---- arrays and images ------------------------------------------------------------------------- */

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
    TRY(io_values_choose(err, s->name, 1, raw->channel - 1, m));
    TRY(io_npy_read_numbers(err, s, npy, m));
    return rearrange ? to_c_order(err, npy, m) : GLSHAPE_OK;
}

/* Passes over bytes at the start. */
static glshape_status skip(error *err, io_stream *s, uint64_t bytes) {
    char waste[4096];
    for (size_t got = 1; bytes && got; bytes -= got)
        TRY(io_stream_read(err, s, waste, bytes < sizeof waste ? (size_t)bytes : sizeof waste, &got));
    return GLSHAPE_OK;
}

static glshape_status read_raw(error *err, io_stream *s, const io_raw *raw, io_npy *npy, glshape_matrix *m) {
    TRY(parse_shape(err, raw, npy));
    TRY(parse_type(err, raw, npy));
    TRY(check_shape(err, s->name, raw, MATRIX_MOST_VERTICES, npy));
    TRY(skip(err, s, raw->skip));
    npy->header = s->taken;
    size_t bytes = times(times(npy->rows, npy->cols), npy->item);
    if (s->size != IO_SIZE_UNKNOWN && s->size > raw->skip && s->size - raw->skip > bytes)
        return fail(err, GLSHAPE_BAD_INPUT,
                    "%s has %llu bytes, and shape %s of %s is %zu; say the whole --shape, or pass over a "
                    "header with --skip %llu",
                    s->name, (unsigned long long)s->size, npy->shape, npy->descr, bytes,
                    (unsigned long long)(s->size - bytes));
    return io_npy_read_numbers(err, s, npy, m);
}

static glshape_status read_npz(error *err, io_stream *s, const io_raw *raw, io_npy *npy, glshape_matrix *m) {
    OWNED_BY(io_stream_close) io_stream array = {.fd = -1};
    TRY(io_npz_find_only(err, s, &array));
    return read_npy(err, &array, raw, npy, m);
}

static glshape_status read_dipha(error *err, io_stream *s, const io_raw *raw, io_npy *npy,
                                 glshape_matrix *m) {
    TRY(io_dipha_read_header(err, s, npy));
    TRY(io_values_choose(err, s->name, 1, raw->channel - 1, m));
    TRY(check_shape(err, s->name, raw, MATRIX_MOST_VERTICES, npy));
    return io_npy_read_numbers(err, s, npy, m);
}

static glshape_status read_png(error *err, io_stream *s, const io_raw *raw, io_npy *npy, glshape_matrix *m) {
    size_t channels;
    TRY(io_png_read(err, s, npy, &channels, m));
    return io_values_choose(err, s->name, channels, raw->channel - 1, m);
}

static glshape_status read_tiff(error *err, io_stream *s, const io_raw *raw, io_npy *npy, glshape_matrix *m) {
    size_t channels;
    TRY(io_tiff_read(err, s, npy, &channels, m));
    TRY(check_shape(err, s->name, raw, MATRIX_MOST_VERTICES, npy));
    return io_values_choose(err, s->name, channels, raw->channel - 1, m);
}

bool io_grid_is_named(const io_stream *s) { return io_hdf5_starts(s) || io_netcdf_starts(s); }

static glshape_status read_dataset(error *err, io_stream *s, const char *path, const char *dataset,
                                   io_npy *npy, glshape_matrix *m) {
    return io_hdf5_starts(s) ? io_hdf5_read(err, s, path, dataset, npy, m)
                             : io_netcdf_read(err, s, dataset, npy, m);
}

glshape_status io_grid_read_table(error *err, io_stream *s, const char *path, const char *dataset,
                                  glshape_matrix *out) {
    OWNED_BY(io_matrix_free) glshape_matrix m = {.data = NULL};
    io_npy npy = {.extent = {1, 1, 1}};
    *out = (glshape_matrix){.data = NULL};
    TRY(read_dataset(err, s, path, dataset, &npy, &m));
    if (npy.dimensions > 2)
        return fail(err, GLSHAPE_BAD_INPUT, "%s has shape %s, %d dimensions; a table has rows and columns",
                    s->name, npy.shape, npy.dimensions);
    *out = MOVE(m);
    return GLSHAPE_OK;
}

static glshape_status read_named(error *err, io_stream *s, const char *path, const io_raw *raw, io_npy *npy,
                                 glshape_matrix *m) {
    TRY(read_dataset(err, s, path, raw->dataset, npy, m));
    TRY(check_shape(err, s->name, raw, MATRIX_MOST_VERTICES, npy));
    return io_values_choose(err, s->name, 1, raw->channel - 1, m);
}

/* A grid of ESRI's begins with lines "key value". One of them names the value of cells without data. */
typedef struct esri {
    double rows, cols, none;
} esri;

static bool is_esri(const io_stream *s) {
    return s->have >= 5 && !strncasecmp(s->window + s->at, "ncols", 5);
}

static bool has_key(const io_stream *s) {
    const char *at = s->window + s->at;
    return s->have >= 3 && isalpha((unsigned char)*at) && strncasecmp(at, "nan", 3) &&
           strncasecmp(at, "inf", 3);
}

static glshape_status read_esri_header(error *err, io_stream *s, esri *e) {
    char *line, key[32];
    size_t length;
    double value;
    while (has_key(s)) {
        TRY(io_stream_line(err, s, &line, &length));
        if (sscanf(line, "%31s %lf", key, &value) == 2) {
            if (!strcasecmp(key, "nrows")) e->rows = value;
            if (!strcasecmp(key, "ncols")) e->cols = value;
            if (!strcasecmp(key, "NODATA_value")) e->none = value;
        }
        TRY(io_stream_look(err, s));
    }
    return GLSHAPE_OK;
}

/* Lines may end anywhere, as long as there are as many values as the header says, and a value everywhere. */
static glshape_status check_esri(error *err, const io_stream *s, const esri *e, glshape_matrix *m) {
    size_t count = m->rows * m->cols;
    bool whole = e->rows == floor(e->rows) && e->cols == floor(e->cols);
    if (!(whole && e->rows >= 1 && e->cols >= 1 && e->rows * e->cols == (double)count))
        return fail(err, GLSHAPE_BAD_INPUT,
                    "%s has %zu values, but its header says nrows %g and ncols %g: is it cut short?", s->name,
                    count, e->rows, e->cols);
    m->rows = (size_t)e->rows;
    m->cols = (size_t)e->cols;
    for (size_t i = 0; i < count; i++) {
        double value;
        matrix_doubles(m, i, 1, &value);
        if (value == e->none)
            return fail(err, GLSHAPE_BAD_INPUT,
                        "%s has no data at (y %zu, x %zu), counted from 0 (NODATA_value %g), and a field has "
                        "a number everywhere: fill such cells, as gdal_fillnodata.py does, or cut them off",
                        s->name, i / m->cols, i % m->cols, e->none);
    }
    return GLSHAPE_OK;
}

/* A column that begins with the number of dimensions and their extents, as many values as these say. */
static bool is_perseus(const glshape_matrix *m) {
    double value[4] = {0}, product = 1;
    if (m->cols > 1 || m->rows < 4) return false;
    matrix_doubles(m, 0, 4, value);
    if (value[0] != 2 && value[0] != 3) return false;
    for (int k = 1; k <= (int)value[0]; k++) product *= fabs(value[k]); /* negative: periodic */
    return product == (double)m->rows - 1 - value[0];
}

/* Takes the number of dimensions and the extents away; the first coordinate is the fastest. */
static glshape_status take_perseus(error *err, const io_stream *s, io_npy *npy, glshape_matrix *m) {
    double head[4] = {0};
    size_t size = matrix_value_size(m->type);
    matrix_doubles(m, 0, 4, head);
    int dims = (int)head[0];
    for (int k = 1; k <= dims; k++)
        if (head[k] < 0)
            return fail(err, GLSHAPE_BAD_INPUT,
                        "%s begins with a number of dimensions and extents, as files of Perseus do, and the "
                        "extent %g is negative: "
                        "periodic images are not read; write %g to cut it open",
                        s->name, head[k], -head[k]);
    note(err, "%s is read as an image of Perseus, of %d dimensions", s->name, dims);
    m->rows -= (size_t)dims + 1;
    memmove(m->data, (char *)m->data + ((size_t)dims + 1) * size, m->rows * size);
    npy->dimensions = dims;
    for (int k = 0; k < dims; k++) npy->extent[k] = (size_t)head[dims - k];
    return GLSHAPE_OK;
}

/* Lines of numbers: a row of the image each. */
static glshape_status read_text(error *err, io_stream *s, const io_raw *raw, io_npy *npy, glshape_matrix *m) {
    esri e = {.none = NAN};
    bool headed = is_esri(s);
    if (headed) TRY(read_esri_header(err, s, &e));
    TRY(io_text_read(err, s, (io_text_rules){.delimiters = "\t;, ", .exact = true}, m));
    if (headed) TRY(check_esri(err, s, &e, m));
    if (!headed && is_perseus(m)) return take_perseus(err, s, npy, m);
    npy->dimensions = m->cols > 1 ? 2 : 1;
    npy->extent[0] = m->rows;
    npy->extent[1] = m->cols;
    return io_values_choose(err, s->name, 1, raw->channel - 1, m);
}

/* ---- a header, then values --------------------------------------------------------------------- */

static bool is_nrrd(const io_stream *s) { return io_stream_starts(s, IO_NRRD_MAGIC, IO_NRRD_MAGIC_BYTES); }
static bool is_vtk(const io_stream *s) { return io_stream_starts(s, IO_VTK_MAGIC, IO_VTK_MAGIC_BYTES); }

static glshape_status nrrd_header(error *err, io_stream *s, const char *path, io_values *out) {
    (void)path;
    return io_nrrd_read_header(err, s, out);
}

static glshape_status vtk_header(error *err, io_stream *s, const char *path, io_values *out) {
    (void)path;
    return io_vtk_read_header(err, s, out);
}

static glshape_status vti_header(error *err, io_stream *s, const char *path, io_values *out) {
    (void)path;
    return io_vti_read_header(err, s, out);
}

static glshape_status metaimage_header(error *err, io_stream *s, const char *path, io_values *out) {
    (void)path;
    return io_metaimage_read_header(err, s, out);
}

static glshape_status pnm_header(error *err, io_stream *s, const char *path, io_values *out) {
    (void)path;
    return io_pnm_read_header(err, s, out);
}

static const struct {
    bool (*is)(const io_stream *s);
    glshape_status (*read_header)(error *err, io_stream *s, const char *path, io_values *out);
} headed[] = {{is_nrrd, nrrd_header},
              {is_vtk, vtk_header},
              {io_vti_starts, vti_header},
              {io_metaimage_starts, metaimage_header},
              {io_nifti_starts, io_nifti_read_header},
              {io_pnm_starts, pnm_header}};

static glshape_status read_headed(error *err, io_stream *s, const char *path, const io_raw *raw, size_t k,
                                  io_npy *npy, glshape_matrix *m) {
    io_values v;
    TRY(headed[k].read_header(err, s, path, &v));
    TRY(check_shape(err, s->name, raw, MATRIX_MOST_VERTICES, &v.npy));
    TRY(io_values_read(err, s, path, &v, raw->channel - 1, m));
    *npy = v.npy;
    return GLSHAPE_OK;
}

/* ---- any --------------------------------------------------------------------------------------- */

/* Whether s begins with numbers between blanks, commas, semicolons or tabs, or with words above them. */
static bool is_text(const io_stream *s) {
    size_t most = s->have < 256 ? s->have : 256;
    for (size_t k = 0; k < most; k++) {
        unsigned char c = (unsigned char)s->window[s->at + k];
        if (c < ' ' && !strchr("\t\n\r", c)) return false;
        if (!c || c > 126) return k == 0 && c == 0xef; /* a byte order mark */
    }
    return true;
}

static glshape_status read_any(error *err, io_stream *s, const char *path, const io_raw *raw, io_npy *npy,
                               glshape_matrix *m) {
    if (raw->shape) return read_raw(err, s, raw, npy, m);
    if (io_grid_is_named(s)) return read_named(err, s, path, raw, npy, m);
    if (raw->dataset)
        return fail(err, GLSHAPE_BAD_ARGUMENT, "%s is not HDF5 or NetCDF, of which --dataset names an array",
                    s->name);
    if (io_stream_starts(s, IO_NPY_MAGIC, IO_NPY_MAGIC_BYTES)) return read_npy(err, s, raw, npy, m);
    TRY(io_check_office(err, s));
    if (io_stream_starts(s, "PK\3\4", 4)) return read_npz(err, s, raw, npy, m);
    if (io_stream_starts(s, IO_PNG_MAGIC, IO_PNG_MAGIC_BYTES)) return read_png(err, s, raw, npy, m);
    if (io_stream_starts(s, IO_DIPHA_MAGIC, IO_DIPHA_MAGIC_BYTES)) return read_dipha(err, s, raw, npy, m);
    if (io_tiff_starts(s)) return read_tiff(err, s, raw, npy, m);
    for (size_t k = 0; k < sizeof headed / sizeof *headed; k++)
        if (headed[k].is(s)) return read_headed(err, s, path, raw, k, npy, m);
    TRY(io_check_text(err, s));
    if (is_text(s)) return read_text(err, s, raw, npy, m);
    return fail(err, GLSHAPE_BAD_ARGUMENT,
                "%s is of no format that is read: .npy, .npz, NRRD, NIfTI, MetaImage, VTK's image data, "
                "TIFF, PNG, PGM, PPM, HDF5, NetCDF, a DIPHA image or text; of raw values say --shape z,y,x "
                "and --type",
                s->name);
}

glshape_status io_read_grid(error *err, const char *path, const io_raw *raw, io_grid *out) {
    OWNED_BY(io_stream_close) io_stream s = {.fd = -1};
    OWNED_BY(io_matrix_free) glshape_matrix m = {.data = NULL};
    io_npy npy = {.extent = {1, 1, 1}};
    *out = (io_grid){.values = NULL};
    TRY(io_stream_open(err, path, &s));
    TRY(read_any(err, &s, path, raw, &npy, &m));
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
        if (npy->kind == codes[i][0] && npy->item == (size_t)(codes[i][1] - '0')) {
            *out = (glshape_type)i;
            return true;
        }
    return false;
}

glshape_status io_grid_find(error *err, const char *path, const io_raw *raw, io_grid *out, uint64_t *at,
                            bool *there) {
    OWNED_BY(io_stream_close) io_stream s = {.fd = -1};
    io_npy npy = {.extent = {1, 1, 1}};
    *out = (io_grid){.values = NULL};
    *there = false;
    TRY(io_stream_open(err, path, &s));
    if (s.size == IO_SIZE_UNKNOWN || s.gzip || raw->channel) return GLSHAPE_OK;
    if (raw->shape) {
        TRY(parse_shape(err, raw, &npy));
        TRY(parse_type(err, raw, &npy));
    } else {
        if (!io_stream_starts(&s, IO_NPY_MAGIC, IO_NPY_MAGIC_BYTES)) return GLSHAPE_OK;
        TRY(io_npy_read_shape(err, &s, &npy));
    }
    TRY(check_shape(err, s.name, raw, SIZE_MAX - 1, &npy));
    if (npy.swapped || npy.fortran || !type_of(&npy, &out->type)) return GLSHAPE_OK;
    *at = raw->shape ? raw->skip : npy.header;
    *there = s.size >= *at && s.size - *at == times(times(npy.rows, npy.cols), npy.item);
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
