/* NumPy's .npz: a zip file of arrays, each as .npy. What is written is not compressed. */
#ifndef GLSHAPE_IO_NPZ_H
#define GLSHAPE_IO_NPZ_H

#include "io/stream.h"

typedef struct io_npz_array {
    const char *name; /* without ".npy" */
    const char *text; /* not NULL: the array is this text, as bytes, without dimensions */
    glshape_type type;
    int dims;
    size_t shape[2];
    const void *data;
} io_npz_array;

/* Writes the arrays to path, whole or not at all, as io_write_matrix(); path is a file, or something else
 * that bytes can be written to. Sizes and offsets have 64 bits. Errors as io_output_open() and
 * io_output_commit(). */
glshape_status io_write_npz(error *err, const char *path, const io_npz_array *arrays, int count);

/* An array to be read. */
typedef struct io_npz_wanted {
    const char *name; /* without ".npy" */
    bool optional;
    char *word; /* not NULL: room for 8 characters; the array is a text, of which the letters go there */
    glshape_matrix out; /* of one or two dimensions; io_matrix_free() it, also after a failure */
} io_npz_wanted;

/* Reads arrays of an .npz file, as io_write_npz(), numpy.savez and numpy.savez_compressed write it; others
 * are passed over. GLSHAPE_BAD_INPUT: it is no such file, or lacks an array that is not optional. Errors also
 * as io_read_matrix(). */
glshape_status io_read_npz(error *err, const char *path, io_npz_wanted *wanted, int count);

/* The same from s. */
glshape_status io_read_npz_stream(error *err, io_stream *s, io_npz_wanted *wanted, int count);

/* Makes *array, to be closed, the .npy bytes of the only array of s. GLSHAPE_BAD_INPUT: there are several. */
glshape_status io_npz_find_only(error *err, io_stream *s, io_stream *array);

/* Whether path ends in .npz. */
bool io_is_npz(const char *path);

#endif
