/* The bytes of values in VTK's XML (vti.h). */
#ifndef GLSHAPE_IO_FIELD_VTI_BYTES_H
#define GLSHAPE_IO_FIELD_VTI_BYTES_H

#include "io/stream.h"

/* How they are encoded. */
typedef struct io_vti_bytes {
    bool used;           /* the values are of such a file */
    bool base64, packed; /* as text; in blocks of zlib's */
    bool big, wide;      /* of counts: the byte order; 8 bytes, not 4 */
} io_vti_bytes;

/* Reads so many bytes, all that are there, into *bytes (free() it). GLSHAPE_BAD_INPUT: they are damaged, or
 * not so many. */
glshape_status io_vti_read_bytes(error *err, io_stream *s, const io_vti_bytes *how, size_t whole,
                                 void *bytes);

#endif
