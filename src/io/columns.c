#include "io/columns.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/matrix.h"
#include "base/memory.h"
#include "base/owned.h"
#include "io/fields.h"
#include "io/number.h"
#include "io/read.h"
#include "io/room.h"
#include "io/stream.h"
#include "io/text.h"

enum { FIRST_VALUES = 1 << 12, SHOWN_NAMES = 400, MOST_COLUMNS = 1 << 20 };

typedef struct table {
    error *err;
    io_stream *s;
    char delimiter;
    char *names;         /* the first line, which has the names; NULL: there is none */
    size_t length;       /* of it */
    size_t width;        /* fields of a row */
    bool indexed;        /* --index has the names of rows */
    bool points, commas; /* before decimals; commas stand between semicolons */
    bool more;           /* a row has one field more, its name, before them */
    size_t *column; /* of each field: where among the chosen ones, NOT_CHOSEN, NAMES_ROWS or LABELS_ROWS */
    size_t chosen, wanted; /* wanted: texts, too */
    io_texts *texts;
    double *values;
    size_t count, capacity;
} table;

#define NOT_CHOSEN SIZE_MAX
#define NAMES_ROWS (SIZE_MAX - 1)
#define LABELS_ROWS (SIZE_MAX - 2)

/* ---- what options say -------------------------------------------------------------------------- */

/* A part of an option between commas. */
typedef struct item {
    const char *text;
    size_t length;
} item;

static bool next_item(const char **at, item *out) {
    if (!*at) return false;
    *out = (item){*at, strcspn(*at, ",")};
    *at += out->length;
    *at = **at ? *at + 1 : NULL;
    return true;
}

/* Returns the number that text is, from 1; 0: it is none. */
static size_t number_of(item it) {
    size_t value = 0;
    for (size_t i = 0; i < it.length && value <= MOST_COLUMNS; i++) {
        if (it.text[i] < '0' || it.text[i] > '9') return 0;
        value = 10 * value + (size_t)(it.text[i] - '0');
    }
    return it.length ? value : 0;
}

/* Whether an item is a range with this sign between its ends. */
static bool is_range(item it, char sign, item ends[2]) {
    const char *between = memchr(it.text, sign, it.length);
    if (!between || between == it.text || between + 1 == it.text + it.length) return false;
    ends[0] = (item){it.text, (size_t)(between - it.text)};
    ends[1] = (item){between + 1, it.length - ends[0].length - 1};
    return true;
}

static bool is_number_range(item it, size_t ends[2]) {
    item texts[2];
    if (!is_range(it, '-', texts)) return false;
    for (int i = 0; i < 2; i++) ends[i] = number_of(texts[i]);
    return ends[0] && ends[1];
}

glshape_status io_columns_check(error *err, const io_columns *columns) {
    const char *at = columns->chosen;
    for (item it; next_item(&at, &it);) {
        if (!it.length || it.length >= 2 * IO_COLUMN_NAME)
            return fail(err, GLSHAPE_BAD_ARGUMENT,
                        "--columns takes names or numbers of columns, such as lon,lat or 2-4, not '%s'",
                        columns->chosen);
    }
    if (!columns->left_out || *columns->left_out) return GLSHAPE_OK;
    return fail(err, GLSHAPE_BAD_ARGUMENT, "--index takes the name or the number of a column");
}

size_t io_columns_count(const io_columns *columns) {
    const char *at = columns->chosen;
    size_t count = 0, numbers[2];
    item names[2];
    for (item it; next_item(&at, &it); count++)
        if (is_range(it, ':', names) || is_number_range(it, numbers)) return 0;
    return count;
}

bool io_columns_have_numbers(const io_columns *columns) {
    const char *at = columns->chosen, *left_out = columns->left_out, *labels = columns->labels;
    size_t ends[2];
    for (item it; next_item(&at, &it);)
        if (!number_of(it) && !is_number_range(it, ends)) return false;
    return (!left_out || number_of((item){left_out, strlen(left_out)})) &&
           (!labels || number_of((item){labels, strlen(labels)}));
}

static glshape_status next_line(table *t, char **line, size_t *length) {
    do TRY(io_stream_line(t->err, t->s, line, length));
    while (*line && io_line_is_skipped(*line, *length));
    return GLSHAPE_OK;
}

/* ---- the first line ---------------------------------------------------------------------------- */

