#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/owned.h"
#include "io/npy.h"

enum { LONGEST_HEADER = 1 << 20, MOST_DIMENSIONS = 64 };

typedef struct parser {
    error *err;
    const char *name;
    const char *at, *start; /* the text ends with a NUL */
    io_npy *npy;
    size_t sizes[3];
    int dimensions;
} parser;

static glshape_status bad(const parser *p, const char *what) {
    return fail(p->err, GLSHAPE_BAD_INPUT,
                "%s: its .npy header is malformed: %s at byte %zu of the header text", p->name, what,
                (size_t)(p->at - p->start) + 1);
}

static bool accept(parser *p, char c) {
    while (*p->at == ' ') p->at++;
    bool there = *p->at == c && c;
    p->at += there;
    return there;
}

static bool next_is(parser *p, char c) {
    bool there = accept(p, c);
    p->at -= there;
    return there;
}

/* A Python string literal without escapes; *text points into the header. */
static glshape_status parse_string(parser *p, const char **text, size_t *length) {
    char quote = next_is(p, '"') ? '"' : '\'';
    if (!accept(p, quote)) return bad(p, "a string is missing");
    const char *close = strchr(p->at, quote);
    if (!close || memchr(p->at, '\\', (size_t)(close - p->at))) return bad(p, "a string does not end");
    *text = p->at;
    *length = (size_t)(close - p->at);
    p->at = close + 1;
    return GLSHAPE_OK;
}

/* Sets item from the digits of a descr such as "<f4"; strings and times may have more after them. */
static bool parse_item(io_npy *npy, const char *digits) {
    npy->item = 0;
    for (; *digits >= '0' && *digits <= '9'; digits++) {
        if (npy->item > SIZE_MAX / 100) return false;
        npy->item = npy->item * 10 + (size_t)(*digits - '0');
    }
    bool time = npy->kind == 'm' || npy->kind == 'M';
    return time || (*digits == '\0' && (npy->item || npy->kind == 'O'));
}

static glshape_status parse_descr(parser *p) {
    if (next_is(p, '[') || next_is(p, '('))
        return fail(p->err, GLSHAPE_BAD_INPUT,
                    "%s holds a structured array (several fields a value); save one field of numbers with "
                    "numpy.save(..., arr['field'].astype('f4'))",
                    p->name);
    const char *text;
    size_t length;
    TRY(parse_string(p, &text, &length));
    io_npy *npy = p->npy;
    if (length < 2 || length >= IO_NPY_DESCR || !strchr("<>|=", text[0])) return bad(p, "descr is no type");
    memcpy(npy->descr, text, length);
    npy->descr[length] = '\0';
    npy->kind = text[1];
    if (!strchr("fiubcOSUVmMa", npy->kind) || !parse_item(npy, npy->descr + 2))
        return bad(p, "descr is no known type");
    npy->swapped = text[0] == (io_is_little_endian() ? '>' : '<');
    return GLSHAPE_OK;
}

static glshape_status parse_order(parser *p) {
    while (*p->at == ' ') p->at++;
    p->npy->fortran = !strncmp(p->at, "True", 4);
    if (!p->npy->fortran && strncmp(p->at, "False", 5)) return bad(p, "fortran_order is not True or False");
    p->at += p->npy->fortran ? 4 : 5;
    return GLSHAPE_OK;
}

static glshape_status parse_size(parser *p) {
    char *end;
    if (*p->at < '0' || *p->at > '9') return bad(p, "shape has something that is not a size");
    unsigned long long size = strtoull(p->at, &end, 10);
    if (size > SIZE_MAX / 2) return bad(p, "shape has a size beyond any memory");
    p->at = end + (*end == 'L'); /* Python 2 wrote long integers so */
    if (p->dimensions < 3) p->sizes[p->dimensions] = (size_t)size;
    if (++p->dimensions > MOST_DIMENSIONS) return bad(p, "shape has too many dimensions");
    return GLSHAPE_OK;
}

static glshape_status parse_shape(parser *p) {
    if (!accept(p, '(')) return bad(p, "shape is not a tuple");
    const char *from = p->at - 1;
    bool comma = true;
    while (!accept(p, ')')) {
        if (!comma) return bad(p, "a comma is missing");
        TRY(parse_size(p));
        comma = accept(p, ',');
    }
    if (p->dimensions == 1 && !comma) return bad(p, "shape is a number, not a tuple");
    size_t length = (size_t)(p->at - from);
    if (length >= IO_NPY_SHAPE) length = IO_NPY_SHAPE - 1;
    memcpy(p->npy->shape, from, length);
    p->npy->shape[length] = '\0';
    return GLSHAPE_OK;
}

static const struct {
    const char *name;
    glshape_status (*parse)(parser *p);
} keys[] = {{"descr", parse_descr}, {"fortran_order", parse_order}, {"shape", parse_shape}};
enum { KEYS = sizeof keys / sizeof *keys, ALL_KEYS = (1 << KEYS) - 1 };

