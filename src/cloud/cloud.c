#include "cloud/cloud.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/owned.h"
#include "cloud/rows.h"
#include "io/number.h"
#include "io/room.h"
#include "io/text.h"

typedef struct reader {
    io_format format;
    const char *extension;
    bool binary; /* its values may be */
    glshape_status (*read)(cloud_rows *r);
} reader;

static const reader readers[] = {
    {IO_PLY, ".ply", true, cloud_read_ply},  {IO_PCD, ".pcd", true, cloud_read_pcd},
    {IO_OFF, ".off", false, cloud_read_off}, {IO_OBJ, ".obj", false, cloud_read_obj},
    {IO_XYZ, ".xyz", false, cloud_read_xyz}, {IO_GEOJSON, ".geojson", false, cloud_read_geojson},
    {IO_WKT, ".wkt", false, cloud_read_wkt},
};
enum { READERS = sizeof readers / sizeof *readers };

static const reader *reader_of(io_format format) {
    for (int i = 0; i < READERS; i++)
        if (readers[i].format == format) return &readers[i];
    return NULL;
}

bool cloud_is_format(io_format format) { return reader_of(format) != NULL; }

/* ---- what the first bytes tell ------------------------------------------------------------------ */

/* What is left of the window. */
typedef struct head {
    const char *at, *end;
} head;

static void skip_space(head *h) {
    while (h->at < h->end && isspace((unsigned char)*h->at)) h->at++;
}

static bool take_word(head *h, const char *word) {
    size_t length = strlen(word);
    if ((size_t)(h->end - h->at) < length || strncasecmp(h->at, word, length) != 0) return false;
    h->at += length;
    return true;
}

static bool starts(head h, const char *text) {
    size_t length = strlen(text);
    return (size_t)(h.end - h.at) >= length && !memcmp(h.at, text, length);
}

static bool is_pcd(head h) {
    return starts(h, "# .PCD") || starts(h, "VERSION .7") || starts(h, "VERSION 0.7");
}

/* OFF, with what its vertices have before it: ST, C, N, 4, n. */
static bool is_off(head h) {
    while (h.at < h.end && strchr("STCN4n", *h.at)) h.at++;
    return h.end - h.at > 3 && !memcmp(h.at, "OFF", 3) && isspace((unsigned char)h.at[3]);
}

static bool is_geojson(head h) {
    skip_space(&h);
    if (h.at < h.end && *h.at == '\x1e') h.at++; /* of a sequence (RFC 8142) */
    return h.at < h.end && *h.at == '{';
}

/* A geometry, and what opens its positions. */
static bool is_wkt(head h) {
    static const char *const kinds[] = {"POINT",   "MULTIPOINT",   "LINESTRING",        "MULTILINESTRING",
                                        "POLYGON", "MULTIPOLYGON", "GEOMETRYCOLLECTION"};
    skip_space(&h);
    if (take_word(&h, "SRID=")) return true;
    bool found = false;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds && !found; i++) found = take_word(&h, kinds[i]);
    skip_space(&h);
    if (!take_word(&h, "ZM") && !take_word(&h, "Z")) take_word(&h, "M");
    skip_space(&h);
    return found && h.at < h.end && (*h.at == '(' || take_word(&h, "EMPTY"));
}

/* Its first line that is no comment is a vertex, or names materials. */
static bool is_obj(head h) {
    for (skip_space(&h); h.at < h.end && *h.at == '#'; skip_space(&h)) {
        h.at = memchr(h.at, '\n', (size_t)(h.end - h.at));
        if (!h.at) return false;
    }
    if (take_word(&h, "mtllib ")) return true;
    if (!take_word(&h, "v ")) return false;
    skip_space(&h);
    return h.at < h.end && strchr("+-.0123456789", *h.at);
}

static bool has_extension(const char *path, const char *extension) {
    size_t length = strlen(path), own = strlen(extension);
    if (length > 3 && !strcasecmp(path + length - 3, ".gz")) length -= 3;
    return length > own && !strncasecmp(path + length - own, extension, own);
}

io_format cloud_format_of(const io_stream *s, const char *path, io_format format) {
    head h = {s->window + s->at, s->window + s->at + s->have};
    if (format != IO_AUTO) return format;
    if (starts(h, "\xef\xbb\xbf")) h.at += 3; /* a byte order mark */
    if (starts(h, "ply\n") || starts(h, "ply\r")) return IO_PLY;
    if (is_pcd(h)) return IO_PCD;
    if (is_off(h)) return IO_OFF;
    if (is_geojson(h)) return IO_GEOJSON;
    if (is_wkt(h)) return IO_WKT;
    if (is_obj(h) || has_extension(path, ".obj")) return IO_OBJ;
    return has_extension(path, ".xyz") ? IO_XYZ : format;
}

