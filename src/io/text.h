/* A matrix as delimited text; the rules are at io_read_matrix(). */
#ifndef GLSHAPE_IO_TEXT_H
#define GLSHAPE_IO_TEXT_H

#include "io/read.h"
#include "io/stream.h"

/* Reads the lines of s, from its start to its end, into *out (io_matrix_free()); on failure *out is
 * zeroed. format says which delimiters are looked for and is not IO_NPY. */
glshape_status io_text_read(error *err, io_stream *s, io_format format, glshape_matrix *out);

/* GLSHAPE_BAD_INPUT, with what it is and what to do, if s starts as a known format that is no text. */
glshape_status io_check_text(error *err, const io_stream *s);

#endif
