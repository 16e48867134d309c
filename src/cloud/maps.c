/* GeoJSON (RFC 7946), also a sequence of features (RFC 8142), and WKT: points and multipoints. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/owned.h"
#include "cloud/rows.h"
#include "io/number.h"
#include "io/room.h"

enum { DEEPEST = 64, POSITION = 4, KIND = 24, BLOCK = 1 << 14 };

typedef struct text {
    cloud_rows *r;
    const char *start, *at, *end;
    size_t most; /* coordinates of a position: those of the first one */
} text;

/* ---- both ----------------------------------------------------------------------------------------- */

static glshape_status read_all(cloud_rows *r, char **out, size_t *length) {
    size_t capacity = 0, got = 1;
    *out = NULL;
    for (*length = 0; got; *length += got) {
        size_t block = *length < BLOCK ? BLOCK : *length;
        if (*length + block + 1 > capacity)
            TRY(io_room_grow(r->err, r->s->name, out, &capacity, *length + block + 1, SIZE_MAX, 1));
        TRY(io_stream_read(r->err, r->s, *out + *length, capacity - *length - 1, &got));
    }
    (*out)[*length] = 0;
    if (*length >= 3 && !memcmp(*out, "\xef\xbb\xbf", 3)) memset(*out, ' ', 3); /* a byte order mark */
    return GLSHAPE_OK;
}

static unsigned long long line_of(const text *t) {
    unsigned long long line = 1;
    for (const char *p = t->start; p < t->at; p++) line += *p == '\n';
    return line;
}

static glshape_status bad(const text *t, const char *what) {
    return fail(t->r->err, GLSHAPE_BAD_INPUT, "%s: line %llu: %s", t->r->s->name, line_of(t), what);
}

static glshape_status refuse_kind(const text *t, const char *kind) {
    return fail(
        t->r->err, GLSHAPE_BAD_INPUT,
        "%s: line %llu has a %s, but only Point and MultiPoint are points; take its corners first, as "
        "'Extract vertices' of QGIS does",
        t->r->s->name, line_of(t), kind);
}

static void skip_space(text *t) {
    while (t->at < t->end && isspace((unsigned char)*t->at)) t->at++;
}

/* Moves behind a character; false: another one is there. */
static bool take(text *t, char c) {
    skip_space(t);
    if (t->at == t->end || *t->at != c) return false;
    t->at++;
    return true;
}

static bool take_number(text *t, double *out) {
    skip_space(t);
    const char *end = t->at;
    while (end < t->end && *end && strchr("+-.0123456789eEinfaINFA", *end)) end++;
    bool number = io_number_parse(t->at, (size_t)(end - t->at), out);
    t->at = number ? end : t->at;
    return number;
}

static const char *const geographic[POSITION] = {"lon", "lat", "alt", "m"};

/* The first position says what columns there are. By default two of them are read if third is an altitude. */
static glshape_status add_position(text *t, const char *const names[POSITION], size_t first,
                                   const double *values, size_t count) {
    cloud_rows *r = t->r;
    double *row;
    for (size_t k = 0; !t->most && k < count; k++) TRY(cloud_add_column(r, names[k], strlen(names[k])));
    if (!t->most) TRY(cloud_choose(r, count < first ? count : first));
    if (!t->most && names == geographic && count > 2 && r->cols == 2)
        note(r->err, "%s: altitudes are left out; --columns lon,lat,alt reads them", r->s->name);
    if (!t->most) t->most = count;
    if (count != t->most) return bad(t, "this position has not as many coordinates as those before it");
    TRY(cloud_new_rows(r, 1, &row));
    for (size_t k = 0; k < count; k++)
        if (r->place[k] < r->cols) row[r->place[k]] = values[k];
    return GLSHAPE_OK;
}

/* ---- GeoJSON -------------------------------------------------------------------------------------- */

