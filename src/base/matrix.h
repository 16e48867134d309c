/* Values of a matrix of any type. */
#ifndef GLSHAPE_BASE_MATRIX_H
#define GLSHAPE_BASE_MATRIX_H

#include "base/error.h"

/* The vertices that 32 bits number, GLSHAPE_NO_VERTEX being none of them. Tests make it less. */
#ifndef MATRIX_MOST_VERTICES
#define MATRIX_MOST_VERTICES (GLSHAPE_NO_VERTEX - 1)
#endif

/* Refuses a type that there is not, and values that are not there (NULL). GLSHAPE_BAD_ARGUMENT. */
glshape_status matrix_check_values(error *err, glshape_type type, const void *values, size_t count);
static inline glshape_status matrix_check(error *err, const glshape_matrix *m) {
    return matrix_check_values(err, m->type, m->data, m->rows && m->cols);
}
/* Bytes of a value. */
size_t matrix_value_size(glshape_type type);
/* Value v as a double. */
double matrix_value(glshape_type type, const void *values, size_t v);
/* Values first … first + count - 1, row after row, as doubles. */
void matrix_doubles(const glshape_matrix *m, size_t first, size_t count, double *out);

#endif
