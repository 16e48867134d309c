/* Values of a field as text. */
#ifndef GLSHAPE_IO_FIELD_VALUES_TEXT_H
#define GLSHAPE_IO_FIELD_VALUES_TEXT_H

#include "io/npy.h"

/* Reads rows × cols numbers between blanks and line ends into *out (free() its data). more: others may
 * follow, and are passed over. GLSHAPE_BAD_INPUT, with line and place, if one is no number of its type, or if
 * one follows that may not. */
glshape_status io_values_read_text(error *err, io_stream *s, const io_npy *npy, bool more,
                                   glshape_matrix *out);

/* The same of values whose bytes are pairs of hexadecimal digits, with blanks anywhere between them. */
glshape_status io_values_read_hex(error *err, io_stream *s, const io_npy *npy, glshape_matrix *out);

#endif
