#include "io/text.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/owned.h"
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
    char delimiter;
    size_t rows, cols; /* cols is 0 until a line has set it */
    double *values;    /* or int64_t */
    size_t count, capacity;
    bool exact; /* integers that double precision does not have are kept */
    bool whole; /* values are int64_t */
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

/* Returns true if the field becomes a number when its comma is replaced by a point. */
static bool has_decimal_comma(const io_field *field) {
    char copy[IO_NUMBER_ROOM];
    double ignored;
    if (field->length >= sizeof copy) return false;
    memcpy(copy, field->text, field->length);
    copy[field->length] = '\0';
    char *comma = strchr(copy, ',');
    if (!comma) return false;
    *comma = '.';
    return io_number_parse(copy, field->length, &ignored);
}

static glshape_status bad_field(const reader *r, const text_line *line, size_t column,
                                const io_field *field) {
    char shown[IO_QUOTED_ROOM];
    if (!field->length && !field->quoted)
        return fail(r->err, GLSHAPE_BAD_INPUT, "%s: line %llu, column %zu is empty", r->s->name, line->number,
                    column);
    const char *why = field->bad                 ? "has an unfinished quote"
                      : has_decimal_comma(field) ? "is not a number: write decimals with a point"
                                                 : "is not a number";
    return fail(r->err, GLSHAPE_BAD_INPUT, "%s: line %llu, column %zu: %s %s", r->s->name, line->number,
                column, io_field_shown(field, shown), why);
}

static glshape_status check_width(const reader *r, const text_line *line, size_t fields) {
    if (!r->cols || fields == r->cols) return GLSHAPE_OK;
    return fail(r->err, GLSHAPE_BAD_INPUT, "%s: line %llu has %zu field%s, the lines before it have %zu",
                r->s->name, line->number, fields, fields == 1 ? "" : "s", r->cols);
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

/* Appends the numbers of a line. A line of the wrong width is reported as that, even if a field of it is
 * no number. */
static glshape_status read_row(reader *r, const text_line *line) {
    io_fields fields = io_fields_of(line->text, line->length, r->delimiter);
    size_t column = 0;
    for (io_field field; io_fields_next(&fields, &field);) {
        double value;
        column++;
        if (!field_number(&field, &value)) {
            TRY(check_width(r, line, column + io_fields_count(fields)));
            return bad_field(r, line, column, &field);
        }
        if (r->exact) TRY(take_exact(r, line, column, &field, &value));
        TRY(push(r, value));
    }
    TRY(check_width(r, line, column));
    r->cols = column;
    r->rows++;
    return GLSHAPE_OK;
}

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
        if (field_number(&field, &ignored) || (field.length && !word)) return false;
        words |= word;
    }
    return words;
}

static size_t width(const reader *r, const text_line *line) {
    return io_fields_count(io_fields_of(line->text, line->length, r->delimiter));
}

/* Takes the first line as a row or as a header. A header fixes the width, unless it is a phrase over one
 * column of data. second: the next line (text NULL if there is none). */
static glshape_status read_first(reader *r, const text_line *first, const text_line *second) {
    if (!is_header(r, first)) return read_row(r, first);
    if (!second->text)
        return fail(r->err, GLSHAPE_BAD_INPUT, "%s has only a header line and no numbers", r->s->name);
    bool phrase = r->delimiter == IO_BLANKS && width(r, second) == 1;
    r->cols = phrase ? 1 : width(r, first);
    return GLSHAPE_OK;
}

static void reader_free(reader *r) { free(r->values); }

static glshape_status read_all(error *err, io_stream *s, const char *delimiters, bool exact,
                               glshape_matrix *out) {
    OWNED_BY(reader_free) reader r = {.err = err, .s = s, .delimiter = IO_BLANKS, .exact = exact};
    OWNED char *held = NULL; /* the first line, while the next one is read */
    size_t capacity = 0;
    text_line first, line;
    *out = (glshape_matrix){.data = NULL};
    TRY(next_line(&r, &first));
    if (!first.text)
        return fail(err, GLSHAPE_BAD_INPUT, "%s has no numbers, only blank lines or comments", s->name);
    TRY(io_room_grow(err, s->name, &held, &capacity, first.length + 1, SIZE_MAX, 1));
    memcpy(held, first.text, first.length + 1);
    first.text = held;
    TRY(next_line(&r, &line));
    if (line.text) r.delimiter = io_fields_delimiter(line.text, line.length, delimiters);
    if (r.delimiter == IO_BLANKS) r.delimiter = io_fields_delimiter(first.text, first.length, delimiters);
    TRY(read_first(&r, &first, &line));
    while (line.text) {
        TRY(read_row(&r, &line));
        TRY(next_line(&r, &line));
    }
    memory_resize(NULL, &r.values, r.count, sizeof *r.values, NULL);
    *out = (glshape_matrix){r.whole ? GLSHAPE_I64 : GLSHAPE_F64, r.rows, r.cols, MOVE(r.values)};
    return GLSHAPE_OK;
}

glshape_status io_text_read(error *err, io_stream *s, const char *delimiters, glshape_matrix *out) {
    return read_all(err, s, delimiters, false, out);
}

glshape_status io_text_read_exact(error *err, io_stream *s, const char *delimiters, glshape_matrix *out) {
    return read_all(err, s, delimiters, true, out);
}
