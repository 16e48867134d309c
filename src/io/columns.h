/* Columns of a table of text, by the names in its first line; the other columns may hold anything. */
#ifndef GLSHAPE_IO_COLUMNS_H
#define GLSHAPE_IO_COLUMNS_H

#include "base/error.h"

enum { IO_COLUMNS = 8, IO_COLUMN_NAME = 64, IO_COLUMN_PAIR = 2 * IO_COLUMN_NAME };

typedef struct io_columns {
    int count;
    char name[IO_COLUMNS][IO_COLUMN_NAME];
} io_columns;

/* Parses names such as "lon,lat", up to IO_COLUMNS of them. GLSHAPE_BAD_ARGUMENT names the option and what
 * it takes. */
glshape_status io_columns_parse(error *err, const char *option, const char *text, io_columns *out);

/* Reads these columns of path ("-": standard input; gzip is recognised), in this order, into *out (F64;
 * io_matrix_free). Lines, delimiters and quotes are those of io_read_matrix. GLSHAPE_BAD_INPUT: the first
 * line lacks a name (the message lists those it has) or has it twice; or a row has not as many fields as the
 * first line; or a field is no number (with line and name). Rows that all have one field more than the first
 * line begin with their names, and err gets a note. */
glshape_status io_read_columns(error *err, const char *path, const io_columns *columns, glshape_matrix *out);

/* Suggests two columns of the table in path, as io_columns_parse takes them: those whose names sound like
 * longitude and latitude or x and y, or the first two. Returns false, and leaves out as it was, if path is
 * "-" or no table of more than two columns with names in its first line. */
bool io_columns_guess(const char *path, char out[IO_COLUMN_PAIR]);

#endif
