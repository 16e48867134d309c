/* Reading a scalar field on a grid: from the formats that io_read_grid() says, each plain or gzipped. */
#ifndef GLSHAPE_IO_FIELD_GRID_H
#define GLSHAPE_IO_FIELD_GRID_H

#include "base/error.h"
#include "io/stream.h"

typedef struct io_grid {
    glshape_type type;
    int dims;        /* 1, 2 or 3 */
    size_t shape[3]; /* the extent of the slowest axis first */
    void *values;    /* C order */
    size_t reserved; /* 0; or bytes, if io_grid_reserve() has made values */
} io_grid;

/* How to read raw bytes: shape "z,y,x", "y,x" or "x"; type "u1" … "f8"; big: the most significant byte of a
 * value comes first. */
typedef struct io_raw {
    const char *shape, *type;
    bool big;
    uint64_t skip; /* bytes before the values */
    int channel; /* of files with several values a point, which are not raw: 1 + the one that is read; 0: none
                  */
    const char *dataset; /* of HDF5 and NetCDF: the array that is read; NULL: the only one */
    const char *remedy;  /* what to do with a field of more vertices than 32 bits number; NULL: the usual */
} io_raw;

/* GLSHAPE_BAD_ARGUMENT: what raw says of raw bytes is no shape or no type. */
glshape_status io_raw_check(error *err, const io_raw *raw);

/* Reads path ("-": standard input) into *out, to be released with io_grid_free(); on failure *out is
 * zeroed. If raw->shape is given, the file is raw bytes. Else its content tells: .npy of up to 3 dimensions,
 * .npz of one such array, NRRD, MetaImage and NIfTI (the values in the same file or in another one), VTK's
 * legacy structured points and .vti, TIFF (pages are planes), PNG, PGM, PPM, HDF5, NetCDF, a DIPHA image, or
 * text: a row of an image a line, or a grid of ESRI's. GLSHAPE_BAD_ARGUMENT: raw is malformed, or it is
 * missing and the file is of no such format. Else errors as io_read_matrix(). */
glshape_status io_read_grid(error *err, const char *path, const io_raw *raw, io_grid *out);
void io_grid_free(io_grid *f);

/* Whether s is HDF5 or NetCDF. */
bool io_grid_is_named(const io_stream *s);
/* Reads the array of such a file that dataset names, or the only one, as a table: of one dimension, a column,
 * or of two. s is path, open. Else as io_read_grid(). */
glshape_status io_grid_read_table(error *err, io_stream *s, const char *path, const char *dataset,
                                  glshape_matrix *out);

/* Where the values of a file lie as they are in memory: plain .npy or raw bytes, in C order and this
 * machine's byte order. *there says whether they do, and *at where; if not, io_read_grid() may still read the
 * file. Fills *out but for its values. A file may have more vertices than 32 bits number. */
glshape_status io_grid_find(error *err, const char *path, const io_raw *raw, io_grid *out, uint64_t *at,
                            bool *there);
/* Makes out->values, zeros: addresses for all, which take memory only where values are stored. */
glshape_status io_grid_reserve(error *err, io_grid *out);
/* Reads planes [first, first + count) of such a file to their places in out->values, which has room for all.
 */
glshape_status io_grid_read_planes(error *err, const char *path, uint64_t at, size_t first, size_t count,
                                   io_grid *out);

#endif
