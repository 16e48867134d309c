#include "io/field/metaimage.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define BLANKS " \t"
enum { MOST_LINES = 10000, MOST_DIMENSIONS = 10 };

typedef struct parser {
    error *err;
    io_stream *s;
    io_values *out;
    long long dimensions, sizes[MOST_DIMENSIONS];
    int size_count;
    bool big, ended;
} parser;

static glshape_status bad(const parser *p, const char *what, const char *text) {
    return fail(p->err, GLSHAPE_BAD_INPUT, "%s, line %llu of the MetaImage header: %s '%.60s'", p->s->name,
                (unsigned long long)p->s->line, what, text);
}

/* ---- keys -------------------------------------------------------------------------------------- */

static glshape_status take_integer(parser *p, const char *text, long long least, long long most,
                                   long long *out) {
    char *end;
    *out = strtoll(text, &end, 10);
    if (end == text || *end || *out < least || *out > most) return bad(p, "no number that is allowed:", text);
    return GLSHAPE_OK;
}

static glshape_status take_flag(parser *p, const char *text, bool *out) {
    *out = !strcasecmp(text, "true") || !strcmp(text, "1");
    if (*out || !strcasecmp(text, "false") || !strcmp(text, "0")) return GLSHAPE_OK;
    return bad(p, "neither True nor False:", text);
}

static glshape_status take_dimensions(parser *p, const char *text) {
    return take_integer(p, text, 1, MOST_DIMENSIONS, &p->dimensions);
}

static glshape_status take_sizes(parser *p, const char *text) {
    char *end;
    for (const char *at = text; *at; at = end + strspn(end, BLANKS)) {
        if (p->size_count == MOST_DIMENSIONS) return bad(p, "too many sizes:", text);
        long long size = strtoll(at, &end, 10);
        if (end == at || size < 0) return bad(p, "no sizes:", text);
        p->sizes[p->size_count++] = size;
    }
    return GLSHAPE_OK;
}

static glshape_status take_type(parser *p, const char *text) {
    static const struct {
        const char *name, *code;
    } types[] = {{"MET_UCHAR", "u1"},  {"MET_CHAR", "i1"},       {"MET_USHORT", "u2"},
                 {"MET_SHORT", "i2"},  {"MET_UINT", "u4"},       {"MET_INT", "i4"},
                 {"MET_ULONG", "u4"},  {"MET_LONG", "i4"},       {"MET_FLOAT", "f4"},
                 {"MET_DOUBLE", "f8"}, {"MET_ULONG_LONG", "u8"}, {"MET_LONG_LONG", "i8"}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (!strcmp(text, types[i].name)) {
            io_values_set_type(p->out, types[i].code, false);
            return GLSHAPE_OK;
        }
    return bad(p, "a type that is not read:", text);
}

static glshape_status take_channels(parser *p, const char *text) {
    long long channels;
    TRY(take_integer(p, text, 1, 1 << 20, &channels));
    p->out->channels = (size_t)channels;
    return GLSHAPE_OK;
}

static glshape_status take_binary(parser *p, const char *text) {
    bool binary;
    TRY(take_flag(p, text, &binary));
    p->out->text = !binary;
    return GLSHAPE_OK;
}

static glshape_status take_order(parser *p, const char *text) { return take_flag(p, text, &p->big); }
static glshape_status take_packed(parser *p, const char *text) { return take_flag(p, text, &p->out->packed); }

static glshape_status take_skip(parser *p, const char *text) {
    return take_integer(p, text, -1, 1ll << 60, &p->out->skip);
}

static glshape_status take_file(parser *p, const char *text) {
    p->ended = true;
    if (!strcasecmp(text, "LOCAL")) return GLSHAPE_OK;
    if (!strncmp(text, "LIST", 4) || strchr(text, '%'))
        return bad(p,
                   "several data files are not read; join them, as ITK does when it reads and writes:", text);
    if (strlen(text) >= IO_VALUES_NAME || !*text) return bad(p, "no name of a file:", text);
    strcpy(p->out->file, text);
    return GLSHAPE_OK;
}

static const struct {
    const char *name;
    glshape_status (*take)(parser *p, const char *text);
} keys[] = {{"NDims", take_dimensions},          {"DimSize", take_sizes},
            {"ElementType", take_type},          {"ElementNumberOfChannels", take_channels},
            {"BinaryData", take_binary},         {"BinaryDataByteOrderMSB", take_order},
            {"ElementByteOrderMSB", take_order}, {"CompressedData", take_packed},
            {"HeaderSize", take_skip},           {"ElementDataFile", take_file}};

/* ---- header ------------------------------------------------------------------------------------ */

static glshape_status take_line(parser *p, char *line) {
    char *equals = strchr(line, '='), *value;
    if (!line[strspn(line, BLANKS)]) return GLSHAPE_OK;
    if (!equals) return bad(p, "no key with a value:", line);
    *equals = 0;
    value = equals + 1 + strspn(equals + 1, BLANKS);
    for (size_t n = strlen(value); n && strchr(BLANKS, value[n - 1]); n--) value[n - 1] = 0;
    for (size_t n = strlen(line); n && strchr(BLANKS, line[n - 1]); n--) line[n - 1] = 0;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (!strcmp(line, keys[i].name)) return keys[i].take(p, value);
    return GLSHAPE_OK;
}

static glshape_status check_header(parser *p) {
    io_npy *npy = &p->out->npy;
    const char *missing = !p->dimensions   ? "NDims"
                          : !p->size_count ? "DimSize"
                          : !npy->item     ? "ElementType"
                          : !p->ended      ? "ElementDataFile"
                                           : NULL;
    if (missing)
        return fail(p->err, GLSHAPE_BAD_INPUT, "%s: its MetaImage header has no key '%s'", p->s->name,
                    missing);
    if (p->size_count != p->dimensions)
        return fail(p->err, GLSHAPE_BAD_INPUT, "%s: its MetaImage header has NDims %lld, but %d sizes",
                    p->s->name, p->dimensions, p->size_count);
    npy->swapped = p->big == io_is_little_endian();
    io_values_set_sizes(p->out, p->sizes, p->size_count);
    return GLSHAPE_OK;
}

bool io_metaimage_starts(const io_stream *s) {
    return io_stream_starts(s, "ObjectType", 10) || io_stream_starts(s, "NDims", 5) ||
           io_stream_starts(s, "Comment =", 9);
}

glshape_status io_metaimage_read_header(error *err, io_stream *s, io_values *out) {
    parser p = {.err = err, .s = s, .out = out};
    char *line;
    size_t length;
    *out = (io_values){.skip = 0};
    for (int lines = 0; lines < MOST_LINES && !p.ended; lines++) {
        TRY(io_stream_line(err, s, &line, &length));
        if (!line) break;
        TRY(take_line(&p, line));
    }
    return check_header(&p);
}
