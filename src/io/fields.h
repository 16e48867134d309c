/* One line of delimited text, field by field. */
#ifndef GLSHAPE_IO_FIELDS_H
#define GLSHAPE_IO_FIELDS_H

#include <stdbool.h>
#include <stddef.h>

/* A delimiter is one character, and spaces and tabs around a field are not part of it. The delimiter
 * IO_BLANKS stands for one or more spaces or tabs. */
enum { IO_BLANKS = ' ', IO_QUOTED_ROOM = 80 };

/* A field: text[0 .. length), without its quotes. text[length] is readable and is a delimiter, a blank, a
 * quote or NUL. bad: a quote is not closed, or something follows the closing quote. */
typedef struct io_field {
    const char *text;
    size_t length;
    bool quoted, bad;
} io_field;

/* The fields that are left of a line; at is NULL if none is left. */
typedef struct io_fields {
    const char *at, *end;
    char delimiter;
} io_fields;

/* The fields of line[0 .. length), where line[length] is NUL. */
io_fields io_fields_of(const char *line, size_t length, char delimiter);

/* Sets *out to the next field; returns false if there is none. After a delimiter at the end of the line
 * comes one more field, which is empty; blanks at the end are no delimiter. */
bool io_fields_next(io_fields *fields, io_field *out);

/* Returns the number of fields that are left. */
size_t io_fields_count(io_fields fields);

/* Returns the first of candidates that stands outside quotes in the line; the last candidate is the
 * default. */
char io_fields_delimiter(const char *line, size_t length, const char *candidates);

/* Returns true if the line is blank, or a comment: its first character that is no blank is '#'; or if it is
 * Excel's "sep=;". */
bool io_line_is_skipped(const char *line, size_t length);

/* Where the blanks at p end: spaces and tabs, unless the delimiter is one of them alone. */
const char *io_fields_skip_blanks(const char *p, const char *end, char delimiter);

/* Returns the field as messages show it: in single quotes, cut if long, control characters as '?'. */
const char *io_field_shown(const io_field *field, char out[IO_QUOTED_ROOM]);

#endif