static io_fields names_of(const table *t) {
    return t->names ? io_fields_of(t->names, t->length, t->delimiter) : (io_fields){.at = NULL};
}

static glshape_status no_column(const table *t, item it) {
    char known[SHOWN_NAMES];
    size_t used = 0;
    io_fields fields = names_of(t);
    if (!t->names)
        return fail(t->err, GLSHAPE_BAD_INPUT,
                    "%s has no column '%.*s'; its first line has no names, so columns are called 1 to %zu",
                    t->s->name, (int)it.length, it.text, t->width);
    for (io_field field; io_fields_next(&fields, &field);) {
        char shown[IO_QUOTED_ROOM];
        io_field_shown(&field, shown);
        if (used + strlen(shown) + 6 > sizeof known) {
            used += (size_t)snprintf(known + used, sizeof known - used, " ...");
            break;
        }
        used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", used ? " " : "", shown);
    }
    return fail(t->err, GLSHAPE_BAD_INPUT, "%s has no column '%.*s'; its first line names %.*s", t->s->name,
                (int)it.length, it.text, (int)used, known);
}

/* Sets *found to how many columns have this name, and *place to the last of them. */
static void find_name(const table *t, item it, size_t *found, size_t *place) {
    io_fields fields = names_of(t);
    size_t at = 0;
    *found = 0;
    for (io_field field; io_fields_next(&fields, &field); at++) {
        if (field.length != it.length || memcmp(field.text, it.text, it.length) != 0) continue;
        *place = at;
        ++*found;
    }
}

static glshape_status find_column(const table *t, item it, size_t *place) {
    size_t found, number = number_of(it);
    find_name(t, it, &found, place);
    if (found > 1)
        return fail(t->err, GLSHAPE_BAD_INPUT, "%s has %zu columns '%.*s'; which one?", t->s->name, found,
                    (int)it.length, it.text);
    if (found) return GLSHAPE_OK;
    if (!number || number > t->width) return no_column(t, it);
    *place = number - 1;
    return GLSHAPE_OK;
}

/* The places that an item names: first to last. */
static glshape_status find_places(const table *t, item it, size_t place[2]) {
    size_t found, number[2];
    item ends[2];
    find_name(t, it, &found, place);
    if (!found && is_number_range(it, number)) {
        if (number[1] > t->width || number[0] > t->width)
            return fail(t->err, GLSHAPE_BAD_INPUT, "%s has %zu column%s, not those of '%.*s'", t->s->name,
                        t->width, t->width == 1 ? "" : "s", (int)it.length, it.text);
        if (number[1] < number[0])
            return fail(t->err, GLSHAPE_BAD_INPUT, "--columns %.*s: a range goes up, such as %zu-%zu",
                        (int)it.length, it.text, number[1], number[0]);
        place[0] = number[0] - 1, place[1] = number[1] - 1;
        return GLSHAPE_OK;
    }
    if (!found && is_range(it, ':', ends)) {
        for (int i = 0; i < 2; i++) TRY(find_column(t, ends[i], &place[i]));
        if (place[0] <= place[1]) return GLSHAPE_OK;
        return fail(t->err, GLSHAPE_BAD_INPUT,
                    "%s: '%.*s' goes back: the second column stands before the first", t->s->name,
                    (int)it.length, it.text);
    }
    TRY(find_column(t, it, &place[0]));
    place[1] = place[0];
    return GLSHAPE_OK;
}

static glshape_status choose(table *t, item it) {
    size_t place[2];
    TRY(find_places(t, it, place));
    for (size_t k = place[0]; k <= place[1]; k++) {
        if (t->column[k] != NOT_CHOSEN)
            return fail(t->err, GLSHAPE_BAD_ARGUMENT, "--columns: '%.*s' is chosen twice", (int)it.length,
                        it.text);
        t->column[k] = t->chosen++;
    }
    return GLSHAPE_OK;
}

/* A column that is not among the numbers: --index or --labels. */
static glshape_status choose_text(table *t, const char *option, const char *name, size_t as) {
    size_t place;
    if (!name) return GLSHAPE_OK;
    glshape_status status = find_column(t, (item){name, strlen(name)}, &place);
    if (status && as == LABELS_ROWS && t->err) {
        error why = *t->err;
        return fail(t->err, status, "--labels %s: there is no such file, and %s", name, why.text);
    }
    TRY(status);
    if (t->column[place] != NOT_CHOSEN)
        return fail(t->err, GLSHAPE_BAD_ARGUMENT, "%s %s: this column is chosen by another option, too",
                    option, name);
    t->column[place] = as;
    t->wanted += t->texts != NULL;
    return GLSHAPE_OK;
}

