#include "io/field/values.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/matrix.h"
#include "base/memory.h"
#include "base/owned.h"
#include "io/field/values_text.h"
#include "io/read.h"

/* ---- what headers say -------------------------------------------------------------------------- */

void io_values_set_type(io_values *v, const char *code, bool swapped) {
    v->npy.kind = code[0];
    v->npy.item = (size_t)(code[1] - '0');
    v->npy.swapped = swapped;
    snprintf(v->npy.descr, sizeof v->npy.descr, "%s", code);
}

void io_values_set_sizes(io_values *v, const long long *sizes, int count) {
    io_npy *npy = &v->npy;
    size_t used = 0;
    while (count > 1 && sizes[count - 1] == 1) count--;
    npy->dimensions = count;
    npy->extent[0] = npy->extent[1] = npy->extent[2] = 1;
    for (int i = 0; i < count && i < 3; i++) npy->extent[i] = (size_t)sizes[count - 1 - i];
    for (int i = count; i-- > 0 && used < sizeof npy->shape - 1;)
        used += (size_t)snprintf(npy->shape + used, sizeof npy->shape - used, "%s%lld%s",
                                 i == count - 1 ? "(" : ", ", sizes[i], i ? "" : ")");
}

/* ---- the bytes --------------------------------------------------------------------------------- */

/* Reads the values, behind which something else may follow. */
static glshape_status read_first(error *err, io_stream *s, const io_npy *npy, glshape_matrix *out) {
    OWNED char *bytes = NULL;
    size_t whole = times(times(npy->rows, npy->cols), npy->item), room = 0, have = 0, got = 1;
    TRY(io_stream_append(err, s, &bytes, &have, &room, whole));
    if (have < whole)
        return fail(err, GLSHAPE_BAD_INPUT,
                    "%s is cut short: %zu bytes of values are expected, but it has %zu", s->name, whole,
                    have);
    char waste[4096]; /* behind compressed values their check comes */
    while (s->gzip && got) TRY(io_stream_read(err, s, waste, sizeof waste, &got));
    return io_npy_take_numbers(err, s->name, npy, MOVE(bytes), out);
}

/* Values in VTK's XML. */
static glshape_status read_encoded(error *err, io_stream *s, const io_values *v, glshape_matrix *out) {
    char *bytes;
    TRY(io_vti_read_bytes(err, s, &v->vti, times(times(v->npy.rows, v->npy.cols), v->npy.item), &bytes));
    return io_npy_take_numbers(err, s->name, &v->npy, bytes, out);
}

/* Reads the values, from here or, after a byte skip, from farther on. */
static glshape_status read_here(error *err, io_stream *s, io_values *v, glshape_matrix *out) {
    char waste[4096], *line = waste;
    size_t length;
    for (long long k = 0; k < v->lines && line; k++) TRY(io_stream_line(err, s, &line, &length));
    uint64_t bytes = times(times(v->npy.rows, v->npy.cols), v->npy.item), left = (uint64_t)v->skip;
    if (v->skip < 0 && (v->text || v->hex))
        return fail(err, GLSHAPE_BAD_INPUT,
                    "%s: a byte skip (HeaderSize) of -1 does not go with values as text", s->name);
    if (v->skip < 0) {
        if (s->size == IO_SIZE_UNKNOWN)
            return fail(err, GLSHAPE_BAD_INPUT,
                        "%s: a byte skip (HeaderSize) of -1 needs an uncompressed file", s->name);
        left = s->size > s->taken + bytes ? s->size - s->taken - bytes : 0;
    }
    for (size_t got = 1; left && got; left -= got)
        TRY(io_stream_read(err, s, waste, left < sizeof waste ? (size_t)left : sizeof waste, &got));
    v->npy.header = s->taken;
    if (v->vti.used) return read_encoded(err, s, v, out);
    if (v->hex) return io_values_read_hex(err, s, &v->npy, out);
    if (v->text) return io_values_read_text(err, s, &v->npy, v->more, out);
    return v->more ? read_first(err, s, &v->npy, out) : io_npy_read_numbers(err, s, &v->npy, out);
}