/* Passes a string; out gets its beginning, which is enough for what this file asks for. */
static glshape_status take_string(text *t, char out[KIND]) {
    size_t used = 0;
    if (!take(t, '"')) return bad(t, "this is not JSON: a string is missing");
    for (; t->at < t->end && *t->at != '"'; t->at++) {
        if (*t->at == '\\' && t->at + 1 < t->end) t->at++;
        if (t->at < t->end && used + 1 < KIND) out[used++] = *t->at;
    }
    out[used] = 0;
    return take(t, '"') ? GLSHAPE_OK : bad(t, "a string has no end");
}

static glshape_status take_value(text *t, int depth);

static glshape_status take_position(text *t) {
    double values[POSITION];
    size_t count = 0;
    do {
        if (count == POSITION || !take_number(t, &values[count++]))
            return bad(t, "this is no position of longitude and latitude");
    } while (take(t, ','));
    if (!take(t, ']') || count < 2) return bad(t, "this is no position of longitude and latitude");
    return add_position(t, geographic, 2, values, count);
}

/* A Point's coordinates, or a MultiPoint's: what kind it is may be said behind them, so it is told by depth.
 */
static glshape_status take_coordinates(text *t) {
    if (!take(t, '[')) return bad(t, "coordinates are no list");
    if (take(t, ']')) return bad(t, "a geometry is empty; leave it out");
    text after = *t;
    if (!take(&after, '[')) return take_position(t);
    if (take(&after, '[')) return refuse_kind(t, "geometry of lines or areas");
    do {
        if (!take(t, '[')) return bad(t, "coordinates are no list of positions");
        TRY(take_position(t));
    } while (take(t, ','));
    return take(t, ']') ? GLSHAPE_OK : bad(t, "a list has no end");
}

/* kind: gets the object's type. */
static glshape_status take_member(text *t, int depth, char kind[KIND]) {
    char key[KIND];
    TRY(take_string(t, key));
    if (!take(t, ':')) return bad(t, "this is not JSON: a colon is missing");
    skip_space(t);
    bool string = t->at < t->end && *t->at == '"';
    if (!strcmp(key, "type") && string) return take_string(t, kind);
    if (!strcmp(key, "coordinates")) return take_coordinates(t);
    if (!strcmp(key, "geometry") && t->at < t->end && *t->at == 'n')
        return bad(t, "a feature has no geometry; leave it out");
    bool inside = !strcmp(key, "geometry") || !strcmp(key, "geometries") || !strcmp(key, "features");
    return take_value(t, inside ? depth : -depth);
}

/* depth is below 0 where nothing is a geometry, as in properties. */
static glshape_status take_object(text *t, int depth) {
    char kind[KIND] = "";
    size_t before = t->r->count;
    if (take(t, '}')) return GLSHAPE_OK;
    do {
        char key[KIND];
        if (depth > 0) {
            TRY(take_member(t, depth, kind));
            continue;
        }
        TRY(take_string(t, key));
        if (!take(t, ':')) return bad(t, "this is not JSON: a colon is missing");
        TRY(take_value(t, depth));
    } while (take(t, ','));
    if (!take(t, '}')) return bad(t, "this is not JSON: an object has no end");
    bool line = t->r->count > before && (strstr(kind, "Line") || strstr(kind, "Polygon"));
    return line ? refuse_kind(t, kind) : GLSHAPE_OK;
}

static glshape_status take_list(text *t, int depth) {
    if (take(t, ']')) return GLSHAPE_OK;
    do TRY(take_value(t, depth));
    while (take(t, ','));
    return take(t, ']') ? GLSHAPE_OK : bad(t, "this is not JSON: a list has no end");
}

static glshape_status take_value(text *t, int depth) {
    static const char *const words[] = {"true", "false", "null"};
    char ignored[KIND];
    double number;
    int deeper = depth < 0 ? depth - 1 : depth + 1;
    if (abs(deeper) > DEEPEST) return bad(t, "objects and lists are nested too deeply");
    skip_space(t);
    if (take(t, '{')) return take_object(t, deeper);
    if (take(t, '[')) return take_list(t, deeper);
    if (t->at < t->end && *t->at == '"') return take_string(t, ignored);
    for (int i = 0; i < 3; i++) {
        size_t length = strlen(words[i]);
        if ((size_t)(t->end - t->at) >= length && !memcmp(t->at, words[i], length)) {
            t->at += length;
            return GLSHAPE_OK;
        }
    }
    return take_number(t, &number) ? GLSHAPE_OK : bad(t, "this is not JSON: a value is missing");
}