/* A first column without a name has the names of rows, as pandas and R write them. */
static void choose_unnamed(table *t) {
    io_fields fields = names_of(t);
    io_field first;
    if (!io_fields_next(&fields, &first) || first.length || t->width < 2 || t->column[0] != NOT_CHOSEN)
        return;
    t->column[0] = NAMES_ROWS;
    t->wanted += t->texts != NULL;
    note(t->err, "%s: the first column has no name: it is taken for the names of the rows, not for values",
         t->s->name);
}

/* Whether a column is called latitude, or longitude: "lat", "Longitude", "decimalLatitude". */
static bool sounds_like(const io_field *name, bool latitude) {
    static const char *const starts[2][2] = {{"lon", "lng"}, {"lat", "lat"}};
    const char *end = latitude ? "latitude" : "longitude";
    size_t length = strlen(end);
    for (int i = 0; i < 2 && name->length >= 3; i++)
        if (!strncasecmp(name->text, starts[latitude][i], 3)) return true;
    return name->length > length && !strncasecmp(name->text + name->length - length, end, length);
}

/* The place of the only column that is called so; width: none, or several are. */
static size_t find_called(const table *t, bool latitude) {
    io_fields fields = names_of(t);
    size_t at = 0, place = t->width;
    for (io_field field; io_fields_next(&fields, &field); at++)
        if (sounds_like(&field, latitude)) place = place == t->width ? at : SIZE_MAX;
    return place == SIZE_MAX ? t->width : place;
}

/* Chooses the columns that are called latitude and longitude, or orders them if they are chosen. */
static void choose_geographic(table *t, bool chosen) {
    size_t latitude = find_called(t, true), longitude = find_called(t, false);
    if (latitude == t->width || longitude == t->width) return;
    if (!chosen) {
        t->column[latitude] = t->chosen++;
        t->column[longitude] = t->chosen++;
    } else if (t->chosen == 2 && t->column[latitude] == 1 && t->column[longitude] == 0) {
        t->column[latitude] = 0;
        t->column[longitude] = 1;
        note(t->err, "%s: latitude is taken before longitude, as the columns are called", t->s->name);
    }
}

static bool has_names(const table *t, const char *at) {
    size_t found = 1, place;
    for (item it; found && next_item(&at, &it);) find_name(t, it, &found, &place);
    return found;
}

/* Sets which fields are wanted, once names and width are known. */
static glshape_status choose_all(table *t, const io_columns *columns) {
    bool instead = columns->instead && !has_names(t, columns->chosen) && has_names(t, columns->instead);
    const char *at = instead ? columns->instead : columns->chosen;
    TRY(allocate(t->err, &t->column, t->width, sizeof *t->column, "the columns"));
    for (size_t k = 0; k < t->width; k++) t->column[k] = NOT_CHOSEN;
    for (item it; next_item(&at, &it);) TRY(choose(t, it));
    TRY(choose_text(t, "--index", columns->left_out, NAMES_ROWS));
    TRY(choose_text(t, "--labels", columns->labels, LABELS_ROWS));
    if (!columns->left_out) choose_unnamed(t);
    if (columns->geographic) choose_geographic(t, columns->chosen != NULL);
    bool all = !columns->chosen && !t->chosen;
    for (size_t k = 0; all && k < t->width; k++)
        if (t->column[k] == NOT_CHOSEN) t->column[k] = t->chosen++;
    t->wanted += t->chosen;
    if (t->chosen) return GLSHAPE_OK;
    return fail(t->err, GLSHAPE_BAD_INPUT, "%s has no column beside '%s'", t->s->name,
                columns->left_out ? columns->left_out : columns->labels);
}

/* A number with a decimal comma, between semicolons. */
static bool comma_number(const table *t, const io_field *field, double *out) {
    return t->delimiter == ';' && !field->bad && io_number_parse_comma(field->text, field->length, out);
}

/* Whether a field is a number, with a point or a decimal comma. */
static bool any_number(const table *t, const io_field *field, double *out) {
    return io_number_parse(field->text, field->length, out) || comma_number(t, field, out);
}

