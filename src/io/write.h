/* Writing results: whole or not at all.
 *
 * An output is written to a temporary file beside its path and renamed to it when it is complete, so that
 * a run that fails, is interrupted or is killed leaves the old file or none. What a run that was killed
 * outright has left is removed when the same path is opened again. */
#ifndef GLSHAPE_IO_WRITE_H
#define GLSHAPE_IO_WRITE_H

#include <stdio.h>

#include "base/error.h"
#include "io/label_list.h"
#include "io/temporary.h"

/* An output being written. Zeroed, or after commit or abort, it is closed; until then it stays where it is.
 */
typedef struct io_output {
    FILE *stream;
    char *path;      /* what is replaced: links are followed; NULL for standard output */
    char *temporary; /* NULL when written to directly */
    io_temporary watched;
    int lock;   /* a descriptor of the temporary file that outlives the stream */
    char *text; /* an output that is held (io_outputs_hold): what the stream has written */
    size_t length;
} io_output;

/* Returns the descriptor that path stands for: 1 for "-" and "/dev/stdout", 2 for "/dev/stderr", N for
 * "/dev/fd/N"; -1 if path names a file. Output to a descriptor continues where it stands: a log that is
 * open keeps its content. */
int io_output_descriptor(const char *path);

/* Checks that path can be written: its folder exists and is writable, and path is no folder. "-" always
 * can. GLSHAPE_IO_ERROR names the path and the reason. Creates nothing. */
glshape_status io_output_check(error *err, const char *path);

/* Opens path for writing. A descriptor, a device or a pipe is written to directly; else the temporary
 * file "PATH.PID-N.tmp" is made, with the permissions of the file that it will replace, or those of a new
 * file. Each opened output ends with io_output_commit() or io_output_abort(). */
glshape_status io_output_open(error *err, const char *path, io_output *out);

/* Where to write. Errors need no check: io_output_commit() reports them. */
FILE *io_output_stream(const io_output *out);

/* Writes count lines to a stream, in order. Threads call print, which puts line number `line`, of at most
 * `most` bytes, to out and returns its length. GLSHAPE_NO_MEMORY. */
typedef size_t (*io_print_line)(const void *user, uint64_t line, char *out);
glshape_status io_write_lines(error *err, FILE *to, uint64_t count, size_t most, io_print_line print,
                              const void *user);

/* Writes out what is buffered, to the disk, and puts the file in place. On GLSHAPE_IO_ERROR (disk full, for
 * one) the temporary file is removed. Closes *out either way; standard output stays open. */
glshape_status io_output_commit(error *err, io_output *out);

/* Outputs of a run that writes many. Threads make them in memory; one thread writes them, and what is slow,
 * the wait for the disk, is done for many together.
 *
 * Between io_outputs_hold(list) and io_outputs_hold(NULL), what this thread commits is no file yet: it stands
 * in *list, in order, until io_held_free(). */
typedef struct io_held {
    struct io_held *next;
    char *path, *text;
    size_t length;
} io_held;
void io_outputs_hold(io_held **list);
void io_held_free(io_held *list);

/* Files that are complete under their temporary names. */
enum { IO_OUTPUTS = 128 };
typedef struct io_outputs {
    size_t count;
    struct {
        io_output out;
        int why; /* errno of the disk; 0: it is in place */
    } list[IO_OUTPUTS];
} io_outputs;
/* Writes what is held under a temporary name, into the list, which has room and stays where it is. */
glshape_status io_outputs_write(error *err, io_outputs *list, const io_held *held);
/* Waits until the files of the list are on the disk, and puts them in place; on any thread. */
void io_outputs_place(io_outputs *list);
/* Empties the list, whose files are in place. If some could not be, err has the sentence of the first;
 * returns how many. On the thread that wrote them. */
size_t io_outputs_end(error *err, io_outputs *list);

/* Removes the temporary file and closes *out; harmless on a closed one. */
void io_output_abort(io_output *out);
/* Commits what was written with success, aborts what was not; returns what went wrong, if anything. */
glshape_status io_output_end(error *err, io_output *out, glshape_status status);

/* GLSHAPE_BAD_ARGUMENT, which names the known extensions, unless that of path is one that io_write_matrix()
 * knows. */
glshape_status io_output_format_check(error *err, const char *path);

/* Returns the delimiter of the format that path's extension says: ',', '\t' or ' '; 0 if it is not text. */
char io_output_delimiter(const char *path);

/* Writes m to path, in the format of its extension, in either case: .npy (version 1.0, C order, this
 * machine's byte order), .csv (commas), .tsv (tabs), .txt (spaces); "-" is .csv on standard output. Text has
 * a row a line and no header, with digits that read back as the same values. Errors as io_output_check(),
 * io_output_format_check() and io_output_commit(). */
glshape_status io_write_matrix(error *err, const char *path, const glshape_matrix *m);
/* Names of the rows of an output: of[i] says whose name row i has; NULL: its own. Without a list, or in .npy,
 * rows have no names. In text they are the first column, and a first line says what the others are: head,
 * a name for each between commas, or one for all, with numbers from 1; NULL: columns are called as the rows.
 * As pandas and R have it, .csv and .tsv leave the name of the first column empty, and .txt leaves it out.
 * Names that are numbers, and those in .txt, are in quotes. */
typedef struct io_row_names {
    const io_label_list *list;
    const char *head;
    const uint32_t *of;
} io_row_names;
/* The same as io_write_matrix, of dims 1 or 2. */
glshape_status io_write_named(error *err, const char *path, int dims, const glshape_matrix *m,
                              io_row_names names);
/* The same, some rows at a time: shape says the type, all rows and columns; its data count for nothing. After
 * a failure, and if it is not committed, io_rows_abort() it. The list of names stays where it is. */
typedef struct io_rows {
    io_output out;
    glshape_type type;
    size_t rows, cols, written, most; /* most: bytes of a line */
    char delimiter;                   /* 0: .npy */
    io_row_names names;
} io_rows;
glshape_status io_rows_open(error *err, const char *path, const glshape_matrix *shape, io_row_names names,
                            io_rows *out);
glshape_status io_rows_write(error *err, io_rows *r, size_t count, const void *data);
glshape_status io_rows_commit(error *err, io_rows *r);
void io_rows_abort(io_rows *r);
/* Puts text into out as a field, in quotes if that is asked for or it needs them; returns its length, at most
 * twice that of text and 2. */
size_t io_print_name(char *out, const char *text, char delimiter, bool quoted);
/* Writes n values, one a row, as io_write_matrix(); .npy has one dimension. */
glshape_status io_write_vector(error *err, const char *path, glshape_type type, size_t n, void *data);
/* Writes an array of 1 to 3 dimensions, in C order, as .npy whatever path is called. */
glshape_status io_write_array(error *err, const char *path, glshape_type type, int dims, const size_t *shape,
                              const void *data);

#endif
