#include "io/text.h"

#include <ctype.h>
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/owned.h"
#include "io/block.h"
#include "io/fields.h"
#include "io/number.h"
#include "io/room.h"

enum { FIRST_VALUES = 1 << 12 };

/* A line and its number; text is NULL after the last one. */
typedef struct text_line {
    char *text;
    size_t length;
    unsigned long long number;
} text_line;

typedef struct reader {
    error *err;
    io_stream *s;
    io_text_rules rules;
    char delimiter;
    bool named;        /* the first field of each row is the row's name */
    bool unnamed;      /* the header has no field for it */
    bool counted;      /* numbers in the first column, which has no name, may count the rows */
    double first;      /* where they begin */
    size_t rows, cols; /* cols is 0 until a line has set it */
    double *values;    /* or int64_t */
    size_t count, capacity;
    bool whole;          /* values are int64_t */
    bool points, commas; /* before decimals; commas stand between semicolons */
} reader;

/* Reads the next line that is neither blank nor a comment. */
static glshape_status next_line(reader *r, text_line *out) {
    do TRY(io_stream_line(r->err, r->s, &out->text, &out->length));
    while (out->text && io_line_is_skipped(out->text, out->length));
    out->number = r->s->line;
    return GLSHAPE_OK;
}

static bool field_number(const io_field *field, double *out) {
    return !field->bad && io_number_parse(field->text, field->length, out);
}

/* A number with a decimal comma, between semicolons. */
static bool comma_number(const reader *r, const io_field *field, double *out) {
    return r->delimiter == ';' && !field->bad && io_number_parse_comma(field->text, field->length, out);
}

static bool any_number(const reader *r, const io_field *field, double *out) {
    return field_number(field, out) || comma_number(r, field, out);
}

/* A file has points or commas: 1.000 beside 2,5 may be a thousand. */
static bool take_number(reader *r, const io_field *field, double *out) {
    bool number = field_number(field, out), point = number && memchr(field->text, '.', field->length),
         comma = !number && comma_number(r, field, out);
    r->points |= point;
    r->commas |= comma && !r->points;
    return number ? !point || !r->commas : comma && !r->points;
}

/* Cuts what follows a '#' that begins the field or stands behind a blank; false: there is none. */
static bool cut_comment(io_field *field) {
    for (size_t i = 0; i < field->length && !field->quoted; i++) {
        if (field->text[i] != '#' || (i && field->text[i - 1] != ' ' && field->text[i - 1] != '\t')) continue;
        while (i && (field->text[i - 1] == ' ' || field->text[i - 1] == '\t')) i--;
        field->length = i;
        return true;
    }
    return false;
}

/* Whether a field between commas is several numbers between blanks: the commas are rather those of decimals.
 */
static bool holds_numbers(const io_field *field) {
    io_fields parts = io_fields_of(field->text, field->length, IO_BLANKS);
    size_t count = 0;
    double ignored;
    for (io_field part; io_fields_next(&parts, &part); count++)
        if (!io_number_parse(part.text, part.length, &ignored)) return false;
    return count > 1;
}

static glshape_status bad_field(const reader *r, const text_line *line, size_t column,
                                const io_field *field) {
    char shown[IO_QUOTED_ROOM];
    if (!field->length && !field->quoted)
        return fail(r->err, GLSHAPE_BAD_INPUT, "%s: line %llu, column %zu is empty", r->s->name, line->number,
                    column);
    double ignored;
    const char *why = r->commas && field_number(field, &ignored)
                          ? "has a point, where numbers before it have commas: write decimals with a point"
                      : field->bad ? "has an unfinished quote"
                      : io_number_has_comma(field->text, field->length)
                          ? "is not a number: write decimals with a point"
                      : r->delimiter == ',' && holds_numbers(field)
                          ? "is not a number, but several between blanks: write decimals with a "
                            "point, not a comma, as tr , . does"
                          : "is not a number";
    return fail(r->err, GLSHAPE_BAD_INPUT, "%s: line %llu, column %zu: %s %s", r->s->name, line->number,
                column, io_field_shown(field, shown), why);
}

