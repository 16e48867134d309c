/* Columns of a table of text, by the names in its first line or by their numbers; the other columns may hold
 * anything. */
#ifndef GLSHAPE_IO_COLUMNS_H
#define GLSHAPE_IO_COLUMNS_H

#include "io/label_list.h"
#include "io/stream.h"

enum { IO_COLUMN_NAME = 64, IO_COLUMN_PAIR = 2 * IO_COLUMN_NAME };

/* Which columns are wanted, as options say it. chosen: names, numbers from 1, and ranges of either, such as
 * "x,y", "2-4,7" or "first:last"; NULL: all. left_out: one name or number, of a column that is none of all;
 * NULL: none. A name comes before a number that reads like it. */
typedef struct io_columns {
    const char *chosen, *left_out;
    bool geographic; /* latitude and longitude are wanted, by default the columns that are called so; what is
                        chosen as longitude and latitude changes places */
    const char *labels;  /* a column of text, which is none of all, either; NULL: none */
    bool perhaps_empty;  /* a table may have only its line of names */
    const char *instead; /* names: chosen if the table has all of them, but not all of `chosen`; NULL: none */
} io_columns;

/* The texts of a table beside its numbers. */
typedef struct io_texts {
    io_label_list names;  /* of rows: the column that is left out, or a first one without a name */
    io_label_list labels; /* the column that `labels` says */
} io_texts;

/* GLSHAPE_BAD_ARGUMENT, with what the options take: they are not of this form. */
glshape_status io_columns_check(error *err, const io_columns *columns);
/* How many columns are chosen, if that is known before the table: nothing among them reads like a range, and
 * not all are wanted; else 0. */
size_t io_columns_count(const io_columns *columns);
/* Whether they are all given by numbers, as those of a table without names must be. */
bool io_columns_have_numbers(const io_columns *columns);

/* Reads these columns of path ("-": standard input; gzip is recognised), in this order, into *out (F64;
 * io_matrix_free). Lines, delimiters and quotes are those of io_read_matrix. The first line has the names,
 * unless all its fields are numbers. GLSHAPE_BAD_INPUT: there is no such column (the message lists those
 * there are), or two have its name, or it is chosen twice; or a row has not as many fields as the first line;
 * or a field is no number (with line and name). Rows that all have one field more than the first line begin
 * with their names, and err gets a note. So does a first column without a name that is not chosen. *texts is
 * zeroed before and released by the caller, also after a failure; NULL: nobody asks. Names that count rows,
 * 0, 1 ... or 1, 2 ..., are left out. */
glshape_status io_read_columns(error *err, const char *path, const io_columns *columns, glshape_matrix *out,
                               io_texts *texts);
/* The same of an open stream. */
glshape_status io_read_columns_stream(error *err, io_stream *s, const io_columns *columns,
                                      glshape_matrix *out, io_texts *texts);
void io_texts_free(io_texts *texts);
/* The same of a matrix that was read from path and has no names. */
glshape_status io_pick_columns(error *err, const char *path, const io_columns *columns, glshape_matrix *m);

/* Of a table called name, whose columns have these names between commas: sets *place, a new block, to where
 * each column goes among the chosen ones, or to SIZE_MAX or a number near it; *chosen: how many they are. */
glshape_status io_columns_place(error *err, const char *name, const io_columns *columns, const char *names,
                                size_t width, size_t **place, size_t *chosen);

/* Suggests how to read the table in path, of which a field is no number: as "--index name" or "--columns
 * a,b". Returns false, and leaves out as it was, if path is "-" or no table of more than one column with
 * names in its first line. */
enum { IO_COLUMNS_ADVICE = 200 };
bool io_columns_advise(const char *path, char out[IO_COLUMNS_ADVICE]);

/* Suggests two columns of the table in path, as io_columns_parse takes them: those whose names sound like
 * longitude and latitude or x and y, or the first two. Returns false, and leaves out as it was, if path is
 * "-" or no table of more than two columns with names in its first line. */
bool io_columns_guess(const char *path, char out[IO_COLUMN_PAIR]);

#endif
