/* Slow, obvious twins of src/prim on host arrays; the contracts are those of prim/prim.h. */
#ifndef GLSHAPE_TESTS_REFERENCE_PRIM_H
#define GLSHAPE_TESTS_REFERENCE_PRIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Σ x[stride·i], and Σ of magnitudes in *magnitude. */
double ref_sum_floats(const float *x, size_t n, size_t stride, double *magnitude);
uint32_t ref_sum(const uint32_t *x, size_t n);

/* Exclusive scan; returns the total. */
uint32_t ref_scan(const uint32_t *x, size_t n, uint32_t *out);
/* Kept items in order (from NULL: indices); returns how many. */
uint32_t ref_compact(const uint32_t *flags, const uint32_t *from, size_t n, uint32_t *out);

#endif