static glshape_status refuse_width(const reader *r, unsigned long long line, size_t fields, size_t expected) {
    return fail(r->err, GLSHAPE_BAD_INPUT, "%s: line %llu has %zu field%s, the lines before it have %zu",
                r->s->name, line, fields, fields == 1 ? "" : "s", expected);
}

static glshape_status check_width(const reader *r, const text_line *line, size_t fields) {
    if (!r->cols || fields == r->cols + r->named) return GLSHAPE_OK;
    return refuse_width(r, line->number, fields, r->cols + r->named);
}

static glshape_status push(reader *r, double value) {
    if (r->count == r->capacity) {
        size_t need = r->count + FIRST_VALUES;
        TRY(io_room_grow(r->err, r->s->name, &r->values, &r->capacity, need, SIZE_MAX, sizeof value));
    }
    r->values[r->count++] = value;
    return GLSHAPE_OK;
}

/* ---- integers that double precision does not have ---------------------------------------------------- */

static glshape_status refuse_mixed(const reader *r, const text_line *line, size_t column, const char *what) {
    return fail(
        r->err, GLSHAPE_BAD_INPUT,
        "%s: line %llu, column %zu: %s; double precision does not have integers beyond 2^53: subtract "
        "an offset from them first",
        r->s->name, line->number, column, what);
}

static bool is_whole(double value) {
    return value == floor(value) && value >= (double)INT64_MIN && value < -(double)INT64_MIN;
}

/* From now on values are int64_t. */
static glshape_status become_whole(reader *r, const text_line *line, size_t column) {
    for (size_t k = 0; k < r->count; k++) {
        int64_t whole;
        if (!is_whole(r->values[k]))
            return refuse_mixed(r, line, column,
                                "an integer beyond 2^53 stands beside numbers that are none");
        whole = (int64_t)r->values[k];
        memcpy(&r->values[k], &whole, sizeof whole);
    }
    r->whole = true;
    return GLSHAPE_OK;
}

/* Makes *value the bits of an int64_t, if values are such, or become such by this one. */
static glshape_status take_exact(reader *r, const text_line *line, size_t column, const io_field *field,
                                 double *value) {
    int64_t whole = 0;
    bool rounded = io_number_is_rounded(field->text, field->length, *value, &whole);
    if (rounded && !whole) return refuse_mixed(r, line, column, "an integer beyond 2^63");
    if (rounded && !r->whole) TRY(become_whole(r, line, column));
    if (!r->whole) return GLSHAPE_OK;
    if (!rounded && !is_whole(*value))
        return refuse_mixed(r, line, column,
                            "a number that is no integer stands beside integers beyond 2^53");
    if (!rounded) whole = (int64_t)*value;
    memcpy(value, &whole, sizeof whole);
    return GLSHAPE_OK;
}

/* ---- rows -------------------------------------------------------------------------------------------- */

/* GLSHAPE_BAD_INPUT: a row has a field that the header has no name for, and that is no name of a row either:
 * text, a quoted number, or numbers that count the rows. */
static glshape_status check_row_name(reader *r, const text_line *line, const io_field *field) {
    double value;
    if (!r->unnamed || field->quoted || !any_number(r, field, &value)) return GLSHAPE_OK;
    if (!r->rows) r->counted = value == 0 || value == 1, r->first = value;
    if (r->counted && value == r->first + (double)r->rows) return GLSHAPE_OK;
    return refuse_width(r, line->number, r->cols + 1, r->cols);
}

/* Appends the numbers of a line. A line of the wrong width is reported as that, even if a field of it is
 * no number. */
static glshape_status read_row(reader *r, const text_line *line) {
    if (r->rules.each) r->delimiter = io_fields_delimiter(line->text, line->length, r->rules.delimiters);
    io_fields fields = io_fields_of(line->text, line->length, r->delimiter);
    io_field field;
    size_t column = r->named;
    if (r->named && io_fields_next(&fields, &field)) {
        TRY(check_row_name(r, line, &field));
        if (r->rules.names) TRY(io_label_list_add_field(r->err, r->rules.names, &field));
    }
    while (io_fields_next(&fields, &field)) {
        double value;
        column++;
        bool number = take_number(r, &field, &value);
        if (!number && cut_comment(&field)) {
            fields.at = NULL;
            if (!field.length && column > (size_t)r->named + 1) {
                column--;
                break;
            }
            number = take_number(r, &field, &value);
        }
        if (!number) {
            TRY(check_width(r, line, column + io_fields_count(fields)));
            return bad_field(r, line, column, &field);
        }
        if (r->rules.exact) TRY(take_exact(r, line, column, &field, &value));
        TRY(push(r, value));
    }
    TRY(check_width(r, line, column));
    r->cols = column - r->named;
    r->rows++;
    return GLSHAPE_OK;
}