/* A name without a leading slash counts from the header's folder. Only a regular file will do: a header from
 * elsewhere must not make this wait for a pipe or a terminal. */
static glshape_status read_there(error *err, const char *path, io_values *v, glshape_matrix *out) {
    OWNED char *name = NULL;
    OWNED_BY(io_stream_close) io_stream s = {.fd = -1};
    const char *slash = strrchr(path, '/');
    struct stat info;
    size_t folder = slash && *v->file != '/' ? (size_t)(slash - path) + 1 : 0, room = folder + IO_VALUES_NAME;
    TRY(allocate(err, &name, room, 1, "the name of the data file"));
    snprintf(name, room, "%.*s%s", (int)folder, path, v->file);
    if (!stat(name, &info) && !S_ISREG(info.st_mode))
        return fail(err, GLSHAPE_BAD_INPUT, "%s says that its values are in %s, which is no regular file",
                    path, name);
    TRY(io_stream_open(err, name, &s));
    if (v->packed && !s.gzip) TRY(io_stream_inflate(err, &s)); /* gzip is seen by its first bytes */
    return read_here(err, &s, v, out);
}

/* ---- one value a point ------------------------------------------------------------------------- */

glshape_status io_values_choose(error *err, const char *name, size_t channels, int channel,
                                glshape_matrix *m) {
    if (channels < 2 && channel > 0)
        return fail(err, GLSHAPE_BAD_INPUT, "%s has one channel; leave --channel out", name);
    if (channels < 2) return GLSHAPE_OK;
    if (channel < 0)
        return fail(
            err, GLSHAPE_BAD_INPUT,
            "%s has %zu values a point, such as colors, and a field has one: choose one with --channel "
            "0 to %zu",
            name, channels, channels - 1);
    if ((size_t)channel >= channels)
        return fail(err, GLSHAPE_BAD_INPUT, "%s has the channels 0 to %zu, not %d", name, channels - 1,
                    channel);
    size_t size = matrix_value_size(m->type), count = m->rows * m->cols / channels;
    char *data = m->data;
    for (size_t i = 0; i < count; i++)
        memmove(data + i * size, data + (i * channels + (size_t)channel) * size, size);
    m->cols /= channels;
    return GLSHAPE_OK;
}

/* Makes bytes of their 255th parts. */
static void make_bytes(glshape_matrix *m) {
    uint8_t *bytes = m->data;
    for (size_t i = 0; i < m->rows * m->cols; i++) {
        double part;
        matrix_doubles(m, i, 1, &part);
        bytes[i] = (uint8_t)(part > 0 ? fmin(255, 255 * part + 0.5) : 0);
    }
    m->type = GLSHAPE_U8;
}

glshape_status io_values_scale(error *err, double slope, double intercept, glshape_matrix *m) {
    double *scaled;
    if (slope == 1 && !intercept) return GLSHAPE_OK;
    TRY(io_matrix_doubles(err, m, &scaled));
    for (size_t i = 0; i < m->rows * m->cols; i++) scaled[i] = slope * scaled[i] + intercept;
    free(m->data);
    m->data = scaled;
    m->type = GLSHAPE_F64;
    return GLSHAPE_OK;
}

static glshape_status read_all(error *err, io_stream *s, const char *path, io_values *v,
                               glshape_matrix *out) {
    if (*v->file) return read_there(err, path, v, out);
    if (v->packed && s->gzip)
        return fail(err, GLSHAPE_BAD_INPUT, "%s is compressed twice over; unpack it once", s->name);
    if (v->packed) TRY(io_stream_inflate(err, s));
    return read_here(err, s, v, out);
}

glshape_status io_values_read(error *err, io_stream *s, const char *path, io_values *v, int channel,
                              glshape_matrix *out) {
    size_t channels = v->channels ? v->channels : 1, cols = v->npy.cols;
    *out = (glshape_matrix){.data = NULL};
    v->npy.cols = times(cols, channels);
    TRY(read_all(err, s, path, v, out));
    v->npy.cols = cols;
    TRY(io_values_choose(err, s->name, channels, channel, out));
    if (v->colors) make_bytes(out);
    return v->slope ? io_values_scale(err, v->slope, v->intercept, out) : GLSHAPE_OK;
}
