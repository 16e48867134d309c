/* The slow, obvious twin of src/knn. */
#ifndef GLSHAPE_TESTS_REFERENCE_KNN_H
#define GLSHAPE_TESTS_REFERENCE_KNN_H

#include <glshape.h>

/* In double, column after column; cosine and correlation by their textbook formulas. */
double ref_distance(glshape_metric metric, const double *x, const double *y, size_t columns);

/* The k others nearest to row i, by (distance before the root, index), of rows × columns values. */
void ref_knn(glshape_metric metric, const double *values, size_t rows, size_t columns, size_t i, size_t k,
             uint32_t *index, double *distance);

#endif
