/* Reading a scalar field on a grid: .npy, NRRD or raw bytes, each of them plain or gzipped. */
#ifndef GLSHAPE_IO_GRID_H
#define GLSHAPE_IO_GRID_H

#include "base/error.h"

typedef struct io_grid {
    glshape_type type;
    int dims;        /* 2 or 3 */
    size_t shape[3]; /* the extent of the slowest axis first */
    void *values;    /* C order */
} io_grid;

/* How to read raw bytes: shape "z,y,x" or "y,x"; type "u1" … "f8"; big: the most significant byte of a
 * value comes first. */
typedef struct io_raw {
    const char *shape, *type;
    bool big;
} io_raw;

/* Reads path ("-": standard input) into *out, to be released with io_grid_free(); on failure *out is
 * zeroed. If raw->shape is given, the file is raw bytes. Else its content tells: .npy of 2 or 3 dimensions,
 * or NRRD (raw or gzip encoding; the data in the same file or, NHDR, in another one). GLSHAPE_BAD_ARGUMENT:
 * raw is malformed, or it is missing and the file is neither format. Else errors as io_read_matrix(). */
glshape_status io_read_grid(error *err, const char *path, const io_raw *raw, io_grid *out);
void io_grid_free(io_grid *f);

#endif