/* Whether a line has numbers only. */
static bool has_no_names(const table *t, const char *line, size_t length) {
    io_fields fields = io_fields_of(line, length, t->delimiter);
    double value;
    for (io_field field; io_fields_next(&fields, &field);)
        if (field.quoted || !any_number(t, &field, &value)) return false;
    return true;
}

/* Keeps a line of names, in which there may be NULs. */
static glshape_status keep_names(table *t, const char *line, size_t length) {
    TRY(allocate(t->err, &t->names, length + 1, 1, "the names of columns"));
    memcpy(t->names, line, length + 1);
    t->length = length;
    return GLSHAPE_OK;
}

/* The fields of a line. One that is empty after the last delimiter is none where the first line has none. */
static size_t count_fields(const table *t, const char *line, size_t length) {
    io_fields fields = io_fields_of(line, length, t->delimiter);
    io_field field = {.length = 0};
    size_t count = 0;
    while (io_fields_next(&fields, &field)) count++;
    return count - (count == t->width + 1 && !field.length && !field.quoted);
}

/* GDAL ends the line of names with a comma: one empty name too many. (A blank, or a comma within quotes, ends
 * no name.) */
static void drop_last_name(table *t) {
    size_t shorter = t->length - 1;
    if (t->names[shorter] != t->delimiter) return;
    if (io_fields_count(io_fields_of(t->names, shorter, t->delimiter)) != t->width - 1) return;
    t->names[shorter] = '\0';
    t->length = shorter;
    t->width--;
}

/* Reads the names; *line is then the first row. */
static glshape_status read_names(table *t, const io_columns *columns, char **line, size_t *length) {
    TRY(next_line(t, line, length));
    if (!*line) return fail(t->err, GLSHAPE_BAD_INPUT, "%s has no lines of a table", t->s->name);
    t->delimiter = io_fields_delimiter(*line, *length, "\t;, ");
    t->width = io_fields_count(io_fields_of(*line, *length, t->delimiter));
    if (!has_no_names(t, *line, *length)) {
        TRY(keep_names(t, *line, *length));
        TRY(next_line(t, line, length));
        if (*line && count_fields(t, *line, *length) == t->width - 1) drop_last_name(t);
    }
    return choose_all(t, columns);
}

/* ---- the others -------------------------------------------------------------------------------- */

/* The name of a field's column, or its number. */
static const char *shown_column(const table *t, size_t place, char out[IO_COLUMN_NAME]) {
    io_fields fields = names_of(t);
    size_t at = 0;
    snprintf(out, IO_COLUMN_NAME, "%zu", place + 1);
    for (io_field field; io_fields_next(&fields, &field); at++)
        if (at == place && field.length) snprintf(out, IO_COLUMN_NAME, "%.*s", (int)field.length, field.text);
    return out;
}

static glshape_status take_field(table *t, const io_field *field, size_t place, double *out) {
    char shown[IO_QUOTED_ROOM], name[IO_COLUMN_NAME];
    bool number = !field->bad && io_number_parse(field->text, field->length, out),
         point = number && memchr(field->text, '.', field->length),
         comma = !number && !t->points && comma_number(t, field, out);
    t->points |= point;
    t->commas |= comma;
    if (comma) return GLSHAPE_OK;
    if (point && t->commas) number = false; /* 1.000 beside 2,5 may be a thousand */
    if (number && !io_number_is_rounded(field->text, field->length, *out, &(int64_t){0})) return GLSHAPE_OK;
    shown_column(t, place, name);
    if (number)
        return fail(t->err, GLSHAPE_BAD_INPUT,
                    "%s: line %llu, column '%s': %s is an integer beyond 2^53 that double precision does not "
                    "have; subtract an offset first",
                    t->s->name, (unsigned long long)t->s->line, name, io_field_shown(field, shown));
    return fail(t->err, GLSHAPE_BAD_INPUT, "%s: line %llu, column '%s': %s is not a number", t->s->name,
                (unsigned long long)t->s->line, name, io_field_shown(field, shown));
}

/* Whether the first field of the first row names it: it is text or quoted, or begins a count. */
static bool begins_with_name(const table *t, const char *line, size_t length) {
    io_fields fields = io_fields_of(line, length, t->delimiter);
    io_field field;
    double value;
    if (!io_fields_next(&fields, &field) || !field.length) return false;
    return field.quoted || !any_number(t, &field, &value) || value == 0 || value == 1;
}

