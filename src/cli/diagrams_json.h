/* Persistence intervals as rips, cubical and alpha write them to .json (cli/intervals.h). */
#ifndef GLSHAPE_CLI_DIAGRAMS_JSON_H
#define GLSHAPE_CLI_DIAGRAMS_JSON_H

#include "io/stream.h"

/* Reads a list of objects with dim (or none: 0), birth and death into *out: F64, three columns, a row for
 * each; io_matrix_free() it. Other keys are passed over. A death of null is infinite, of the sign of those
 * deaths that are numbers. GLSHAPE_BAD_INPUT: with the line. */
glshape_status diagrams_json_read(error *err, io_stream *s, glshape_matrix *out);

#endif