glshape_status cloud_read_geojson(cloud_rows *r) {
    OWNED char *bytes = NULL;
    size_t length;
    TRY(read_all(r, &bytes, &length));
    text t = {.r = r, .start = bytes, .at = bytes, .end = bytes + length};
    for (;;) {
        take(&t, '\x1e');
        skip_space(&t);
        if (t.at == t.end) break;
        TRY(take_value(&t, 1));
    }
    if (r->count) return GLSHAPE_OK;
    return fail(r->err, GLSHAPE_BAD_INPUT,
                "%s is JSON, but no GeoJSON with points: it has no coordinates; save numbers as .csv",
                r->s->name);
}

/* ---- WKT ------------------------------------------------------------------------------------------ */

static const char *const plane[POSITION] = {"x", "y", "z", "m"};
static const char *const measured[POSITION] = {"x", "y", "m", "4"};

static void take_word(text *t, char out[KIND]) {
    size_t used = 0;
    skip_space(t);
    for (; t->at < t->end && isalpha((unsigned char)*t->at); t->at++)
        if (used + 1 < KIND) out[used++] = (char)toupper((unsigned char)*t->at);
    out[used] = 0;
}

/* m: the third number is a measure, which is no coordinate, as the fourth is. */
static glshape_status take_points(text *t, bool m) {
    double values[POSITION];
    do {
        size_t count = 0;
        bool wrapped = take(t, '(');
        while (count < POSITION && take_number(t, &values[count])) count++;
        if (count < 2 || (wrapped && !take(t, ')')))
            return bad(t, "this is no position of two to four numbers");
        TRY(add_position(t, m ? measured : plane, m ? 2 : 3, values, count));
    } while (take(t, ','));
    return take(t, ')') ? GLSHAPE_OK : bad(t, "a geometry has no end");
}

/* A geometry, or what a collection has between its brackets. */
static glshape_status take_geometry(text *t, int *open) {
    char word[KIND], kind[KIND];
    take_word(t, kind);
    bool collection = !strcmp(kind, "GEOMETRYCOLLECTION");
    bool points = !strncmp(kind, "POINT", 5) || !strncmp(kind, "MULTIPOINT", 10);
    if (!*kind) return bad(t, "this is no geometry; POINT and MULTIPOINT are read");
    if (!points && !collection) return refuse_kind(t, kind);
    bool m = !strcmp(kind, "POINTM") || !strcmp(kind, "MULTIPOINTM");
    for (take_word(t, word); *word; m |= !strcmp(word, "M"), take_word(t, word))
        if (!strcmp(word, "EMPTY")) return bad(t, "a geometry is empty; leave it out");
    if (!take(t, '(')) return bad(t, "a geometry has no bracket");
    if (points) return take_points(t, m);
    ++*open;
    return GLSHAPE_OK;
}

glshape_status cloud_read_wkt(cloud_rows *r) {
    OWNED char *bytes = NULL;
    size_t length;
    int open = 0; /* collections */
    TRY(read_all(r, &bytes, &length));
    text t = {.r = r, .start = bytes, .at = bytes, .end = bytes + length};
    for (;;) {
        double ignored;
        skip_space(&t);
        if (t.at == t.end) break;
        if (open && take(&t, ')')) {
            open--;
            continue;
        }
        if (take(&t, ',') || take(&t, ';')) continue;
        if (t.end - t.at > 5 && !memcmp(t.at, "SRID=", 5)) {
            t.at += 5;
            if (!take_number(&t, &ignored)) return bad(&t, "SRID= is followed by no number");
            continue;
        }
        TRY(take_geometry(&t, &open));
    }
    return open ? bad(&t, "a collection has no end") : GLSHAPE_OK;
}
