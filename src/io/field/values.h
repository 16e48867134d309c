/* The values of a field behind a header: where they are and how they are stored. Headers of several formats
 * say so (nrrd.h, metaimage.h, nifti.h, vtk.h, vti.h, pnm.h). */
#ifndef GLSHAPE_IO_FIELD_VALUES_H
#define GLSHAPE_IO_FIELD_VALUES_H

#include "io/field/vti_bytes.h"
#include "io/npy.h"

enum { IO_VALUES_NAME = 1024 };

typedef struct io_values {
    io_npy npy;      /* the values as an .npy file would have them; extent the slowest first */
    size_t channels; /* values of each point, side by side; 0 is 1 */
    bool packed;     /* the values are compressed: gzip or zlib */
    bool text;       /* the values are decimal numbers */
    bool hex;        /* the bytes of the values are pairs of hexadecimal digits */
    bool colors;     /* the values are bytes, and are kept as their 255th parts */
    bool more;       /* something else may follow */
    io_vti_bytes vti;
    long long lines;           /* before these bytes */
    long long skip;            /* bytes before the values; -1: all that are not needed at the end */
    double slope, intercept;   /* what a value v stands for: slope · v + intercept; slope 0: for itself */
    char file[IO_VALUES_NAME]; /* the file of the values, relative to the header's folder; "": they follow the
                                  header */
} io_values;

/* Makes the type of the values from numpy's code ("u2"); swapped: their bytes are in the other order. */
void io_values_set_type(io_values *v, const char *code, bool swapped);
/* Makes the extents from sizes, the fastest first. Trailing sizes of 1 are left out: formats of volumes have
 * them for images. */
void io_values_set_sizes(io_values *v, const long long *sizes, int count);

/* Reads the values of one channel, the only one or the one that is asked for (-1: none), into *out. s stands
 * behind the header; path is the file of the header. npy.rows and cols are those of all points.
 * GLSHAPE_BAD_INPUT: there is none, or they are several and none is asked for. */
glshape_status io_values_read(error *err, io_stream *s, const char *path, io_values *v, int channel,
                              glshape_matrix *out);
/* Replaces values v by slope · v + intercept, in double precision. */
glshape_status io_values_scale(error *err, double slope, double intercept, glshape_matrix *m);
/* Replaces m, whose points have so many values side by side, by one of them, as io_values_read. */
glshape_status io_values_choose(error *err, const char *name, size_t channels, int channel,
                                glshape_matrix *m);

#endif
