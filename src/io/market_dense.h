/* Matrix Market's array format: a dense matrix, column after column. Inside src/io. */
#ifndef GLSHAPE_IO_MARKET_DENSE_H
#define GLSHAPE_IO_MARKET_DENSE_H

#include "io/market.h"

/* Sets *array to whether s begins with a matrix in array format. */
glshape_status io_market_is_array(error *err, io_stream *s, bool *array);
/* Reads it (F64). Of a symmetric one the file has the lower triangle. GLSHAPE_BAD_INPUT with the line. */
glshape_status io_market_read_array(error *err, io_stream *s, glshape_matrix *out);

#endif
