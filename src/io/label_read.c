#include "io/label_read.h"

#include <stdlib.h>
#include <string.h>

#include "base/owned.h"
#include "io/fields.h"
#include "io/npy.h"
#include "io/read.h"
#include "io/room.h"
#include "io/text.h"
#include "io/value.h"

enum { UTF8_MOST = 4 };

/* ---- text ------------------------------------------------------------------------------------------- */

static bool is_blank(char c) { return c == ' ' || c == '\t'; }

/* What follows a name in each line, if labels have names before them as this program writes them: the first
 * line begins with a delimiter, or, between blanks, all others begin with a name in quotes. 0: they have
 * none. */
static char name_delimiter(const io_label_list *list, const char *line, size_t length) {
    io_fields fields = io_fields_of(line, length, IO_BLANKS);
    io_field name;
    if (!list->count && (*line == ',' || *line == '\t')) return *line;
    bool named = list->count == 1 && io_fields_next(&fields, &name) && name.quoted && !name.bad;
    return named && io_fields_count(fields) == 1 ? IO_BLANKS : 0;
}

/* Moves *line behind the name that it begins with. */
static void pass_name(char **line, size_t *length, char delimiter) {
    io_fields fields = io_fields_of(*line, *length, delimiter);
    io_field name;
    if (!io_fields_next(&fields, &name) || !fields.at) return;
    *length -= (size_t)(fields.at - *line);
    *line += fields.at - *line;
}

/* line is not empty: it has something that is not blank. */
static glshape_status add_line(error *err, const io_stream *s, io_label_list *list, char *line,
                               size_t length) {
    for (; is_blank(*line); line++) length--;
    while (is_blank(line[length - 1])) length--;
    line[length] = '\0';
    io_fields fields = io_fields_of(line, length, ',');
    io_field field;
    bool one = io_fields_delimiter(line, length, "\t;, ") == IO_BLANKS;
    if (!one || !io_fields_next(&fields, &field) || field.bad || fields.at)
        return fail(
            err, GLSHAPE_BAD_INPUT,
            "%s: line %llu is not one label; keep one column, with text that has a tab, comma, semicolon "
            "or quote in double quotes",
            s->name, (unsigned long long)s->line);
    return io_label_list_add_field(err, list, &field);
}

static bool is_empty(const char *line, size_t length) {
    size_t i = 0;
    while (i < length && is_blank(line[i])) i++;
    return i == length;
}

static glshape_status read_text(error *err, io_stream *s, io_label_list *list) {
    char *line;
    size_t length;
    unsigned long long empty = 0;
    char delimiter = 0;
    for (;;) {
        TRY(io_stream_line(err, s, &line, &length));
        if (!line) return GLSHAPE_OK;
        if (is_empty(line, length)) {
            if (!empty) empty = s->line;
        } else if (!io_line_is_skipped(line, length)) {
            if (empty) return fail(err, GLSHAPE_BAD_INPUT, "%s: line %llu is empty", s->name, empty);
            if (!delimiter) delimiter = name_delimiter(list, line, length);
            if (delimiter) pass_name(&line, &length, delimiter);
            if (is_empty(line, length))
                return fail(err, GLSHAPE_BAD_INPUT, "%s: line %llu has a name, but no label", s->name,
                            (unsigned long long)s->line);
            TRY(add_line(err, s, list, line, length));
        }
    }
}

/* ---- .npy ------------------------------------------------------------------------------------------- */

/* Code points that UTF-8 cannot carry become U+FFFD. Returns the bytes written. */
static size_t to_utf8(uint32_t c, char out[UTF8_MOST]) {
    if (c > 0x10FFFF || (c >= 0xD800 && c <= 0xDFFF)) c = 0xFFFD;
    size_t more = c < 0x80 ? 0 : c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
    static const unsigned char leads[] = {0, 0xC0, 0xE0, 0xF0};
    out[0] = (char)(leads[more] | c >> 6 * more);
    for (size_t i = 1; i <= more; i++) out[i] = (char)(0x80 | (c >> 6 * (more - i) & 0x3F));
    return more + 1;
}

/* npy->item counts characters in 'U', padded with NULs; text has room for their UTF-8. */
static glshape_status add_unicode(error *err, io_label_list *list, const io_npy *npy, uint32_t *codes,
                                  char *text) {
    size_t width = npy->item / 4;
    if (npy->swapped) io_swap_bytes(codes, npy->rows * width, 4);
    for (size_t row = 0; row < npy->rows; row++) {
        size_t length = 0;
        for (size_t i = 0; i < width && codes[row * width + i]; i++)
            length += to_utf8(codes[row * width + i], text + length);
        TRY(io_label_list_add(err, list, text, length));
    }
    return GLSHAPE_OK;
}

static glshape_status add_bytes(error *err, io_label_list *list, const io_npy *npy, const char *bytes) {
    for (size_t row = 0; row < npy->rows; row++) {
        const char *text = bytes + row * npy->item, *end = memchr(text, '\0', npy->item);
        TRY(io_label_list_add(err, list, text, end ? (size_t)(end - text) : npy->item));
    }
    return GLSHAPE_OK;
}

static glshape_status read_strings(error *err, io_stream *s, io_label_list *list, io_npy *npy) {
    OWNED void *data = NULL;
    OWNED char *text = NULL;
    size_t capacity = 0;
    if (npy->kind == 'U') npy->item = npy->item > SIZE_MAX / 4 ? SIZE_MAX : npy->item * 4;
    TRY(io_npy_read_data(err, s, npy, &data));
    TRY(io_room_grow(err, s->name, &text, &capacity, npy->item + 1, SIZE_MAX, 1));
    return npy->kind == 'U' ? add_unicode(err, list, npy, data, text) : add_bytes(err, list, npy, data);
}

static glshape_status read_numbers(error *err, io_stream *s, io_label_list *list, const io_npy *npy) {
    OWNED_BY(io_matrix_free) glshape_matrix m = {.data = NULL};
    char text[IO_NUMBER_ROOM];
    TRY(io_npy_read_numbers(err, s, npy, &m));
    TRY(io_check_finite(err, s->name, &m));
    for (size_t i = 0; i < m.rows; i++) {
        size_t length = io_value_print(text, &m, i);
        TRY(io_label_list_add(err, list, text, length));
    }
    return GLSHAPE_OK;
}

static glshape_status read_npy(error *err, io_stream *s, io_label_list *list) {
    io_npy npy;
    TRY(io_npy_read_header(err, s, &npy));
    if (npy.cols != 1)
        return fail(err, GLSHAPE_BAD_INPUT, "%s has shape %s; labels are one column", s->name, npy.shape);
    bool strings = npy.kind == 'U' || npy.kind == 'S';
    return strings ? read_strings(err, s, list, &npy) : read_numbers(err, s, list, &npy);
}

glshape_status io_label_list_read(error *err, io_stream *s, io_label_list *list) {
    list->name = s->name;
    if (io_stream_starts(s, IO_NPY_MAGIC, IO_NPY_MAGIC_BYTES)) return read_npy(err, s, list);
    TRY(io_check_text(err, s));
    list->text = true;
    TRY(read_text(err, s, list));
    if (list->count) return GLSHAPE_OK;
    return fail(err, GLSHAPE_BAD_INPUT, "%s has no labels, only blank lines or comments", s->name);
}
