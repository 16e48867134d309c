/* Columns of a table of text, by the names in its first line; the other columns may hold anything. */
#ifndef GLSHAPE_IO_COLUMNS_H
#define GLSHAPE_IO_COLUMNS_H

#include "base/error.h"

enum { IO_COLUMNS = 8, IO_COLUMN_NAME = 64, IO_COLUMN_PAIR = 2 * IO_COLUMN_NAME };

typedef struct io_columns {
    int count;
    char name[IO_COLUMNS][IO_COLUMN_NAME];
} io_columns;

/* "lon,lat": up to IO_COLUMNS names. GLSHAPE_BAD_ARGUMENT, naming the option and what it takes. */
glshape_status io_columns_parse(error *err, const char *option, const char *text, io_columns *out);

/* Reads these columns of path ("-": standard input; gzip is recognised), in this order, into *out (F64;
 * io_matrix_free). Lines, delimiters and quotes are those of io_read_matrix. GLSHAPE_BAD_INPUT: a name that
 * the first line has not (it says which there are) or has twice; a field that is missing or no number, with
 * line and name. */
glshape_status io_read_columns(error *err, const char *path, const io_columns *columns, glshape_matrix *out);

/* Two columns for a hint, as io_columns_parse takes them, of a table of more in path: they sound like
 * longitude and latitude or x and y, or are the first two. False, and out as it was: it is no such table with
 * names in its first line, or it is "-". */
bool io_columns_guess(const char *path, char out[IO_COLUMN_PAIR]);

#endif
