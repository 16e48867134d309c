/* NumPy's .npz: a zip file of arrays, each as .npy. Stored, not compressed. */
#ifndef GLSHAPE_IO_NPZ_H
#define GLSHAPE_IO_NPZ_H

#include "base/error.h"

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

/* Whether path ends in .npz. */
bool io_is_npz(const char *path);

#endif
