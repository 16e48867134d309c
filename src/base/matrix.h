/* Values of a matrix of any type. */
#ifndef GLSHAPE_BASE_MATRIX_H
#define GLSHAPE_BASE_MATRIX_H

#include "base/error.h"

/* The vertices that 32 bits number, GLSHAPE_NO_VERTEX being none of them. Tests make it less. */
#ifndef MATRIX_MOST_VERTICES
#define MATRIX_MOST_VERTICES (GLSHAPE_NO_VERTEX - 1)
#endif

/* GLSHAPE_BAD_ARGUMENT: the matrix has a type that there is not. */
glshape_status matrix_check_type(error *err, const glshape_matrix *m);
/* Bytes of a value. */
size_t matrix_value_size(glshape_type type);
/* Values first … first + count - 1, row after row, as doubles. */
void matrix_doubles(const glshape_matrix *m, size_t first, size_t count, double *out);

#endif
