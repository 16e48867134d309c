/* Values of a matrix of any type. */
#ifndef GLSHAPE_BASE_MATRIX_H
#define GLSHAPE_BASE_MATRIX_H

#include "base/error.h"

/* GLSHAPE_BAD_ARGUMENT: the matrix has a type that there is not. */
glshape_status matrix_check_type(error *err, const glshape_matrix *m);
/* Bytes of a value. */
size_t matrix_value_size(glshape_type type);
/* Values first … first + count - 1, row after row, as doubles. */
void matrix_doubles(const glshape_matrix *m, size_t first, size_t count, double *out);

#endif