/* ---- many rows at once ------------------------------------------------------------------------------- */

/* Rows that are read by all processors. Each has as many numbers as those before it, and nothing else. */
typedef struct plain_rows {
    const reader *r;
    double *values;      /* of the first */
    atomic_size_t point; /* the first row, of those that were read, that has a decimal point */
} plain_rows;

static void note_point(plain_rows *p, size_t row) {
    size_t first = atomic_load(&p->point);
    while (row < first && !atomic_compare_exchange_weak(&p->point, &first, row)) continue;
}

/* Takes the first field, if it is the row's name and no number that might be a value. */
static bool pass_name(const reader *r, io_fields *fields) {
    io_field name;
    double ignored;
    if (!r->named) return true;
    if (!io_fields_next(fields, &name) || name.bad) return false;
    return !r->unnamed || name.quoted || !any_number(r, &name, &ignored);
}

static bool read_plain(void *user, size_t row, const char *line, size_t length) {
    plain_rows *p = user;
    const reader *r = p->r;
    double *value = p->values + row * r->cols;
    bool each = r->rules.each;
    char delimiter = each ? io_fields_delimiter(line, length, r->rules.delimiters) : r->delimiter;
    io_fields fields = io_fields_of(line, length, delimiter);
    io_field field;
    size_t column = 0;
    if (!pass_name(r, &fields)) return false;
    for (; io_fields_next(&fields, &field); column++) {
        if (column == r->cols || field.quoted) return false;
        if (!io_number_parse(field.text, field.length, &value[column])) return false;
        if (r->rules.exact && fabs(value[column]) >= 0x1p53) return false;
        if (row < atomic_load_explicit(&p->point, memory_order_relaxed) &&
            memchr(field.text, '.', field.length))
            note_point(p, row);
    }
    return column == r->cols;
}

/* Keeps the names of so many rows of the block. */
static glshape_status keep_names(reader *r, const io_block *block, size_t rows) {
    const char *line = block->text, *text_end = line + block->start[block->parts];
    for (; r->named && r->rules.names && rows; rows--) {
        const char *end = memchr(line, '\n', (size_t)(text_end - line));
        io_fields fields = io_fields_of(line, (size_t)(end - line), r->delimiter);
        io_field name;
        io_fields_next(&fields, &name);
        TRY(io_label_list_add_field(r->err, r->rules.names, &name));
        line = end + 1;
    }
    return GLSHAPE_OK;
}

/* Reads the rows that follow, as long as they are plain. */
static glshape_status read_rows(reader *r, io_block *block) {
    if (!r->cols || r->whole || r->commas || (r->named && r->rules.each)) return GLSHAPE_OK;
    for (;;) {
        TRY(io_block_next(r->err, block));
        if (!block->lines) return GLSHAPE_OK;
        size_t most = block->start[block->parts] / 2 / r->cols; /* a number takes two bytes */
        if (most > block->lines) most = block->lines;
        size_t need = r->count + most * r->cols;
        TRY(io_room_grow(r->err, r->s->name, &r->values, &r->capacity, need, SIZE_MAX, sizeof *r->values));
        plain_rows p = {.r = r, .values = r->values + r->count, .point = SIZE_MAX};
        size_t rows = io_block_read(block, most, read_plain, &p);
        r->points |= atomic_load(&p.point) < rows;
        r->rows += rows;
        r->count += rows * r->cols;
        TRY(keep_names(r, block, rows));
    }
}

/* ---- the first line ---------------------------------------------------------------------------------- */

