/* Slow, obvious twins of src/prim on host arrays; the contracts are those of prim/prim.h. */
#ifndef GLSHAPE_TESTS_REFERENCE_PRIM_H
#define GLSHAPE_TESTS_REFERENCE_PRIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A key (high word 0 where keys are 32 bits wide) with its value. */
typedef struct ref_pair {
    uint32_t high, low, value;
} ref_pair;

/* Σ x[stride·i], and Σ of magnitudes in *magnitude. */
double ref_sum_floats(const float *x, size_t n, size_t stride, double *magnitude);
float ref_min_floats(const float *x, size_t n);
float ref_max_floats(const float *x, size_t n);
/* The index of the smallest, the first of equals; UINT32_MAX of nothing. */
uint32_t ref_arg_min(const float *x, size_t n);
uint32_t ref_sum(const uint32_t *x, size_t n);
uint32_t ref_min(const uint32_t *x, size_t n);
uint32_t ref_max(const uint32_t *x, size_t n);

/* Exclusive scan; returns the total. */
uint32_t ref_scan(const uint32_t *x, size_t n, uint32_t *out);
/* Kept items in order (from NULL: indices); returns how many. */
uint32_t ref_compact(const uint32_t *flags, const uint32_t *from, size_t n, uint32_t *out);
void ref_histogram(const uint32_t *keys, size_t n, uint32_t shift, uint32_t mask, uint32_t *bins);
/* By key, then value. */
void ref_sort(ref_pair *pairs, size_t n);
/* One round of odd-even transposition; moved[i] becomes 1 where the pair at i changed. */
void ref_transpose(ref_pair *pairs, size_t n, uint32_t *moved);

#endif
