/* The slow, obvious twin of src/index: every point, in order of its sum. */
#ifndef GLSHAPE_TESTS_REFERENCE_SPACE_H
#define GLSHAPE_TESTS_REFERENCE_SPACE_H

#include <stddef.h>
#include <stdint.h>

typedef struct ref_neighbor {
    double sum;
    uint32_t index;
} ref_neighbor;

/* Fills out with the rows of values (rows × columns), each with its sum to the row q, by (sum, index). The
 * sum is ref_norm_sum(). */
void ref_by_sum(const double *values, size_t rows, size_t columns, double p, const double *q,
                ref_neighbor *out);

#endif
