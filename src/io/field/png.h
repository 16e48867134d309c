/* PNG (ISO/IEC 15948) as a field of two dimensions, from the top row down. */
#ifndef GLSHAPE_IO_FIELD_PNG_H
#define GLSHAPE_IO_FIELD_PNG_H

#include "io/npy.h"

#define IO_PNG_MAGIC "\x89PNG\r\n\x1a\n"
enum { IO_PNG_MAGIC_BYTES = 8 };

/* Reads an image from the start of s: the sample values as they are stored, of up to 8 bits as U8, of 16 bits
 * as U16, without regard to gamma; of a palette its colors. Fills shape, dimensions and extents of *npy,
 * *channels (1: gray; 2: gray and alpha; 3: red, green, blue; 4: and alpha) and *out (free() its data), a
 * pixel's channels side by side. GLSHAPE_BAD_INPUT if the file is damaged. */
glshape_status io_png_read(error *err, io_stream *s, io_npy *npy, size_t *channels, glshape_matrix *out);

#endif
