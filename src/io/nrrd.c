#include "io/nrrd.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "base/owned.h"
#include "io/nrrd_text.h"

#define BLANKS " \t"
enum { MOST_LINES = 10000, MOST_DIMENSIONS = 16 };

typedef struct parser {
    error *err;
    io_stream *s;
    io_nrrd *out;
    long long dimension, line_skip;
    const char *sizes; /* sizes_text, once it is there */
    char sizes_text[256], kinds[256];
    bool has_type, has_encoding, has_endian, big;
} parser;

static glshape_status bad(const parser *p, const char *what, const char *text) {
    return fail(p->err, GLSHAPE_BAD_INPUT, "%s, line %llu of the NRRD header: %s '%.60s'", p->s->name,
                (unsigned long long)p->s->line, what, text);
}

/* ---- fields ------------------------------------------------------------------------------------ */

static glshape_status take_type(parser *p, const char *text) {
    static const struct {
        const char *code, *names[5];
    } types[] = {
        {"i1", {"signed char", "int8", "int8_t"}},
        {"u1", {"uchar", "unsigned char", "uint8", "uint8_t"}},
        {"i2", {"short", "short int", "signed short", "int16", "int16_t"}},
        {"u2", {"ushort", "unsigned short", "unsigned short int", "uint16", "uint16_t"}},
        {"i4", {"int", "signed int", "int32", "int32_t"}},
        {"u4", {"uint", "unsigned int", "uint32", "uint32_t"}},
        {"i8", {"longlong", "long long", "long long int", "int64", "int64_t"}},
        {"u8", {"ulonglong", "unsigned long long", "unsigned long long int", "uint64", "uint64_t"}},
        {"f4", {"float"}},
        {"f8", {"double"}},
    };
    io_npy *npy = &p->out->npy;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        for (int k = 0; k < 5 && types[i].names[k]; k++)
            if (!strcmp(text, types[i].names[k])) {
                npy->kind = types[i].code[0];
                npy->item = (size_t)(types[i].code[1] - '0');
                snprintf(npy->descr, sizeof npy->descr, "%s", types[i].code);
                p->has_type = true;
                return GLSHAPE_OK;
            }
    return bad(p, "a type that is not read:", text);
}

static glshape_status take_integer(parser *p, const char *text, long long least, long long most,
                                   long long *out) {
    char *end;
    *out = strtoll(text, &end, 10);
    if (end == text || *end || *out < least || *out > most) return bad(p, "no number that is allowed:", text);
    return GLSHAPE_OK;
}

static glshape_status take_dimension(parser *p, const char *text) {
    return take_integer(p, text, 1, MOST_DIMENSIONS, &p->dimension);
}

static glshape_status take_sizes(parser *p, const char *text) {
    if (strlen(text) >= sizeof p->sizes_text) return bad(p, "too many sizes:", text);
    p->sizes = strcpy(p->sizes_text, text);
    return GLSHAPE_OK;
}

static glshape_status take_kinds(parser *p, const char *text) {
    if (strlen(text) >= sizeof p->kinds) return bad(p, "too many kinds:", text);
    strcpy(p->kinds, text);
    return GLSHAPE_OK;
}

static glshape_status take_encoding(parser *p, const char *text) {
    p->has_encoding = true;
    p->out->gzip = !strcmp(text, "gzip") || !strcmp(text, "gz");
    p->out->text = !strcmp(text, "ascii") || !strcmp(text, "text") || !strcmp(text, "txt");
    p->out->hex = !strcmp(text, "hex");
    if (p->out->gzip || p->out->text || p->out->hex || !strcmp(text, "raw")) return GLSHAPE_OK;
    return bad(p, "an encoding that is not read (raw, gzip, ascii and hex are):", text);
}

static glshape_status take_endian(parser *p, const char *text) {
    p->has_endian = true;
    p->big = !strcmp(text, "big");
    return p->big || !strcmp(text, "little") ? GLSHAPE_OK : bad(p, "neither little nor big:", text);
}

static glshape_status take_file(parser *p, const char *text) {
    if (!strncmp(text, "LIST", 4) || strchr(text, '%'))
        return bad(p, "several data files are not read; join them:", text);
    if (strlen(text) >= IO_NRRD_NAME || !*text) return bad(p, "no name of a file:", text);
    strcpy(p->out->file, text);
    return GLSHAPE_OK;
}

