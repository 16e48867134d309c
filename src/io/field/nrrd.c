#include "io/field/nrrd.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define BLANKS " \t"
enum { MOST_LINES = 10000, MOST_DIMENSIONS = 16 };

typedef struct parser {
    error *err;
    io_stream *s;
    io_values *out;
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
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        for (int k = 0; k < 5 && types[i].names[k]; k++)
            if (!strcmp(text, types[i].names[k])) {
                io_values_set_type(p->out, types[i].code, false);
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
    p->out->packed = !strcmp(text, "gzip") || !strcmp(text, "gz");
    p->out->text = !strcmp(text, "ascii") || !strcmp(text, "text") || !strcmp(text, "txt");
    p->out->hex = !strcmp(text, "hex");
    if (p->out->packed || p->out->text || p->out->hex || !strcmp(text, "raw")) return GLSHAPE_OK;
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
    if (strlen(text) >= IO_VALUES_NAME || !*text) return bad(p, "no name of a file:", text);
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

/* Sets the extents, slowest first, from the sizes, which come fastest first. Channels are no extent. */
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
    bool colors = p->out->channels > 0 && count > 1;
    npy->dimensions = count -= colors;
    npy->extent[0] = npy->extent[1] = npy->extent[2] = 1;
    for (int i = 0; i < count && i < 3; i++) npy->extent[i] = (size_t)sizes[count - 1 - i + colors];
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

/* An axis, of more than one value, that is none of the grid: the fastest one has channels.
 * GLSHAPE_BAD_INPUT if it is another. */
static glshape_status check_kinds(parser *p) {
    const char *kind = p->kinds, *size = p->sizes;
    for (int axis = 0; axis < p->dimension; axis++) {
        size_t length = strcspn(kind, BLANKS);
        char *end;
        long long count = strtoll(size, &end, 10);
        bool parts = length && count > 1 && !is_direction(kind, length);
        if (parts && !axis) p->out->channels = (size_t)count;
        if (parts && axis)
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
    TRY(check_kinds(p));
    return reverse_sizes(p);
}

glshape_status io_nrrd_read_header(error *err, io_stream *s, io_values *out) {
    parser p = {.err = err, .s = s, .out = out};
    char *line;
    size_t length;
    *out = (io_values){.skip = 0};
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
