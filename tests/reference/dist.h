/* Slow, obvious twin of src/dist/points: dissimilarities straight from the matrix as it was given. */
#ifndef GLSHAPE_TESTS_REFERENCE_DIST_H
#define GLSHAPE_TESTS_REFERENCE_DIST_H

#include <glshape.h>

/* The value in a row and a column, of any type. */
double ref_value(const glshape_matrix *m, size_t row, size_t col);

/* Dissimilarity of rows a and b as glshape_metric defines it, in long double: no scaling is needed. */
double ref_dissimilarity(const glshape_matrix *m, glshape_metric metric, size_t a, size_t b);

#endif
