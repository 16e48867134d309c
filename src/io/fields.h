/* One line of delimited text, field by field. */
#ifndef GLSHAPE_IO_FIELDS_H
#define GLSHAPE_IO_FIELDS_H

#include <stdbool.h>
#include <stddef.h>

/* IO_BLANKS as a delimiter: one or more spaces or tabs. Any other delimiter is one character, and spaces
 * and tabs around a field do not belong to it. */
enum { IO_BLANKS = ' ', IO_QUOTED_ROOM = 80 };

/* text[0 .. length), without the quotes if it was quoted; text[length] is readable and is a delimiter, a
 * blank, a quote or NUL. bad: a quote is not closed, or something follows the closing one. */
typedef struct io_field {
    const char *text;
    size_t length;
    bool quoted, bad;
} io_field;

/* What remains of a line; at is NULL when nothing does. */
typedef struct io_fields {
    const char *at, *end;
    char delimiter;
} io_fields;

/* The fields of line[0 .. length), where line[length] is NUL. */
io_fields io_fields_of(const char *line, size_t length, char delimiter);

/* The next field; false when there is none. A delimiter at the end is followed by one more, empty field;
 * blanks at the end are not. */
bool io_fields_next(io_fields *fields, io_field *out);

/* The number of fields from here on. */
size_t io_fields_count(io_fields fields);

/* The first of candidates (the last of which is the default) that stands outside quotes in the line. */
char io_fields_delimiter(const char *line, size_t length, const char *candidates);

/* Whether the line has nothing but spaces and tabs, or is a comment: its first other character is '#'. */
bool io_line_is_skipped(const char *line, size_t length);

/* The field as a message can show it: in single quotes, cut if long, control characters as '?'. */
const char *io_field_shown(const io_field *field, char out[IO_QUOTED_ROOM]);

#endif
