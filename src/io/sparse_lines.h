/* Lines of a few fields each, as files of entries and edges have them. Inside src/io. */
#ifndef GLSHAPE_IO_SPARSE_LINES_H
#define GLSHAPE_IO_SPARSE_LINES_H

#include "io/fields.h"
#include "io/stream.h"

enum { IO_LINE_FIELDS = 5 };

typedef struct io_line {
    char *text; /* NULL after the last line */
    size_t length;
    size_t count; /* of all fields; the first ones are in field */
    io_field field[IO_LINE_FIELDS];
} io_line;

/* Sets *out to the next line that is neither blank nor starts with one of the characters of comments; its
 * fields are not split yet. Valid until the next call. */
glshape_status io_line_next(error *err, io_stream *s, const char *comments, io_line *out);

/* Finds the fields of the line. */
void io_line_split(io_line *line, char delimiter);

/* Returns true if the field is digits only, below 10^18; sets *out. */
bool io_field_whole(const io_field *field, uint64_t *out);

/* Returns true if the field is the word, in upper or lower case. */
bool io_field_is(const io_field *field, const char *word);

/* Reads a whole number in 1 .. most from field; *out is one less. `what` names it in messages: "row".
 * GLSHAPE_BAD_INPUT with the current line. */
glshape_status io_field_place(error *err, const io_stream *s, const io_field *field, const char *what,
                              size_t most, uint32_t *out);

/* Reads a number that single precision holds. GLSHAPE_BAD_INPUT with the current line. */
glshape_status io_field_value(error *err, const io_stream *s, const io_field *field, double *out);

/* GLSHAPE_BAD_INPUT: the file, the current line, the field and what is wrong with it. */
glshape_status io_field_fail(error *err, const io_stream *s, const io_field *field, const char *wrong);

#endif
