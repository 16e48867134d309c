#include "io/graph/tsplib.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/owned.h"
#include "io/number.h"
#include "io/read.h"
#include "io/sparse_lines.h"

typedef struct city {
    uint32_t node;
    unsigned long long line;
    double xy[2];
} city;

typedef struct cities {
    error *err;
    io_stream s;
    uint64_t dimension; /* how many nodes the file announces */
    city *read;
    size_t count, room;
    bool geographic; /* latitude, longitude in DDD.MM */
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
    city now = {.line = at(c)};
    if (line->count != 3)
        return fail(c->err, GLSHAPE_BAD_INPUT, "%s: line %llu has %zu fields; a city has three: number, x, y",
                    c->s.name, at(c), line->count);
    TRY(io_field_place(c->err, &c->s, &line->field[0], "city", c->dimension, &now.node));
    for (int i = 0; i < 2; i++) {
        const io_field *field = &line->field[1 + i];
        char shown[IO_QUOTED_ROOM];
        if (!io_number_parse(field->text, field->length, &now.xy[i]) || !isfinite(now.xy[i]))
            return fail(c->err, GLSHAPE_BAD_INPUT, "%s: line %llu, column %d: %s is no coordinate", c->s.name,
                        at(c), i + 2, io_field_shown(field, shown));
    }
    if (c->geographic) memcpy(now.xy, (double[]){degrees(now.xy[1]), degrees(now.xy[0])}, sizeof now.xy);
    TRY(memory_reserve(c->err, &c->read, &c->room, c->count + 1, sizeof now, "cities"));
    c->read[c->count++] = now;
    return GLSHAPE_OK;
}

/* Until EOF or another section. */
static glshape_status read_cities(cities *c) {
    io_line line;
    for (;;) {
        TRY(io_line_next(c->err, &c->s, "", &line));
        if (!line.text) return GLSHAPE_OK;
        const char *text = line.text + strspn(line.text, " \t");
        if (*text >= 'A' && *text <= 'Z') return GLSHAPE_OK;
        io_line_split(&line, IO_BLANKS);
        TRY(take_city(c, &line));
    }
}

/* Fills xy by number. */
static glshape_status place_cities(const cities *c, double *xy) {
    for (uint64_t k = 0; k < 2 * c->dimension; k++) xy[k] = NAN;
    for (size_t k = 0; k < c->count; k++) {
        const city *now = &c->read[k];
        if (!isnan(xy[2 * (size_t)now->node]))
            return fail(c->err, GLSHAPE_BAD_INPUT, "%s: line %llu: city %llu comes twice", c->s.name,
                        now->line, (unsigned long long)now->node + 1);
        memcpy(xy + 2 * (size_t)now->node, now->xy, sizeof now->xy);
    }
    return GLSHAPE_OK;
}

static void cities_free(cities *c) {
    io_stream_close(&c->s);
    free(c->read);
}

glshape_status io_read_tsplib(error *err, const char *path, glshape_matrix *out) {
    OWNED_BY(cities_free) cities c = {.err = err};
    OWNED double *xy = NULL;
    *out = (glshape_matrix){.data = NULL};
    TRY(io_stream_open(err, path, &c.s));
    TRY(read_head(&c));
    TRY(read_cities(&c));
    if (c.count < c.dimension)
        return fail(err, GLSHAPE_BAD_INPUT, "%s: DIMENSION says %llu cities, but %llu are there", c.s.name,
                    (unsigned long long)c.dimension, (unsigned long long)c.count);
    TRY(allocate(err, &xy, c.dimension, sizeof(double[2]), "cities"));
    TRY(place_cities(&c, xy));
    *out = (glshape_matrix){GLSHAPE_F64, c.dimension, 2, MOVE(xy)};
    return GLSHAPE_OK;
}
