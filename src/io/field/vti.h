/* VTK's image data as XML (.vti): a grid of one piece; its values as text, as base64 or appended as bytes,
 * compressed by zlib or not. */
#ifndef GLSHAPE_IO_FIELD_VTI_H
#define GLSHAPE_IO_FIELD_VTI_H

#include "io/field/values.h"

/* Whether s starts like XML. */
bool io_vti_starts(const io_stream *s);

/* Reads from the start of s as far as the scalars of points, else of cells: those that the file names, else
 * the first array. GLSHAPE_BAD_INPUT: it is no such file, or what it holds is not read. */
glshape_status io_vti_read_header(error *err, io_stream *s, io_values *out);

#endif
