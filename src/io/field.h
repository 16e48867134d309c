/* Reading a scalar field on a grid: .npy, NRRD or raw bytes, each perhaps gzipped. */
#ifndef GLSHAPE_IO_FIELD_H
#define GLSHAPE_IO_FIELD_H

#include "base/error.h"

typedef struct io_field {
    glshape_type type;
    int dims;        /* 2 or 3 */
    size_t shape[3]; /* the slowest first */
    void *values;    /* C order */
} io_field;

/* What raw bytes mean: shape "z,y,x" or "y,x", type "u1" … "f8", and whether the bytes of a value come with
 * the most significant first. */
typedef struct io_raw {
    const char *shape, *type;
    bool big;
} io_raw;

/* Reads path ("-": standard input) into *out, to be released with io_field_free(); on failure *out is zeroed.
 * With raw->shape the file is raw bytes, else it is told by content: .npy of 2 or 3 dimensions, or NRRD (raw
 * or gzip encoding; the data in the same file or, NHDR, in another one). GLSHAPE_BAD_ARGUMENT: raw is
 * malformed, or missing where neither format is there. Else errors as io_read_matrix(). */
glshape_status io_read_field(error *err, const char *path, const io_raw *raw, io_field *out);
void io_field_free(io_field *f);

#endif
