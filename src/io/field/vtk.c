#include "io/field/vtk.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { MOST_LINES = 1000, WORD = 64 };

typedef struct parser {
    error *err;
    io_stream *s;
    io_values *out;
    long long sizes[3], points;
    bool cells, found; /* the values are of cells; they are next */
} parser;

static glshape_status bad(const parser *p, const char *what, const char *text) {
    return fail(p->err, GLSHAPE_BAD_INPUT, "%s, line %llu: %s '%.60s'", p->s->name,
                (unsigned long long)p->s->line, what, text);
}

static glshape_status next_line(parser *p, char **line) {
    size_t length;
    TRY(io_stream_line(p->err, p->s, line, &length));
    return *line ? GLSHAPE_OK
                 : fail(p->err, GLSHAPE_BAD_INPUT,
                        "%s has no scalars of points or cells, or is cut short before them", p->s->name);
}

static glshape_status take_type(parser *p, const char *name) {
    static const struct {
        const char *name, *code;
    } types[] = {{"unsigned_char", "u1"}, {"char", "i1"},         {"unsigned_short", "u2"},
                 {"short", "i2"},         {"unsigned_int", "u4"}, {"int", "i4"},
                 {"unsigned_long", "u8"}, {"long", "i8"},         {"float", "f4"},
                 {"double", "f8"},        {"vtktypeint64", "i8"}, {"vtktypeuint64", "u8"}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (!strcasecmp(name, types[i].name)) {
            io_values_set_type(p->out, types[i].code, io_is_little_endian());
            return GLSHAPE_OK;
        }
    return bad(p, "a type that is not read:", name);
}

/* "SCALARS name type [components]", and the line of a table of colors. */
static glshape_status take_scalars(parser *p, const char *line) {
    char type[WORD], *next;
    int channels = 1;
    if (sscanf(line, "%*s %*s %63s %d", type, &channels) < 1 || channels < 1 || channels > 4)
        return bad(p, "no scalars:", line);
    TRY(take_type(p, type));
    p->out->channels = (size_t)channels;
    TRY(next_line(p, &next));
    if (strncasecmp(next + strspn(next, " \t"), "LOOKUP_TABLE", 12) != 0)
        return bad(p, "a line such as 'LOOKUP_TABLE default' comes before scalars, not", next);
    p->found = true;
    return GLSHAPE_OK;
}

/* "COLOR_SCALARS name components": what VTK calls bytes that are the scalars; as text their 255th parts. */
static glshape_status take_colors(parser *p, const char *line) {
    int channels = 0;
    if (sscanf(line, "%*s %*s %d", &channels) < 1 || channels < 1 || channels > 4)
        return bad(p, "no scalars:", line);
    p->out->colors = p->out->text;
    p->out->channels = (size_t)channels;
    p->found = true;
    return take_type(p, p->out->text ? "float" : "unsigned_char");
}

/* "FIELD name arrays", then "name components tuples type": the first array. */
static glshape_status take_field(parser *p) {
    char type[WORD], *line;
    long long channels, tuples;
    do TRY(next_line(p, &line));
    while (!line[strspn(line, " \t")]);
    if (sscanf(line, "%*s %lld %lld %63s", &channels, &tuples, type) != 3 || channels < 1 ||
        channels > 1 << 20)
        return bad(p, "no array of a field:", line);
    if (tuples != p->points) return bad(p, "an array of another length than the grid:", line);
    TRY(take_type(p, type));
    p->out->channels = (size_t)channels;
    p->found = true;
    return GLSHAPE_OK;
}

static bool begins(const char *line, const char *word) {
    size_t length = strlen(word);
    return !strncasecmp(line, word, length) && (!line[length] || line[length] == ' ');
}

static glshape_status take_line(parser *p, const char *line) {
    if (begins(line, "DATASET") && !begins(line + 7 + (line[7] == ' '), "STRUCTURED_POINTS"))
        return bad(p, "a field is on a grid, STRUCTURED_POINTS (vtkImageData); resample it to one:", line);
    if (begins(line, "DIMENSIONS") &&
        (sscanf(line, "%*s %lld %lld %lld", &p->sizes[0], &p->sizes[1], &p->sizes[2]) != 3 ||
         p->sizes[0] < 1 || p->sizes[1] < 1 || p->sizes[2] < 1))
        return bad(p, "no dimensions:", line);
    bool cells = begins(line, "CELL_DATA");
    if (begins(line, "POINT_DATA") || cells) {
        p->cells = cells;
        if (sscanf(line, "%*s %lld", &p->points) != 1) return bad(p, "no number of values:", line);
    }
    if (p->points && begins(line, "SCALARS")) return take_scalars(p, line);
    if (p->points && begins(line, "COLOR_SCALARS")) return take_colors(p, line);
    return p->points && begins(line, "FIELD") ? take_field(p) : GLSHAPE_OK;
}

static glshape_status check_sizes(parser *p) {
    long long product = 1;
    for (int k = 0; k < 3; k++) {
        if (p->cells && p->sizes[k] > 1) p->sizes[k]--;
        if (p->sizes[k] < 1 || product > (1ll << 60) / p->sizes[k])
            return bad(p, "no DIMENSIONS come before", "the values");
        product *= p->sizes[k];
    }
    if (product != p->points)
        return fail(p->err, GLSHAPE_BAD_INPUT, "%s: its DIMENSIONS make %lld values, but it has %lld",
                    p->s->name, product, p->points);
    io_values_set_sizes(p->out, p->sizes, 3);
    return GLSHAPE_OK;
}

glshape_status io_vtk_read_header(error *err, io_stream *s, io_values *out) {
    parser p = {.err = err, .s = s, .out = out};
    char *line;
    *out = (io_values){.more = true};
    for (int k = 0; k < 3; k++) TRY(next_line(&p, &line)); /* version, title, encoding */
    out->text = begins(line, "ASCII");
    if (!out->text && !begins(line, "BINARY")) return bad(&p, "neither ASCII nor BINARY:", line);
    for (int k = 0; k < MOST_LINES && !p.found; k++) {
        TRY(next_line(&p, &line));
        TRY(take_line(&p, line));
    }
    return p.found ? check_sizes(&p)
                   : fail(err, GLSHAPE_BAD_INPUT,
                          "%s has no scalars of points or cells in its first %d lines", s->name, MOST_LINES);
}
