#include "io/tsplib.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/number.h"
#include "io/read.h"
#include "io/room.h"
#include "io/sparse_lines.h"

typedef struct cities {
    error *err;
    io_stream s;
    uint64_t dimension, read; /* nodes that there are to be, and are */
    double *xy;               /* NaN where not read */
    bool geographic;          /* latitude, longitude in DDD.MM */
    size_t capacity;
} cities;

static unsigned long long at(const cities *c) { return (unsigned long long)c->s.line; }

static bool starts_with(const char *line, const char *key) { return !strncmp(line, key, strlen(key)); }

/* What follows the colon. */
static const char *value_of(const char *line) {
    const char *colon = strchr(line, ':');
    if (!colon) return line + strcspn(line, " \t");
    return colon + 1 + strspn(colon + 1, " \t");
}

static bool is_word(const char *text, const char *word) {
    return strcspn(text, " \t\r") == strlen(word) && starts_with(text, word);
}

static glshape_status take_dimension(cities *c, const char *line) {
    const char *value = value_of(line);
    io_field field = {.text = value, .length = strcspn(value, " \t")};
    if (io_field_whole(&field, &c->dimension) && c->dimension) return GLSHAPE_OK;
    return fail(c->err, GLSHAPE_BAD_INPUT, "%s: line %llu: DIMENSION is no number of nodes", c->s.name,
                at(c));
}

static glshape_status read_head(cities *c) {
    char *line;
    size_t length;
    for (;;) {
        TRY(io_stream_line(c->err, &c->s, &line, &length));
        if (!line || starts_with(line, "EOF"))
            return fail(c->err, GLSHAPE_BAD_INPUT,
                        "%s has no NODE_COORD_SECTION: it is no TSPLIB file of cities with coordinates",
                        c->s.name);
        line += strspn(line, " \t");
        if (starts_with(line, "DIMENSION")) TRY(take_dimension(c, line));
        if (starts_with(line, "EDGE_WEIGHT_TYPE")) c->geographic = is_word(value_of(line), "GEO");
        if (starts_with(line, "NODE_COORD_TYPE") && strstr(line, "THREED"))
            return fail(c->err, GLSHAPE_BAD_INPUT,
                        "%s: line %llu: cities in space; two coordinates are needed", c->s.name, at(c));
        if (starts_with(line, "NODE_COORD_SECTION")) break;
    }
    if (c->dimension) return GLSHAPE_OK;
    return fail(c->err, GLSHAPE_BAD_INPUT, "%s: line %llu: NODE_COORD_SECTION without a DIMENSION before it",
                c->s.name, at(c));
}

/* DDD.MM in degrees. Minutes are whole or decimal; a millionth is beyond what a double of DDD.MM holds. */
static double degrees(double value) {
    double whole = trunc(value), minutes = round((value - whole) * 1e8) / 1e6;
    return (60 * whole + minutes) / 60;
}

static glshape_status take_city(cities *c, const io_line *line) {
    uint32_t node;
    double xy[2];
    if (line->count != 3)
        return fail(c->err, GLSHAPE_BAD_INPUT, "%s: line %llu has %zu fields; a city has three: number, x, y",
                    c->s.name, at(c), line->count);
    TRY(io_field_place(c->err, &c->s, &line->field[0], "city", c->dimension, &node));
    for (int i = 0; i < 2; i++) {
        const io_field *field = &line->field[1 + i];
        char shown[IO_QUOTED_ROOM];
        if (!io_number_parse(field->text, field->length, &xy[i]) || !isfinite(xy[i]))
            return fail(c->err, GLSHAPE_BAD_INPUT, "%s: line %llu, column %d: %s is no coordinate", c->s.name,
                        at(c), i + 2, io_field_shown(field, shown));
    }
    if (!isnan(c->xy[2 * (size_t)node]))
        return fail(c->err, GLSHAPE_BAD_INPUT, "%s: line %llu: city %llu comes twice", c->s.name, at(c),
                    (unsigned long long)node + 1);
    if (c->geographic) memcpy(xy, (double[]){degrees(xy[1]), degrees(xy[0])}, sizeof xy);
    memcpy(c->xy + 2 * (size_t)node, xy, sizeof xy);
    c->read++;
    return GLSHAPE_OK;
}

/* Until EOF or another section. */
static glshape_status read_cities(cities *c) {
    io_line line;
    if (c->dimension > SIZE_MAX / sizeof(double[2]))
        return fail(c->err, GLSHAPE_NO_MEMORY, "%s: DIMENSION is %llu: there is no memory for that",
                    c->s.name, (unsigned long long)c->dimension);
    TRY(io_room_check(c->err, c->s.name, c->dimension * sizeof(double[2])));
    c->xy = malloc(c->dimension * sizeof(double[2]));
    if (!c->xy) return fail(c->err, GLSHAPE_NO_MEMORY, "%s: no memory for its cities", c->s.name);
    for (uint64_t k = 0; k < 2 * c->dimension; k++) c->xy[k] = NAN;
    for (;;) {
        TRY(io_line_next(c->err, &c->s, "", &line));
        if (!line.text) break;
        const char *text = line.text + strspn(line.text, " \t");
        if (*text >= 'A' && *text <= 'Z') break;
        io_line_split(&line, IO_BLANKS);
        TRY(take_city(c, &line));
    }
    if (c->read == c->dimension) return GLSHAPE_OK;
    return fail(c->err, GLSHAPE_BAD_INPUT, "%s: DIMENSION says %llu cities, but %llu are there", c->s.name,
                (unsigned long long)c->dimension, (unsigned long long)c->read);
}

glshape_status io_read_tsplib(error *err, const char *path, glshape_matrix *out) {
    cities c = {.err = err};
    *out = (glshape_matrix){.data = NULL};
    TRY(io_stream_open(err, path, &c.s));
    glshape_status status = read_head(&c);
    if (!status) status = read_cities(&c);
    io_stream_close(&c.s);
    if (status) free(c.xy);
    else *out = (glshape_matrix){GLSHAPE_F64, c.dimension, 2, c.xy};
    return status;
}
