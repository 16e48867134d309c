/* PNG (ISO/IEC 15948) as a field of two dimensions: one gray value a pixel, from the top row down. */
#ifndef GLSHAPE_IO_PNG_H
#define GLSHAPE_IO_PNG_H

#include "io/npy.h"

#define IO_PNG_MAGIC "\x89PNG\r\n\x1a\n"
enum { IO_PNG_MAGIC_BYTES = 8 };

/* Reads an image from the start of s: the sample values as they are stored, of up to 8 bits as U8, of 16 bits
 * as U16, without regard to gamma. Fills shape, dimensions and extents of *npy, and *out (free() its data).
 * GLSHAPE_BAD_INPUT for color, a palette or an alpha channel, with what to do, and for a file that is
 * damaged. */
glshape_status io_png_read(error *err, io_stream *s, io_npy *npy, glshape_matrix *out);

#endif
