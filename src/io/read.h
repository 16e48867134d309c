/* Reading a dense matrix from a file or standard input: .npy or delimited text, either one gzipped. */
#ifndef GLSHAPE_IO_READ_H
#define GLSHAPE_IO_READ_H

#include "io/label_list.h"
#include "io/stream.h"

/* Name, as --format has it, and what it reads. */
#define IO_FORMATS(X)                                                                               \
    X(IO_AUTO, "auto") /* .npy, or .npz of one array, if the content is, else text */               \
    X(IO_NPY, "npy")                                                                                \
    X(IO_CSV, "csv")           /* text; fields between commas or semicolons */                      \
    X(IO_TSV, "tsv")           /* text; fields between tabs */                                      \
    X(IO_TEXT, "text")         /* text; tabs, semicolons, commas, or else white space */            \
    X(IO_CLOUD, "point-cloud") /* as auto, but each line of text may have a delimiter of its own */ \
    X(IO_PLY, "ply")           /* from here on: clouds of points (cloud/cloud.h) */                 \
    X(IO_OFF, "off")                                                                                \
    X(IO_OBJ, "obj") X(IO_XYZ, "xyz") X(IO_PCD, "pcd") X(IO_GEOJSON, "geojson") X(IO_WKT, "wkt")

#define IO_FORMAT_ENUM(name, text) name,
typedef enum { IO_FORMATS(IO_FORMAT_ENUM) } io_format;
#undef IO_FORMAT_ENUM

/* Sets *out to the format called name. GLSHAPE_BAD_ARGUMENT, naming the known ones, if there is none. */
glshape_status io_format_from_name(error *err, const char *name, io_format *out);

/* What messages call path: itself, or "standard input" for "-". */
const char *io_input_name(const char *path);

/* Reads the matrix in path ("-": standard input) into *out, to be released with io_matrix_free(); on
 * failure *out is zeroed. gzip is recognised and decompressed.
 *
 * .npy: 1 dimension (a column) or 2, in either order and byte order; the values keep their type, bool
 * becomes U8 and half precision F32. So .npz that has one array, and is no sparse matrix of scipy.
 *
 * Text: a row a line, F64. Blank lines and lines whose first character is '#' are skipped. The delimiter
 * is the first of tab, semicolon and comma that the second line has outside quotes, or else the first line;
 * white space if neither has one. Fields may be in double quotes. The first line is a header, and skipped, if
 * each of its fields is empty or a word (has a letter and is no number); a line that mixes numbers and words
 * is an error. nan, na and inf count as numbers. Names of rows are left out, with a note in err: a first
 * column whose field in the header is empty, if it holds text, quoted numbers before others, or 0, 1, 2 ...
 * or 1, 2, 3 ..., or stands beside columns that are counted (",0,1"); and one that the header has no field
 * for, if it holds text, quoted numbers or, in two rows or more, such a count.
 *
 * GLSHAPE_IO_ERROR: cannot be opened or read. GLSHAPE_BAD_INPUT: not a matrix, with the line and column
 * (from 1) or the bytes at fault. GLSHAPE_NO_MEMORY: with the bytes needed. */
glshape_status io_read_matrix(error *err, const char *path, io_format format, glshape_matrix *out);

/* The same, but text whose numbers are all integers, some of which double precision does not have
 * (nanoseconds since 1970), becomes I64. GLSHAPE_BAD_INPUT: such integers stand beside other numbers. */
glshape_status io_read_points(error *err, const char *path, io_format format, glshape_matrix *out);

/* The same of an open stream, with the names of the rows, if text has them and they are more than a count;
 * *names is zeroed before, and released by the caller, also after a failure. */
glshape_status io_read_stream(error *err, io_stream *s, io_format format, glshape_matrix *out,
                              io_label_list *names);

/* GLSHAPE_BAD_INPUT with row and column (from 1) of the first NaN or infinity of m, read from path. */
glshape_status io_check_finite(error *err, const char *path, const glshape_matrix *m);

/* Leaves a note in err if m, finite points that were read from path, looks like distances: square, symmetric,
 * not negative and 0 on the diagonal, or one column of as many values, not negative, as n points have pairs.
 */
void io_note_distances(error *err, const char *path, const glshape_matrix *m);

/* The values of m as doubles, in a new block; integers beyond 2^53 are rounded. GLSHAPE_NO_MEMORY. */
glshape_status io_matrix_doubles(error *err, const glshape_matrix *m, double **out);

/* Releases the values of m and zeroes it. */
void io_matrix_free(glshape_matrix *m);

#endif