static size_t fields_of_rows(const table *t) { return t->width + t->more; }

static glshape_status check_width(table *t, const char *line, size_t length) {
    size_t fields = count_fields(t, line, length);
    if (!t->count && t->names && fields == t->width + 1 && begins_with_name(t, line, length)) {
        t->more = true; /* R's write.table leaves out the name of the column of names */
        note(
            t->err,
            "%s: line %llu has one field more than the line of names: the first is taken for the name of the "
            "row",
            t->s->name, (unsigned long long)t->s->line);
    }
    if (fields == fields_of_rows(t)) return GLSHAPE_OK;
    return fail(t->err, GLSHAPE_BAD_INPUT, "%s: line %llu has %zu field%s, %s %zu", t->s->name,
                (unsigned long long)t->s->line, fields, fields == 1 ? "" : "s",
                t->count ? "the lines before it have" : "but the line of names has", fields_of_rows(t));
}

static glshape_status take_text(table *t, bool name, const io_field *field) {
    if (!t->texts) return GLSHAPE_OK;
    return io_label_list_add_field(t->err, name ? &t->texts->names : &t->texts->labels, field);
}

static glshape_status read_row(table *t, const char *line, size_t length) {
    size_t place = 0, missing = t->wanted;
    io_fields fields = io_fields_of(line, length, t->delimiter);
    io_field field;
    if (t->count + t->chosen > t->capacity)
        TRY(io_room_grow(t->err, t->s->name, &t->values, &t->capacity, t->count + t->chosen + FIRST_VALUES,
                         SIZE_MAX, sizeof *t->values));
    TRY(check_width(t, line, length));
    if (t->more && io_fields_next(&fields, &field) && !t->indexed) TRY(take_text(t, true, &field));
    for (; missing && io_fields_next(&fields, &field); place++) {
        size_t as = t->column[place];
        if (as == NOT_CHOSEN) continue;
        if (as < t->chosen) TRY(take_field(t, &field, place, &t->values[t->count + as]));
        else TRY(take_text(t, as == NAMES_ROWS, &field));
        missing -= as < t->chosen || t->texts;
    }
    t->count += t->chosen;
    return GLSHAPE_OK;
}

static void table_free(table *t) {
    free(t->names);
    free(t->column);
    free(t->values);
}

void io_texts_free(io_texts *texts) {
    io_label_list_free(&texts->names);
    io_label_list_free(&texts->labels);
}

glshape_status io_read_columns_stream(error *err, io_stream *s, const io_columns *columns,
                                      glshape_matrix *out, io_texts *texts) {
    OWNED_BY(table_free)
    table t = {.err = err, .s = s, .texts = texts, .indexed = columns->left_out != NULL};
    size_t length;
    char *line;
    *out = (glshape_matrix){.data = NULL};
    TRY(io_check_text(err, s));
    if (texts) texts->names.name = texts->labels.name = s->name;
    TRY(read_names(&t, columns, &line, &length));
    while (line) {
        TRY(read_row(&t, line, length));
        TRY(next_line(&t, &line, &length));
    }
    if (!t.count && !columns->perhaps_empty)
        return fail(err, GLSHAPE_BAD_INPUT, "%s has only a line of names", s->name);
    if (texts && io_label_list_counts(&texts->names)) io_label_list_free(&texts->names);
    *out = (glshape_matrix){GLSHAPE_F64, t.count / t.chosen, t.chosen, MOVE(t.values)};
    return GLSHAPE_OK;
}

glshape_status io_read_columns(error *err, const char *path, const io_columns *columns, glshape_matrix *out,
                               io_texts *texts) {
    OWNED_BY(io_stream_close) io_stream s = {.fd = -1};
    *out = (glshape_matrix){.data = NULL};
    TRY(io_stream_open(err, path, &s));
    return io_read_columns_stream(err, &s, columns, out, texts);
}

glshape_status io_columns_place(error *err, const char *name, const io_columns *columns, const char *names,
                                size_t width, size_t **place, size_t *chosen) {
    OWNED_BY(table_free)
    table t = {.err = err, .s = &(io_stream){.name = name}, .delimiter = ',', .width = width};
    TRY(keep_names(&t, names, strlen(names)));
    TRY(choose_all(&t, columns));
    *place = MOVE(t.column);
    *chosen = t.chosen;
    return GLSHAPE_OK;
}

