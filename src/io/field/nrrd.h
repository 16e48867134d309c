/* NRRD, "nearly raw raster data" (Kindlmann), versions 1 to 5: a text header, then the values in this file or
 * in another.
 *
 * The header is "NRRD000V", lines "field: value", "key:=value" and "#comment", and an empty line if the data
 * follow. Sizes come fastest first. Fields that say how a picture lies in space are passed over. Kinds
 * are not: the fastest axis may be one of colors, which are channels; another one is refused. */
#ifndef GLSHAPE_IO_FIELD_NRRD_H
#define GLSHAPE_IO_FIELD_NRRD_H

#include "io/field/values.h"

#define IO_NRRD_MAGIC "NRRD000"
enum { IO_NRRD_MAGIC_BYTES = 7 };

/* Reads the header from the start of s. GLSHAPE_BAD_INPUT with the line at fault. */
glshape_status io_nrrd_read_header(error *err, io_stream *s, io_values *out);

#endif
