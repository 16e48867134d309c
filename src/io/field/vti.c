#include "io/field/vti.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/owned.h"

/* The format: VTK File Formats, "XML File Formats", https://docs.vtk.org. */

#define BLANKS " \t\r\n"
enum { LONGEST_TAG = 1 << 16, WORD = 100 };

typedef struct parser {
    error *err;
    io_stream *s;
    io_values *out;
    char *tag; /* what stands between < and > */
    size_t length, room;
    long long sizes[3], points;
    char whole[WORD];     /* the extent of all pieces; "": not said */
    char scalars[WORD];   /* the name of the array; "": the first */
    bool file;            /* its first tag was read */
    bool in_data;         /* the arrays that come are of points or of cells */
    bool cells;           /* of cells */
    bool found, appended; /* the array was found; its values are behind the arrays */
} parser;

static void parser_free(parser *p) { free(p->tag); }

static glshape_status bad(const parser *p, const char *what, const char *text) {
    return fail(p->err, GLSHAPE_BAD_INPUT, "%s: %s '%.60s'", p->s->name, what, text);
}

/* ---- tags -------------------------------------------------------------------------------------- */

static glshape_status next_byte(parser *p, char *c) {
    size_t got;
    TRY(io_stream_read(p->err, p->s, c, 1, &got));
    return got ? GLSHAPE_OK
               : fail(p->err, GLSHAPE_BAD_INPUT,
                      "%s has no array of points or cells, or is cut short before its end", p->s->name);
}

static bool is_comment(const parser *p) { return p->length >= 3 && !memcmp(p->tag, "!--", 3); }

static bool ends_comment(const parser *p) {
    return p->length >= 5 && !memcmp(p->tag + p->length - 2, "--", 2);
}

static glshape_status next_tag(parser *p) {
    char c, quote = 0;
    p->length = 0;
    do TRY(next_byte(p, &c));
    while (c != '<');
    for (;;) {
        TRY(next_byte(p, &c));
        TRY(memory_reserve(p->err, &p->tag, &p->room, p->length + 1, 1, "a tag"));
        if (c == '>' && (is_comment(p) ? ends_comment(p) : !quote)) break;
        if ((c == '"' || c == '\'') && !is_comment(p)) quote = !quote ? c : quote == c ? 0 : quote;
        p->tag[p->length++] = c ? c : ' ';
        if (p->length > LONGEST_TAG)
            return fail(p->err, GLSHAPE_BAD_INPUT, "%s: a tag of its XML does not end", p->s->name);
    }
    p->tag[p->length] = 0;
    return GLSHAPE_OK;
}

static bool is_tag(const parser *p, const char *name) {
    size_t length = strlen(name);
    return !strncmp(p->tag, name, length) && strchr(BLANKS "/", p->tag[length]);
}

/* Copies the value of an attribute of the tag into out, cut to its size; "" if there is none. */
static void attribute(const parser *p, const char *name, char out[WORD]) {
    const char *at = p->tag;
    size_t length = strlen(name);
    *out = 0;
    for (at += strcspn(at, BLANKS); *at;) {
        at += strspn(at, BLANKS "/");
        const char *key = at;
        at += strcspn(at, BLANKS "=");
        bool same = (size_t)(at - key) == length && !strncmp(key, name, length);
        at += strspn(at, BLANKS "=");
        if (*at != '"' && *at != '\'') continue;
        const char *value = at + 1, *end = strchr(value, *at);
        if (!end) return;
        if (same) {
            snprintf(out, WORD, "%.*s", (int)(end - value), value);
            return;
        }
        at = end + 1;
    }
}

static bool attribute_is(const parser *p, const char *name, const char *value) {
    char text[WORD];
    attribute(p, name, text);
    return !strcmp(text, value);
}

static glshape_status take_file(parser *p) {
    char text[WORD];
    attribute(p, "type", text);
    if (strcmp(text, "ImageData") != 0)
        return bad(p, "a field is on a grid, ImageData; resample it to one: its VTKFile is of type", text);
    p->out->vti.big = attribute_is(p, "byte_order", "BigEndian");
    p->out->vti.wide = attribute_is(p, "header_type", "UInt64");
    attribute(p, "compressor", text);
    p->out->vti.packed = *text;
    if (*text && strcmp(text, "vtkZLibDataCompressor") != 0)
        return bad(p,
                   "have VTK write it with SetCompressorTypeToZLib() or SetCompressorTypeToNone(); not read "
                   "is the compressor",
                   text);
    return GLSHAPE_OK;
}

static bool parse_extent(const char *text, long long e[6]) {
    return sscanf(text, "%lld %lld %lld %lld %lld %lld", e, e + 1, e + 2, e + 3, e + 4, e + 5) == 6;
}

