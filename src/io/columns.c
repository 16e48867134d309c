#include "io/columns.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/owned.h"
#include "io/fields.h"
#include "io/number.h"
#include "io/read.h"
#include "io/room.h"
#include "io/stream.h"
#include "io/text.h"

enum { FIRST_VALUES = 1 << 12, SHOWN_NAMES = 400 };

typedef struct table {
    error *err;
    io_stream s;
    const io_columns *columns;
    char delimiter;
    size_t place[IO_COLUMNS]; /* of each column among the fields */
    size_t width;             /* fields of a row */
    double *values;
    size_t count, capacity;
} table;

glshape_status io_columns_parse(error *err, const char *option, const char *text, io_columns *out) {
    *out = (io_columns){0};
    for (const char *at = text;; at++) {
        size_t length = strcspn(at, ",");
        if (!length || length >= IO_COLUMN_NAME || out->count == IO_COLUMNS)
            return fail(err, GLSHAPE_BAD_ARGUMENT,
                        "%s takes up to %d names of columns, such as lon,lat, not '%s'", option, IO_COLUMNS,
                        text);
        memcpy(out->name[out->count++], at, length);
        at += length;
        if (!*at) return GLSHAPE_OK;
    }
}

static glshape_status next_line(table *t, char **line, size_t *length) {
    do TRY(io_stream_line(t->err, &t->s, line, length));
    while (*line && io_line_is_skipped(*line, *length));
    return GLSHAPE_OK;
}

/* ---- the first line ---------------------------------------------------------------------------- */

static bool is_name(const io_field *field, const char *name) {
    return field->length == strlen(name) && !memcmp(field->text, name, field->length);
}

static glshape_status no_column(table *t, io_fields fields, const char *name) {
    char known[SHOWN_NAMES];
    size_t used = 0;
    for (io_field field; io_fields_next(&fields, &field);) {
        char shown[IO_QUOTED_ROOM];
        io_field_shown(&field, shown);
        if (used + strlen(shown) + 6 > sizeof known) {
            used += (size_t)snprintf(known + used, sizeof known - used, " ...");
            break;
        }
        used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", used ? " " : "", shown);
    }
    return fail(t->err, GLSHAPE_BAD_INPUT, "%s has no column '%s'; its first line names %.*s", t->s.name,
                name, (int)used, known);
}

static glshape_status find_column(table *t, io_fields fields, int column) {
    const char *name = t->columns->name[column];
    const io_fields all = fields;
    size_t place = 0, found = 0;
    for (io_field field; io_fields_next(&fields, &field); place++) {
        if (!is_name(&field, name)) continue;
        t->place[column] = place;
        found++;
    }
    if (found == 1) return GLSHAPE_OK;
    if (!found) return no_column(t, all, name);
    return fail(t->err, GLSHAPE_BAD_INPUT, "%s has %zu columns '%s'; which one?", t->s.name, found, name);
}

static glshape_status read_names(table *t) {
    char *line;
    size_t length;
    TRY(next_line(t, &line, &length));
    if (!line) return fail(t->err, GLSHAPE_BAD_INPUT, "%s has no lines of a table", t->s.name);
    t->delimiter = io_fields_delimiter(line, length, "\t;, ");
    t->width = io_fields_count(io_fields_of(line, length, t->delimiter));
    for (int k = 0; k < t->columns->count; k++)
        TRY(find_column(t, io_fields_of(line, length, t->delimiter), k));
    return GLSHAPE_OK;
}

/* ---- the others -------------------------------------------------------------------------------- */

static glshape_status take_field(table *t, const io_field *field, int column, double *out) {
    char shown[IO_QUOTED_ROOM];
    bool number = !field->bad && io_number_parse(field->text, field->length, out);
    if (number && !io_number_is_rounded(field->text, field->length, *out, &(int64_t){0})) return GLSHAPE_OK;
    if (number)
        return fail(t->err, GLSHAPE_BAD_INPUT,
                    "%s: line %llu, column '%s': %s is an integer beyond 2^53 that double precision does not "
                    "have; subtract an offset first",
                    t->s.name, (unsigned long long)t->s.line, t->columns->name[column],
                    io_field_shown(field, shown));
    return fail(t->err, GLSHAPE_BAD_INPUT, "%s: line %llu, column '%s': %s is not a number", t->s.name,
                (unsigned long long)t->s.line, t->columns->name[column], io_field_shown(field, shown));
}

/* The fields of a line. One that is empty after the last delimiter is none where the first line has none. */
static size_t count_fields(const table *t, const char *line, size_t length) {
    io_fields fields = io_fields_of(line, length, t->delimiter);
    io_field field = {.length = 0};
    size_t count = 0;
    while (io_fields_next(&fields, &field)) count++;
    return count - (count == t->width + 1 && !field.length && !field.quoted);
}