static glshape_status take_line_skip(parser *p, const char *text) {
    return take_integer(p, text, 0, 1000000, &p->line_skip);
}

static glshape_status take_byte_skip(parser *p, const char *text) {
    return take_integer(p, text, -1, 1ll << 60, &p->out->skip);
}

static const struct {
    const char *name;
    glshape_status (*take)(parser *p, const char *text);
} fields[] = {{"type", take_type},           {"dimension", take_dimension}, {"sizes", take_sizes},
              {"encoding", take_encoding},   {"endian", take_endian},       {"data file", take_file},
              {"datafile", take_file},       {"line skip", take_line_skip}, {"lineskip", take_line_skip},
              {"byte skip", take_byte_skip}, {"byteskip", take_byte_skip},  {"kinds", take_kinds}};

/* ---- header ------------------------------------------------------------------------------------ */

static glshape_status take_line(parser *p, char *line) {
    char *colon = strchr(line, ':');
    if (*line == '#') return GLSHAPE_OK;
    if (!colon) return bad(p, "neither a field nor a comment:", line);
    if (colon[1] == '=') return GLSHAPE_OK; /* a key of somebody's own */
    *colon++ = 0;
    while (*colon == ' ' || *colon == '\t') colon++;
    size_t length = strlen(colon);
    while (length && (colon[length - 1] == ' ' || colon[length - 1] == '\t')) colon[--length] = 0;
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (!strcmp(line, fields[i].name)) return fields[i].take(p, colon);
    return GLSHAPE_OK;
}

/* Sets the extents, slowest first, from the sizes, which come fastest first. */
static glshape_status reverse_sizes(parser *p) {
    io_npy *npy = &p->out->npy;
    char *at = p->sizes_text, *end;
    long long sizes[MOST_DIMENSIONS];
    int count = 0;
    for (; *at && count < MOST_DIMENSIONS; at = end) {
        sizes[count] = strtoll(at, &end, 10);
        if (end == at || sizes[count++] < 0) break;
        while (*end == ' ' || *end == '\t') end++;
    }
    if (*at || count != p->dimension)
        return fail(p->err, GLSHAPE_BAD_INPUT, "%s: its NRRD header has dimension %lld, but sizes '%s'",
                    p->s->name, p->dimension, p->sizes);
    npy->dimensions = count;
    npy->extent[0] = npy->extent[1] = npy->extent[2] = 1;
    for (int i = 0; i < count && i < 3; i++) npy->extent[i] = (size_t)sizes[count - 1 - i];
    snprintf(npy->shape, sizeof npy->shape, "(%.90s)", p->sizes);
    return GLSHAPE_OK;
}

/* Whether an axis of this kind is a direction of the grid: of teem's other kinds, what stands along the axis
 * are the parts of one value. */
static bool is_direction(const char *kind, size_t length) {
    static const char *const known[] = {"domain", "space", "time", "none", "???", "scalar", "stub"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strlen(known[i]) == length && !strncasecmp(kind, known[i], length)) return true;
    return false;
}

/* GLSHAPE_BAD_INPUT if an axis, of more than one value, is none of the grid. */
static glshape_status check_kinds(const parser *p) {
    const char *kind = p->kinds, *size = p->sizes;
    for (int axis = 0; axis < p->dimension; axis++) {
        size_t length = strcspn(kind, BLANKS);
        char *end;
        long long count = strtoll(size, &end, 10);
        if (length && count > 1 && !is_direction(kind, length))
            return fail(p->err, GLSHAPE_BAD_INPUT,
                        "%s: its axis %d is of kind '%.*s': each point has %lld values, and a field has one; "
                        "choose one, as 'unu slice -a %d -p 0' does",
                        p->s->name, axis, (int)length, kind, count, axis);
        kind += length + strspn(kind + length, BLANKS);
        size = end + strspn(end, BLANKS);
    }
    return GLSHAPE_OK;
}

