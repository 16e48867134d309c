/* A matrix as delimited text; the rules are at io_read_matrix(). */
#ifndef GLSHAPE_IO_TEXT_H
#define GLSHAPE_IO_TEXT_H

#include "base/error.h"
#include "io/label_list.h"
#include "io/stream.h"

typedef struct io_text_rules {
    const char *delimiters; /* the characters that may separate fields, in the order of preference; a line
                               without any of them has white space between its fields */
    bool each;              /* every line has the delimiter that is found in it, as Ripser reads points */
    bool exact; /* numbers of which all are integers, and some are none of double precision, become I64 */
    io_label_list
        *names; /* gets the names of rows, unless they count 0, 1 ... or 1, 2 ...; NULL: nobody asks */
} io_text_rules;

/* Reads all lines of s into *out (F64, or I64; io_matrix_free()); on failure *out is zeroed.
 * GLSHAPE_BAD_INPUT, beside what io_read_matrix() says: by `exact` there are integers that double precision
 * does not have, and other numbers. */
glshape_status io_text_read(error *err, io_stream *s, io_text_rules rules, glshape_matrix *out);

/* Returns GLSHAPE_BAD_INPUT if s starts like a known format that is not text; the message names the format
 * and says how to convert it. */
glshape_status io_check_text(error *err, const io_stream *s);
/* The same for spreadsheets alone, which are zip archives as .npz is. */
glshape_status io_check_office(error *err, const io_stream *s);

#endif
