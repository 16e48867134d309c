/* Values of an NRRD file as text. */
#ifndef GLSHAPE_IO_NRRD_TEXT_H
#define GLSHAPE_IO_NRRD_TEXT_H

#include "io/npy.h"

/* Reads rows × cols numbers between blanks and line ends, and nothing more, into *out (free() its data).
 * GLSHAPE_BAD_INPUT, with line and place, if one is no number of its type. */
glshape_status io_nrrd_read_text(error *err, io_stream *s, const io_npy *npy, glshape_matrix *out);

/* The same of values whose bytes are pairs of hexadecimal digits, with blanks anywhere between them. */
glshape_status io_nrrd_read_hex(error *err, io_stream *s, const io_npy *npy, glshape_matrix *out);

#endif