/* One key and its value; seen has a bit for each key read before. */
static glshape_status parse_entry(parser *p, unsigned *seen) {
    const char *text;
    size_t length, key = 0;
    TRY(parse_string(p, &text, &length));
    while (key < KEYS && (strlen(keys[key].name) != length || memcmp(keys[key].name, text, length))) key++;
    if (key == KEYS) return bad(p, "an unknown key");
    if (*seen & 1u << key) return bad(p, "a key for the second time");
    *seen |= 1u << key;
    if (!accept(p, ':')) return bad(p, "a colon is missing");
    return keys[key].parse(p);
}

static glshape_status parse_dict(parser *p) {
    unsigned seen = 0;
    if (!accept(p, '{')) return bad(p, "no dict");
    for (bool comma = true; !accept(p, '}'); comma = accept(p, ',')) {
        if (!comma) return bad(p, "a comma is missing");
        TRY(parse_entry(p, &seen));
    }
    if (seen != ALL_KEYS) return bad(p, "descr, fortran_order or shape is missing");
    while (*p->at == ' ' || *p->at == '\n') p->at++;
    return *p->at ? bad(p, "something after the dict") : GLSHAPE_OK;
}

static glshape_status read_exactly(error *err, io_stream *s, void *to, size_t bytes) {
    size_t got;
    TRY(io_stream_read(err, s, to, bytes, &got));
    if (got == bytes) return GLSHAPE_OK;
    return fail(err, GLSHAPE_BAD_INPUT,
                "%s is cut short: its .npy header needs %llu bytes, the file has %llu", s->name,
                (unsigned long long)(s->taken - got + bytes), (unsigned long long)s->taken);
}

/* Reads what precedes the dict; *length is the dict's. */
static glshape_status read_preamble(error *err, io_stream *s, size_t *length) {
    unsigned char b[IO_NPY_MAGIC_BYTES + 6];
    TRY(read_exactly(err, s, b, IO_NPY_MAGIC_BYTES + 2));
    unsigned major = b[IO_NPY_MAGIC_BYTES], minor = b[IO_NPY_MAGIC_BYTES + 1];
    if (memcmp(b, IO_NPY_MAGIC, IO_NPY_MAGIC_BYTES))
        return fail(err, GLSHAPE_BAD_INPUT, "%s is not a .npy file", s->name);
    if (major < 1 || major > 3 || minor)
        return fail(err, GLSHAPE_BAD_INPUT, "%s is of .npy version %u.%u; 1.0, 2.0 and 3.0 are known",
                    s->name, major, minor);
    size_t bytes = major == 1 ? 2 : 4;
    TRY(read_exactly(err, s, b, bytes));
    *length = 0;
    for (size_t i = 0; i < bytes; i++) *length |= (size_t)b[i] << 8 * i;
    if (*length <= LONGEST_HEADER) return GLSHAPE_OK;
    return fail(err, GLSHAPE_BAD_INPUT, "%s: its .npy header claims %zu bytes; an array of numbers needs 200",
                s->name, *length);
}

glshape_status io_npy_read_shape(error *err, io_stream *s, io_npy *out) {
    OWNED char *text = NULL;
    size_t length = 0;
    *out = (io_npy){.item = 0};
    TRY(read_preamble(err, s, &length));
    TRY(allocate(err, &text, length + 1, 1, s->name));
    TRY(read_exactly(err, s, text, length));
    if (memchr(text, '\0', length))
        return fail(err, GLSHAPE_BAD_INPUT, "%s: its .npy header has a NUL byte", s->name);
    parser p = {.err = err, .name = s->name, .at = text, .start = text, .npy = out, .sizes = {1, 1, 1}};
    TRY(parse_dict(&p));
    out->dimensions = p.dimensions;
    memcpy(out->extent, p.sizes, sizeof p.sizes);
    out->rows = p.sizes[0];
    out->cols = times(p.sizes[1], p.sizes[2]);
    out->header = s->taken;
    return GLSHAPE_OK;
}

glshape_status io_npy_check_shape(error *err, const io_stream *s, const io_npy *out, bool may_be_empty) {
    if (out->dimensions == 0)
        return fail(err, GLSHAPE_BAD_INPUT, "%s holds a single value (shape ()); a matrix is needed",
                    s->name);
    if (out->dimensions > 2)
        return fail(err, GLSHAPE_BAD_INPUT,
                    "%s has shape %s, %d dimensions; a matrix has 1 or 2: save it with "
                    "numpy.save(..., arr.reshape(len(arr), -1))",
                    s->name, out->shape, out->dimensions);
    if (out->rows ? out->cols : may_be_empty) return GLSHAPE_OK;
    return fail(err, GLSHAPE_BAD_INPUT, "%s is empty: its shape is %s", s->name, out->shape);
}

glshape_status io_npy_read_header(error *err, io_stream *s, io_npy *out) {
    TRY(io_npy_read_shape(err, s, out));
    return io_npy_check_shape(err, s, out, false);
}
