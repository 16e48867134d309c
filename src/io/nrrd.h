/* NRRD, "nearly raw raster data" (Kindlmann), versions 1 to 5: a text header, then the values in this file or
 * in another.
 *
 * The header is "NRRD000V", lines "field: value", "key:=value" and "#comment", and an empty line if the data
 * follow. Sizes come fastest first. Fields that say how a picture lies in space are passed over. Kinds
 * are not: an axis of colors or of vectors' parts is refused. */
#ifndef GLSHAPE_IO_NRRD_H
#define GLSHAPE_IO_NRRD_H

#include "io/npy.h"

#define IO_NRRD_MAGIC "NRRD000"
enum { IO_NRRD_MAGIC_BYTES = 7, IO_NRRD_NAME = 1024 };

typedef struct io_nrrd {
    io_npy npy;              /* the values as an .npy file would have them; extent the slowest first */
    bool gzip;               /* the values are compressed */
    bool text;               /* the values are decimal numbers */
    bool hex;                /* the bytes of the values are pairs of hexadecimal digits */
    long long lines;         /* before these bytes */
    long long skip;          /* bytes before the values; -1: all that are not needed at the end */
    char file[IO_NRRD_NAME]; /* the file of the values, relative to the header's folder; "": they follow the
                                header */
} io_nrrd;

/* Reads the header from the start of s. GLSHAPE_BAD_INPUT with the line at fault. */
glshape_status io_nrrd_read_header(error *err, io_stream *s, io_nrrd *out);

/* Reads the values. s stands behind the header; path is the file of the header. */
glshape_status io_nrrd_read_numbers(error *err, io_stream *s, const char *path, io_nrrd *nrrd,
                                    glshape_matrix *out);

#endif