glshape_status io_pick_columns(error *err, const char *path, const io_columns *columns, glshape_matrix *m) {
    OWNED_BY(table_free)
    table t = {.err = err, .s = &(io_stream){.name = io_input_name(path)}, .width = m->cols};
    size_t size = matrix_value_size(m->type);
    OWNED char *picked = NULL;
    TRY(choose_all(&t, columns));
    TRY(allocate(err, &picked, times(m->rows, t.chosen), size, "the points"));
    for (size_t i = 0; i < m->rows; i++)
        for (size_t k = 0; k < t.width; k++)
            if (t.column[k] < t.chosen)
                memcpy(picked + (i * t.chosen + t.column[k]) * size,
                       (const char *)m->data + (i * m->cols + k) * size, size);
    glshape_matrix whole = {m->type, m->rows, t.chosen, MOVE(picked)};
    io_matrix_free(m);
    *m = whole;
    return GLSHAPE_OK;
}

/* ---- hints ----------------------------------------------------------------------------------- */

/* Whether the field begins with start and is a name that --columns can take: without blanks and commas. */
static bool begins(const io_field *field, const char *start) {
    for (size_t i = 0; i < field->length; i++)
        if ((unsigned char)field->text[i] <= ' ' || field->text[i] == ',') return false;
    return field->length && field->length < IO_COLUMN_NAME && !strncasecmp(field->text, start, strlen(start));
}

bool io_columns_guess(const char *path, char out[IO_COLUMN_PAIR]) {
    static const char *const known[][2] = {{"lon", "lat"}, {"lng", "lat"}, {"x", "y"}, {"", ""}};
    OWNED_BY(io_stream_close) io_stream s = {.fd = -1};
    OWNED_BY(table_free) table t = {.err = NULL, .s = &s};
    char *line;
    size_t length;
    double ignored;
    if (!strcmp(path, "-") || io_stream_open(NULL, path, &s) || io_check_text(NULL, &s)) return false;
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

/* Adds a name to a list of them; false: there is no room, or it cannot be typed. */
static bool add_name(char out[IO_COLUMNS_ADVICE], size_t *used, const io_field *field) {
    if (!begins(field, "") || *used + field->length + 2 > IO_COLUMNS_ADVICE) return false;
    *used += (size_t)snprintf(out + *used, IO_COLUMNS_ADVICE - *used, "%s%.*s",
                              *used > strlen("--columns ") ? "," : "", (int)field->length, field->text);
    return true;
}

/* From a table's names and its first row. */
static bool advise(io_fields names, io_fields row, char out[IO_COLUMNS_ADVICE]) {
    io_field name, field, text = {.length = 0};
    char advice[IO_COLUMNS_ADVICE] = "--columns ";
    size_t used = strlen(advice), texts = 0, numbers = 0;
    double value;
    while (io_fields_next(&names, &name) && io_fields_next(&row, &field)) {
        if (name.bad || io_number_parse(name.text, name.length, &value)) return false;
        bool number = !field.bad && io_number_parse(field.text, field.length, &value);
        if (!number) text = name, texts++;
        else numbers++;
        if (number && !add_name(advice, &used, &name)) return false;
    }
    if (!numbers || !texts) return false;
    if (texts == 1 && begins(&text, ""))
        snprintf(out, IO_COLUMNS_ADVICE, "--index %.*s", (int)text.length, text.text);
    else snprintf(out, IO_COLUMNS_ADVICE, "%s", advice);
    return true;
}

bool io_columns_advise(const char *path, char out[IO_COLUMNS_ADVICE]) {
    OWNED_BY(io_stream_close) io_stream s = {.fd = -1};
    OWNED_BY(table_free) table t = {.err = NULL, .s = &s};
    char *line;
    size_t length;
    if (!strcmp(path, "-") || io_stream_open(NULL, path, &s) || io_check_text(NULL, &s)) return false;
    if (next_line(&t, &line, &length) || !line || keep_names(&t, line, length)) return false;
    t.delimiter = io_fields_delimiter(line, length, "\t;,");
    if (next_line(&t, &line, &length) || !line) return false;
    return advise(names_of(&t), io_fields_of(line, length, t.delimiter), out);
}
