/* Netpbm's images of gray values and colors: P2, P3 (text), P5, P6 (binary). */
#ifndef GLSHAPE_IO_FIELD_PNM_H
#define GLSHAPE_IO_FIELD_PNM_H

#include "io/field/values.h"

/* Whether s starts like one. */
bool io_pnm_starts(const io_stream *s);
/* Reads the header from the start of s. GLSHAPE_BAD_INPUT with what is wrong. */
glshape_status io_pnm_read_header(error *err, io_stream *s, io_values *out);

#endif
