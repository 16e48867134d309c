/* MetaImage (.mha, .mhd), as ITK writes it: lines "Key = value", the last of which names the file of the
 * values, or LOCAL: they follow. Keys that say how a picture lies in space are passed over. */
#ifndef GLSHAPE_IO_FIELD_METAIMAGE_H
#define GLSHAPE_IO_FIELD_METAIMAGE_H

#include "io/field/values.h"

/* Whether s starts like one. */
bool io_metaimage_starts(const io_stream *s);
/* Reads the header from the start of s. GLSHAPE_BAD_INPUT with the line at fault. */
glshape_status io_metaimage_read_header(error *err, io_stream *s, io_values *out);

#endif
