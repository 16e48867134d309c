/* NumPy's .npy format, versions 1.0, 2.0 and 3.0: an array of one or two dimensions.
 *
 * The header is "\x93NUMPY", the version (2 bytes), the length of the rest (2 bytes, from version 2.0 on 4,
 * little endian), and a Python dict literal with the keys descr, fortran_order and shape. It is parsed
 * strictly, and nothing large is allocated before the file has shown that it is as long as the header says.
 */
#ifndef GLSHAPE_IO_NPY_H
#define GLSHAPE_IO_NPY_H

#include "io/stream.h"

#define IO_NPY_MAGIC "\x93NUMPY"
enum { IO_NPY_MAGIC_BYTES = 6, IO_NPY_DESCR = 24, IO_NPY_SHAPE = 100 };

typedef struct io_npy {
    char descr[IO_NPY_DESCR]; /* as the header has it: "<f4" */
    char kind;                /* its letter: f i u b c O S U V m M */
    size_t item;              /* bytes of one value */
    bool swapped;             /* the byte order is not this machine's */
    bool fortran;             /* stored column after column */
    char shape[IO_NPY_SHAPE]; /* as the header has it, for messages: "(3, 4)" */
    int dimensions;
    size_t extent[3];  /* the first three of shape; 1 where there is none */
    size_t rows, cols; /* both at least 1; a one-dimensional array is a column */
    uint64_t header;   /* bytes before the data */
} io_npy;

/* Reads the header from the start of s. GLSHAPE_BAD_INPUT, naming the file and the reason, if it is
 * malformed, or the array is structured, empty or not of 1 or 2 dimensions. */
glshape_status io_npy_read_header(error *err, io_stream *s, io_npy *out);

/* The same for an array of any number of dimensions, which may be empty: rows is the first extent, cols the
 * product of the next two. */
glshape_status io_npy_read_shape(error *err, io_stream *s, io_npy *out);

/* What io_npy_read_header() refuses of a shape; may_be_empty: an array may have no rows. */
glshape_status io_npy_check_shape(error *err, const io_stream *s, const io_npy *npy, bool may_be_empty);

/* Reads the rows × cols × item bytes after the header as they are into *data (free() it), and checks that
 * nothing follows. GLSHAPE_BAD_INPUT, with the bytes expected and found, if the file is too short or too
 * long; GLSHAPE_NO_MEMORY if it does not fit. */
glshape_status io_npy_read_data(error *err, io_stream *s, const io_npy *npy, void **data);

/* Reads the numbers after the header into *out (free() its data): their own type and C order; bool becomes
 * U8, f2 becomes F32. Other kinds are GLSHAPE_BAD_INPUT with what they are and what to do. On failure *out is
 * zeroed. */
glshape_status io_npy_read_numbers(error *err, io_stream *s, const io_npy *npy, glshape_matrix *out);

/* Makes such numbers of the rows × cols × item bytes at `bytes`, which it takes over, also on failure. */
glshape_status io_npy_take_numbers(error *err, const char *name, const io_npy *npy, void *bytes,
                                   glshape_matrix *out);

/* Reads header and numbers: io_npy_read_header() and io_npy_read_numbers(). */
glshape_status io_npy_read(error *err, io_stream *s, glshape_matrix *out);

/* Writes a header as NumPy does, padded with spaces so that the data start at a multiple of 64; returns its
 * length. descr: "<f4"; 0 dimensions are one value. */
enum { IO_NPY_HEADER = 256 };
size_t io_npy_print_header(char out[IO_NPY_HEADER], const char *descr, int dims, const size_t *shape);
/* What a header calls a type in this machine's byte order. */
void io_npy_descr(char out[8], glshape_type type);

/* Returns true if this machine stores the low byte of a number first. */
bool io_is_little_endian(void);

/* Reverses the bytes of each of count items of size 1, 2, 4 or 8. */
void io_swap_bytes(void *data, size_t count, size_t size);

/* Transposes *data from cols × rows to rows × cols items of size 1, 2, 4 or 8: in place if square or a
 * vector, else into a new block that replaces the old one. name is for the GLSHAPE_NO_MEMORY message. */
glshape_status io_transpose(error *err, const char *name, void **data, size_t rows, size_t cols, size_t size);

#endif