static glshape_status check_header(parser *p) {
    const char *missing = !p->has_type                                              ? "type"
                          : !p->dimension                                           ? "dimension"
                          : !p->sizes                                               ? "sizes"
                          : !p->has_encoding                                        ? "encoding"
                          : p->out->npy.item > 1 && !p->out->text && !p->has_endian ? "endian"
                                                                                    : NULL;
    if (missing)
        return fail(p->err, GLSHAPE_BAD_INPUT, "%s: its NRRD header has no field '%s'", p->s->name, missing);
    p->out->npy.swapped = p->big == io_is_little_endian();
    TRY(reverse_sizes(p));
    return check_kinds(p);
}

glshape_status io_nrrd_read_header(error *err, io_stream *s, io_nrrd *out) {
    parser p = {.err = err, .s = s, .out = out};
    char *line;
    size_t length;
    *out = (io_nrrd){.skip = 0};
    TRY(io_stream_line(err, s, &line, &length));
    for (int lines = 0; lines < MOST_LINES; lines++) {
        TRY(io_stream_line(err, s, &line, &length));
        if (!line && !*out->file)
            return fail(err, GLSHAPE_BAD_INPUT, "%s is cut short: its NRRD header does not end", s->name);
        if (!line || !length) break;
        TRY(take_line(&p, line));
    }
    out->lines = p.line_skip;
    return check_header(&p);
}

/* ---- values ------------------------------------------------------------------------------------ */

/* Reads the values, from here or, after a byte skip, from farther on. */
static glshape_status read_here(error *err, io_stream *s, io_nrrd *nrrd, glshape_matrix *out) {
    char waste[4096], *line = waste;
    size_t length;
    for (long long k = 0; k < nrrd->lines && line; k++) TRY(io_stream_line(err, s, &line, &length));
    uint64_t bytes = times(times(nrrd->npy.rows, nrrd->npy.cols), nrrd->npy.item),
             left = (uint64_t)nrrd->skip;
    if (nrrd->skip < 0 && (nrrd->text || nrrd->hex))
        return fail(err, GLSHAPE_BAD_INPUT, "%s: a byte skip of -1 does not go with values as text", s->name);
    if (nrrd->skip < 0) {
        if (s->size == IO_SIZE_UNKNOWN)
            return fail(err, GLSHAPE_BAD_INPUT, "%s: a byte skip of -1 needs an uncompressed file", s->name);
        left = s->size > s->taken + bytes ? s->size - s->taken - bytes : 0;
    }
    for (size_t got = 1; left && got; left -= got)
        TRY(io_stream_read(err, s, waste, left < sizeof waste ? (size_t)left : sizeof waste, &got));
    nrrd->npy.header = s->taken;
    if (nrrd->hex) return io_nrrd_read_hex(err, s, &nrrd->npy, out);
    return nrrd->text ? io_nrrd_read_text(err, s, &nrrd->npy, out)
                      : io_npy_read_numbers(err, s, &nrrd->npy, out);
}

/* A name without a leading slash counts from the header's folder. Only a regular file will do: a header from
 * elsewhere must not make this wait for a pipe or a terminal. */
static glshape_status read_there(error *err, const char *path, io_nrrd *nrrd, glshape_matrix *out) {
    OWNED char *name = NULL;
    OWNED_BY(io_stream_close) io_stream s = {.fd = -1};
    const char *slash = strrchr(path, '/');
    struct stat info;
    size_t folder = slash && *nrrd->file != '/' ? (size_t)(slash - path) + 1 : 0,
           room = folder + IO_NRRD_NAME;
    TRY(allocate(err, &name, room, 1, "the name of the data file"));
    snprintf(name, room, "%.*s%s", (int)folder, path, nrrd->file);
    if (!stat(name, &info) && !S_ISREG(info.st_mode))
        return fail(err, GLSHAPE_BAD_INPUT, "%s says that its values are in %s, which is no regular file",
                    path, name);
    TRY(io_stream_open(err, name, &s));
    return read_here(err, &s, nrrd, out); /* gzip is seen by its first bytes */
}

glshape_status io_nrrd_read_numbers(error *err, io_stream *s, const char *path, io_nrrd *nrrd,
                                    glshape_matrix *out) {
    if (*nrrd->file) return read_there(err, path, nrrd, out);
    if (nrrd->gzip && s->gzip)
        return fail(err, GLSHAPE_BAD_INPUT, "%s is compressed twice over; unpack it once", s->name);
    if (nrrd->gzip) TRY(io_stream_inflate(err, s));
    return read_here(err, s, nrrd, out);
}
