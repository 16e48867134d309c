/* VTK's legacy format (.vtk) of structured points, as text or binary, its first scalars. */
#ifndef GLSHAPE_IO_FIELD_VTK_H
#define GLSHAPE_IO_FIELD_VTK_H

#include "io/field/values.h"

#define IO_VTK_MAGIC "# vtk DataFile"
enum { IO_VTK_MAGIC_BYTES = 14 };

/* Reads the header from the start of s. GLSHAPE_BAD_INPUT with the line at fault. */
glshape_status io_vtk_read_header(error *err, io_stream *s, io_values *out);

#endif