/* ---- rows ---------------------------------------------------------------------------------------- */

glshape_status cloud_add_column(cloud_rows *r, const char *name, size_t length) {
    size_t used = strlen(r->names);
    if (used + length + 2 > CLOUD_NAMES)
        return fail(r->err, GLSHAPE_BAD_INPUT, "%s: its points have too many properties, more than %zu",
                    r->s->name, r->width);
    if (r->width) r->names[used++] = ',';
    for (size_t i = 0; i < length; i++) { /* what would end a name, or quote it */
        unsigned char c = (unsigned char)name[i];
        r->names[used + i] = c <= ' ' || c == ',' || c == '"' ? '_' : name[i];
    }
    r->names[used + length] = 0;
    r->width++;
    return GLSHAPE_OK;
}

static bool has_column(const cloud_rows *r, char name) {
    for (const char *at = r->names;; at++) {
        if (*at == name && (!at[1] || at[1] == ',')) return true;
        at = strchr(at, ',');
        if (!at) return false;
    }
}

glshape_status cloud_choose(cloud_rows *r, size_t first) {
    char numbers[16];
    io_columns columns = *r->columns;
    bool plane = has_column(r, 'x') && has_column(r, 'y');
    snprintf(numbers, sizeof numbers, "1-%zu", first);
    const char *some = first ? numbers : !plane ? NULL : has_column(r, 'z') ? "x,y,z" : "x,y";
    if (columns.geographic) some = plane ? "y,x" : NULL;
    if (!columns.chosen && !columns.left_out) columns.chosen = some;
    return io_columns_place(r->err, r->s->name, &columns, r->names, r->width, &r->place, &r->cols);
}

glshape_status cloud_new_records(cloud_rows *r, size_t count, void **out) {
    size_t need = r->count + count * r->cols, size = cloud_value_size(r);
    if (need > r->capacity || !r->values)
        TRY(io_room_grow(r->err, r->s->name, &r->values, &r->capacity, need + (1 << 12), SIZE_MAX, size));
    *out = (char *)r->values + r->count * size;
    r->count = need;
    return GLSHAPE_OK;
}

glshape_status cloud_new_rows(cloud_rows *r, size_t count, double **out) {
    void *rows;
    TRY(cloud_new_records(r, count, &rows));
    *out = rows;
    return GLSHAPE_OK;
}

glshape_status cloud_next_line(cloud_rows *r, char **line, size_t *length) {
    do TRY(io_stream_line(r->err, r->s, line, length));
    while (*line && io_line_is_skipped(*line, *length));
    return GLSHAPE_OK;
}

glshape_status cloud_add_line(cloud_rows *r, io_fields fields, bool more) {
    io_field field = {.text = ""};
    char shown[IO_QUOTED_ROOM];
    double *row, ignored = 0;
    size_t k = 0;
    unsigned long long line = r->s->line;
    TRY(cloud_new_rows(r, 1, &row));
    for (; k < r->width && io_fields_next(&fields, &field); k++) {
        double *to = r->place[k] < r->cols ? row + r->place[k] : &ignored;
        if (!io_number_parse(field.text, field.length, to))
            return fail(r->err, GLSHAPE_BAD_INPUT, "%s: line %llu: %s is not a number", r->s->name, line,
                        io_field_shown(&field, shown));
    }
    size_t rest = more ? 0 : io_fields_count(fields);
    if (k == r->width && !rest) return GLSHAPE_OK;
    return fail(r->err, GLSHAPE_BAD_INPUT, "%s: line %llu has %zu numbers; a point has %zu: %s", r->s->name,
                line, k + rest, r->width, r->names);
}

glshape_status cloud_refuse_end(const cloud_rows *r, unsigned long long announced) {
    return fail(r->err, GLSHAPE_BAD_INPUT,
                "%s announces %llu points, but ends after %zu: it is cut off; copy it again", r->s->name,
                announced, r->cols ? r->count / r->cols : 0);
}

static void rows_free(cloud_rows *r) {
    free(r->place);
    free(r->values);
}

glshape_status cloud_read(error *err, io_stream *s, io_format format, const io_columns *columns,
                          glshape_matrix *out) {
    OWNED_BY(rows_free) cloud_rows r = {.err = err, .s = s, .columns = columns};
    const reader *by = reader_of(format);
    *out = (glshape_matrix){.data = NULL};
    if (!by->binary) TRY(io_check_text(err, s));
    TRY(by->read(&r));
    if (!r.count) return fail(err, GLSHAPE_BAD_INPUT, "%s has no points", s->name);
    *out = (glshape_matrix){r.single ? GLSHAPE_F32 : GLSHAPE_F64, r.count / r.cols, r.cols, MOVE(r.values)};
    return GLSHAPE_OK;
}