/* Whether the first field of the first row names it: it is text or quoted, or begins a count. */
static bool begins_with_name(const table *t, const char *line, size_t length) {
    io_fields fields = io_fields_of(line, length, t->delimiter);
    io_field field;
    double value;
    if (!io_fields_next(&fields, &field) || !field.length) return false;
    return field.quoted || !io_number_parse(field.text, field.length, &value) || value == 0 || value == 1;
}

/* R's write.table leaves out the name of the first column, which has the names of the rows. */
static void make_room_for_names(table *t) {
    t->width++;
    for (int k = 0; k < t->columns->count; k++) t->place[k]++;
    note(
        t->err,
        "%s: line %llu has one field more than the line of names: the first is taken for the name of the row",
        t->s.name, (unsigned long long)t->s.line);
}

static glshape_status check_width(table *t, const char *line, size_t length) {
    size_t fields = count_fields(t, line, length), names = t->width;
    if (!t->count && fields == t->width + 1 && begins_with_name(t, line, length)) make_room_for_names(t);
    if (fields == t->width) return GLSHAPE_OK;
    return fail(t->err, GLSHAPE_BAD_INPUT, "%s: line %llu has %zu field%s, %s %zu", t->s.name,
                (unsigned long long)t->s.line, fields, fields == 1 ? "" : "s",
                t->count ? "the lines before it have" : "but the line of names has", names);
}

static glshape_status read_row(table *t, const char *line, size_t length) {
    size_t columns = (size_t)t->columns->count, place = 0, missing = columns;
    io_fields fields = io_fields_of(line, length, t->delimiter);
    if (t->count + columns > t->capacity)
        TRY(io_room_grow(t->err, t->s.name, &t->values, &t->capacity, t->count + FIRST_VALUES, SIZE_MAX,
                         sizeof *t->values));
    TRY(check_width(t, line, length));
    for (io_field field; missing && io_fields_next(&fields, &field); place++)
        for (int k = 0; k < t->columns->count; k++)
            if (t->place[k] == place) {
                TRY(take_field(t, &field, k, &t->values[t->count + (size_t)k]));
                missing--;
            }
    t->count += columns;
    return GLSHAPE_OK;
}

static void table_free(table *t) {
    io_stream_close(&t->s);
    free(t->values);
}

glshape_status io_read_columns(error *err, const char *path, const io_columns *columns, glshape_matrix *out) {
    OWNED_BY(table_free) table t = {.err = err, .columns = columns};
    size_t cols = (size_t)columns->count, length;
    char *line;
    *out = (glshape_matrix){.data = NULL};
    TRY(io_stream_open(err, path, &t.s));
    TRY(io_check_text(err, &t.s));
    TRY(read_names(&t));
    TRY(next_line(&t, &line, &length));
    while (line) {
        TRY(read_row(&t, line, length));
        TRY(next_line(&t, &line, &length));
    }
    if (!t.count) return fail(err, GLSHAPE_BAD_INPUT, "%s has only a line of names", t.s.name);
    *out = (glshape_matrix){GLSHAPE_F64, t.count / cols, cols, MOVE(t.values)};
    return GLSHAPE_OK;
}

/* ---- a hint ------------------------------------------------------------------------------------ */

/* Whether the field begins with start and is a name that --columns can take: without blanks and commas. */
static bool begins(const io_field *field, const char *start) {
    for (size_t i = 0; i < field->length; i++)
        if ((unsigned char)field->text[i] <= ' ' || field->text[i] == ',') return false;
    return field->length && field->length < IO_COLUMN_NAME && !strncasecmp(field->text, start, strlen(start));
}

bool io_columns_guess(const char *path, char out[IO_COLUMN_PAIR]) {
    static const char *const known[][2] = {{"lon", "lat"}, {"lng", "lat"}, {"x", "y"}, {"", ""}};
    OWNED_BY(table_free) table t = {.err = NULL};
    char *line;
    size_t length;
    double ignored;
    if (!strcmp(path, "-") || io_stream_open(NULL, path, &t.s) || io_check_text(NULL, &t.s)) return false;
    if (next_line(&t, &line, &length) || !line) return false;
    io_fields all = io_fields_of(line, length, io_fields_delimiter(line, length, "\t;,"));
    for (size_t k = 0; k < sizeof known / sizeof *known && io_fields_count(all) > 2; k++) {
        io_field field, x = {.length = 0}, y = x;
        for (io_fields fields = all; io_fields_next(&fields, &field);) {
            if (field.bad || io_number_parse(field.text, field.length, &ignored)) return false;
            if (!x.length && begins(&field, known[k][0])) x = field;
            else if (!y.length && begins(&field, known[k][1])) y = field;
        }
        if (!x.length || !y.length) continue;
        snprintf(out, IO_COLUMN_PAIR, "%.*s,%.*s", (int)x.length, x.text, (int)y.length, y.text);
        return true;
    }
    return false;
}
