/* The slow, obvious twin of src/base/norm.h. */
#ifndef GLSHAPE_TESTS_REFERENCE_NORM_H
#define GLSHAPE_TESTS_REFERENCE_NORM_H

#include <stddef.h>

/* What the distance of two rows is made of: p 1, 2, INFINITY, or of Minkowski. In double, column after
 * column. A power of a whole p is the product of d, d², d⁴, …, the lesser powers first. */
double ref_norm_sum(double p, const double *x, const double *y, size_t columns);
/* Its root: of p above 2 the greatest double whose power is at most the sum. */
double ref_norm_root(double p, double sum);

#endif