static glshape_status take_extent(parser *p) {
    char text[WORD];
    long long e[6], whole[6];
    attribute(p, "Extent", text);
    if (!parse_extent(text, e)) return bad(p, "no Extent of a piece:", text);
    if (p->points) return bad(p, "is in several pieces; have VTK write one: the next has the Extent", text);
    if (parse_extent(p->whole, whole) && memcmp(whole, e, sizeof e) != 0)
        return bad(p, "is in several pieces, or one of them; have VTK write one: of the whole it has", text);
    p->points = 1;
    for (int k = 0; k < 3; k++) {
        if (e[2 * k] < -(1ll << 40) || e[2 * k + 1] > 1ll << 40 || e[2 * k + 1] < e[2 * k])
            return bad(p, "no Extent of a piece:", text);
        p->sizes[k] = e[2 * k + 1] - e[2 * k] + 1;
        p->points = p->points > (1ll << 60) / p->sizes[k] ? 1ll << 60 : p->points * p->sizes[k];
    }
    return GLSHAPE_OK;
}

static glshape_status take_type(parser *p) {
    static const struct {
        const char *name, *code;
    } types[] = {{"UInt8", "u1"}, {"Int8", "i1"},   {"UInt16", "u2"}, {"Int16", "i2"},   {"UInt32", "u4"},
                 {"Int32", "i4"}, {"UInt64", "u8"}, {"Int64", "i8"},  {"Float32", "f4"}, {"Float64", "f8"}};
    char text[WORD];
    attribute(p, "type", text);
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (!strcmp(text, types[i].name)) {
            io_values_set_type(p->out, types[i].code, p->out->vti.big == io_is_little_endian());
            return GLSHAPE_OK;
        }
    return bad(p, "a type that is not read:", text);
}

/* The array that is asked for, or the first. */
static glshape_status take_array(parser *p) {
    char text[WORD];
    attribute(p, "Name", text);
    if (*p->scalars ? strcmp(text, p->scalars) != 0 : !strcmp(text, "vtkGhostType")) return GLSHAPE_OK;
    TRY(take_type(p));
    attribute(p, "NumberOfComponents", text);
    long long channels = *text ? atoll(text) : 1;
    if (channels < 1 || channels > 1 << 20) return bad(p, "no NumberOfComponents:", text);
    p->out->channels = (size_t)channels;
    attribute(p, "offset", text);
    p->out->skip = atoll(text);
    attribute(p, "format", text);
    p->appended = !strcmp(text, "appended");
    p->out->text = !strcmp(text, "ascii") || !*text;
    p->out->vti.base64 = !strcmp(text, "binary");
    if (p->out->skip < 0 || !(p->appended || p->out->vti.base64 || p->out->text))
        return bad(p, "an array of a format that is not read:", text);
    p->found = true;
    return GLSHAPE_OK;
}

static glshape_status take_tag(parser *p) {
    if (!p->file && p->length && !strchr("?!", *p->tag)) {
        if (!is_tag(p, "VTKFile"))
            return bad(p, "of XML only VTK's image data (.vti) are read; it begins with", p->tag);
        p->file = true;
        return take_file(p);
    }
    if (is_tag(p, "ImageData")) attribute(p, "WholeExtent", p->whole);
    if (is_tag(p, "Piece")) return take_extent(p);
    if (is_tag(p, "/PointData") || is_tag(p, "/CellData")) p->in_data = false;
    bool cells = is_tag(p, "CellData");
    if ((cells || is_tag(p, "PointData")) && !p->found) {
        p->in_data = p->tag[p->length - 1] != '/';
        p->cells = cells;
        attribute(p, "Scalars", p->scalars);
    }
    return p->in_data && !p->found && is_tag(p, "DataArray") ? take_array(p) : GLSHAPE_OK;
}

static glshape_status set_sizes(parser *p) {
    if (!p->points) return bad(p, "no Piece comes before", "its arrays");
    for (int k = 0; k < 3; k++)
        if (p->cells && p->sizes[k] > 1) p->sizes[k]--;
    io_values_set_sizes(p->out, p->sizes, 3);
    return GLSHAPE_OK;
}

/* Goes to the first byte behind the mark '_' of the appended data. */
static glshape_status find_appended(parser *p) {
    char c;
    do TRY(next_tag(p));
    while (!is_tag(p, "AppendedData"));
    p->out->vti.base64 = attribute_is(p, "encoding", "base64");
    do TRY(next_byte(p, &c));
    while (c != '_');
    return GLSHAPE_OK;
}

bool io_vti_starts(const io_stream *s) {
    return io_stream_starts(s, "<VTKFile", 8) || io_stream_starts(s, "<?xml", 5);
}

glshape_status io_vti_read_header(error *err, io_stream *s, io_values *out) {
    OWNED_BY(parser_free) parser p = {.err = err, .s = s, .out = out};
    *out = (io_values){.more = true};
    while (!p.found) {
        TRY(next_tag(&p));
        TRY(take_tag(&p));
    }
    TRY(set_sizes(&p));
    out->vti.used = !out->text;
    return p.appended ? find_appended(&p) : GLSHAPE_OK;
}