static bool has_letter(const io_field *field) {
    for (size_t i = 0; i < field->length; i++) {
        unsigned char c = (unsigned char)field->text[i];
        if (c >= 0x80 || isalpha(c) || c == '_') return true;
    }
    return false;
}

/* A header is made of words: no field is a number, and those that are not empty have a letter, so that
 * numbers between unexpected delimiters are not taken for one. */
static bool is_header(const reader *r, const text_line *line) {
    io_fields fields = io_fields_of(line->text, line->length, r->delimiter);
    bool words = false;
    double ignored;
    for (io_field field; io_fields_next(&fields, &field);) {
        bool word = has_letter(&field);
        if (any_number(r, &field, &ignored) || (field.length && !word)) return false;
        words |= word;
    }
    return words;
}

/* Whether the line is what pandas writes over an index and columns that have no names: ",0,1,2". */
static bool counts_columns(const reader *r, const text_line *line) {
    io_fields fields = io_fields_of(line->text, line->length, r->delimiter);
    io_field field;
    double value, expected = 0;
    if (!io_fields_next(&fields, &field) || field.length) return false;
    for (; io_fields_next(&fields, &field); expected++)
        if (!field_number(&field, &value) || value != expected) return false;
    return expected > 0;
}

static size_t width(const reader *r, const text_line *line) {
    return io_fields_count(io_fields_of(line->text, line->length, r->delimiter));
}

/* Whether the header has an empty field over the first column, and a name over the next. */
static bool leaves_first_unnamed(const reader *r, const text_line *header) {
    io_fields names = io_fields_of(header->text, header->length, r->delimiter);
    io_field first, next;
    return io_fields_next(&names, &first) && !first.length && io_fields_next(&names, &next) && next.length;
}

/* Whether the last name is empty: GDAL's headers end with a delimiter. */
static bool ends_unnamed(const reader *r, const text_line *header) {
    io_fields names = io_fields_of(header->text, header->length, r->delimiter);
    io_field last = {.text = NULL};
    while (io_fields_next(&names, &last)) continue;
    return last.text && !last.length && !last.quoted;
}

/* Decides whether the first column holds names of rows: the header is one field shorter than the rows, as R's
 * write.table writes it, or its first field is empty and the first row begins with text, or with a quoted
 * number before one without quotes. */
static void find_row_names(reader *r, const text_line *header, const text_line *second) {
    io_fields fields = io_fields_of(second->text, second->length, r->delimiter);
    io_field first, next = {.length = 0}, last = {.length = 0};
    size_t count = 1, names = width(r, header);
    double ignored;
    if (!io_fields_next(&fields, &first)) return;
    for (; io_fields_next(&fields, &last); count++)
        if (count == 1) next = last;
    if (count + 1 == names && ends_unnamed(r, header)) names--;
    bool text = first.length && (!any_number(r, &first, &ignored) || (first.quoted && !next.quoted));
    r->unnamed = count == names + 1 && first.length && last.length;
    r->counted = leaves_first_unnamed(r, header) && !text;
    r->named = r->unnamed || counts_columns(r, header) || (leaves_first_unnamed(r, header) && text);
    r->cols = names - (r->named && !r->unnamed);
}

/* Takes the first line as a row or as a header. A header fixes the width, unless it is a phrase over one
 * column of data. second: the next line (text NULL if there is none). */
static glshape_status read_first(reader *r, const text_line *first, const text_line *second) {
    if (!is_header(r, first) && !counts_columns(r, first)) return read_row(r, first);
    if (!second->text)
        return fail(r->err, GLSHAPE_BAD_INPUT, "%s has only a header line and no numbers", r->s->name);
    bool phrase = r->delimiter == IO_BLANKS && width(r, second) == 1;
    r->cols = 1;
    if (!phrase) find_row_names(r, first, second);
    return GLSHAPE_OK;
}

/* ---- after the last row ------------------------------------------------------------------------ */

/* Value k as a double, also if it is kept as an int64_t. */
static double value_of(const reader *r, size_t k) {
    int64_t whole;
    memcpy(&whole, &r->values[k], sizeof whole);
    return r->whole ? (double)whole : r->values[k];
}

