/* A matrix as delimited text; the rules are at io_read_matrix(). */
#ifndef GLSHAPE_IO_TEXT_H
#define GLSHAPE_IO_TEXT_H

#include "base/error.h"
#include "io/stream.h"

/* Reads all lines of s into *out (F64; io_matrix_free()); on failure *out is zeroed. delimiters: the
 * characters that may separate fields, in the order of preference; a line without any of them has white space
 * between its fields. */
glshape_status io_text_read(error *err, io_stream *s, const char *delimiters, glshape_matrix *out);
/* The same, but numbers of which all are integers, and some are none of double precision, become I64.
 * GLSHAPE_BAD_INPUT: there are such integers, and other numbers, too. */
glshape_status io_text_read_exact(error *err, io_stream *s, const char *delimiters, glshape_matrix *out);

/* Returns GLSHAPE_BAD_INPUT if s starts like a known format that is not text; the message names the format
 * and says how to convert it. */
glshape_status io_check_text(error *err, const io_stream *s);

#endif
