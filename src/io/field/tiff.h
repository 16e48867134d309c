/* TIFF, through libtiff, which is loaded when a TIFF is read: pages of one size are the planes of a volume.
 */
#ifndef GLSHAPE_IO_FIELD_TIFF_H
#define GLSHAPE_IO_FIELD_TIFF_H

#include "io/field/values.h"

/* Whether s starts like one. */
bool io_tiff_starts(const io_stream *s);
/* Reads all pages from the start of s: shape, dimensions and extents of *npy, *channels of each point, side
 * by side, and *out (free() its data). GLSHAPE_BAD_INPUT with the page at fault; GLSHAPE_BAD_ARGUMENT if
 * libtiff is not installed. */
glshape_status io_tiff_read(error *err, io_stream *s, io_npy *npy, size_t *channels, glshape_matrix *out);

#endif