static bool all_whole(const reader *r, size_t first, size_t count) {
    size_t i = 0;
    while (i < count && value_of(r, first + i) == floor(value_of(r, first + i))) i++;
    return i == count;
}

/* Whether the first column is 0, 1, 2 ... or 1, 2, 3 ... */
static bool counts_rows(const reader *r) {
    size_t i = 0;
    double first = value_of(r, 0);
    while (i < r->rows && value_of(r, i * r->cols) == first + (double)i) i++;
    return i == r->rows && (first == 0 || first == 1);
}

static void drop_first_column(reader *r) {
    size_t cols = r->cols - 1;
    for (size_t i = 0; i < r->rows; i++)
        memmove(r->values + i * cols, r->values + i * r->cols + 1, cols * sizeof *r->values);
    r->cols = cols;
    r->count = r->rows * cols;
}

/* Leaves out a first column without a name if it counts the rows. One row is no count. */
static glshape_status settle_row_names(reader *r) {
    bool whole = r->counted && !r->named;
    if (r->unnamed && r->counted && r->rows == 1) return refuse_width(r, r->s->line, r->cols + 1, r->cols);
    if (whole && counts_rows(r)) r->named = true, drop_first_column(r), whole = false;
    if (r->named)
        note(r->err,
             "%s: the first column has no name: it is taken for the names of the rows, not for values",
             r->s->name);
    for (size_t i = 0; i < r->rows && whole; i++) whole = all_whole(r, i * r->cols, 1);
    if (whole)
        note(r->err,
             "%s: the first column has no name; it is read as values: leave it out if it numbers the rows",
             r->s->name);
    return GLSHAPE_OK;
}

/* Pandas writes 0, 1, 2 ... over columns that have no names. Such a line is a row like any other, but looks
 * odd over numbers of which none is whole. */
static void note_counted(const reader *r, unsigned long long line) {
    size_t i = 0;
    while (i < r->cols && i < r->count && value_of(r, i) == (double)i) i++;
    if (r->cols < 2 || i < r->cols || r->rows < 2) return;
    for (size_t k = 1; k < r->rows; k++)
        if (all_whole(r, k * r->cols, r->cols)) return;
    note(r->err,
         "%s: line %llu counts 0, 1, ... as pandas does over columns without names; it is read as a row: "
         "leave "
         "it out if it is a header",
         r->s->name, line);
}

static void reader_free(reader *r) { free(r->values); }

glshape_status io_text_read(error *err, io_stream *s, io_text_rules rules, glshape_matrix *out) {
    OWNED_BY(reader_free) reader r = {.err = err, .s = s, .delimiter = IO_BLANKS, .rules = rules};
    OWNED char *held = NULL; /* the first line, while the next one is read */
    size_t capacity = 0;
    text_line first, line;
    io_block block = {.s = s};
    *out = (glshape_matrix){.data = NULL};
    if (rules.names) rules.names->name = s->name;
    TRY(next_line(&r, &first));
    if (!first.text)
        return fail(err, GLSHAPE_BAD_INPUT, "%s has no numbers, only blank lines or comments", s->name);
    TRY(io_room_grow(err, s->name, &held, &capacity, first.length + 1, SIZE_MAX, 1));
    memcpy(held, first.text, first.length + 1);
    first.text = held;
    TRY(next_line(&r, &line));
    if (line.text) r.delimiter = io_fields_delimiter(line.text, line.length, rules.delimiters);
    if (r.delimiter == IO_BLANKS)
        r.delimiter = io_fields_delimiter(first.text, first.length, rules.delimiters);
    TRY(read_first(&r, &first, &line));
    while (line.text) {
        TRY(read_row(&r, &line));
        TRY(read_rows(&r, &block));
        TRY(next_line(&r, &line));
    }
    TRY(settle_row_names(&r));
    note_counted(&r, first.number);
    if (rules.names && io_label_list_counts(rules.names)) io_label_list_free(rules.names);
    memory_resize(NULL, &r.values, r.count, sizeof *r.values, NULL);
    *out = (glshape_matrix){r.whole ? GLSHAPE_I64 : GLSHAPE_F64, r.rows, r.cols, MOVE(r.values)};
    return GLSHAPE_OK;
}
