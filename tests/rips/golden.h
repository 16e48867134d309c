/* Inputs and listings of intervals in tests/rips/golden, made by independent programs. */
#ifndef GLSHAPE_TESTS_RIPS_GOLDEN_H
#define GLSHAPE_TESTS_RIPS_GOLDEN_H

#include <stddef.h>
#include <stdint.h>

/* The path of a file there; the text is the next call's too. */
const char *golden_path(const char *name);

/* As it is listed; death INFINITY where none is. */
typedef struct golden_interval {
    float birth, death;
} golden_interval;

/* The intervals of a dimension in a listing of Ripser's form, by birth, then death: a new block. Fails the
 * test if the file has no such dimension, or a line that is neither a heading nor an interval. */
golden_interval *golden_intervals(const char *name, int dim, size_t *count);

/* Puts count intervals in that order. */
void golden_sort(golden_interval *list, size_t count);

/* A line of a list of pairs: indices of a simplex and of the one of the next dimension that ends its class,
 * UINT64_MAX where none does. */
typedef struct golden_pair {
    int dim;
    uint64_t born, died;
} golden_pair;

/* All pairs of a list, in its order (by dim, then born): a new block. */
golden_pair *golden_pairs(const char *name, size_t *count);

/* The n × n matrix of a NAME.lower_distance_matrix or the Euclidean distances of a point cloud NAME.txt, as
 * float32 arithmetic gives them: a new block. */
float *golden_distances(const char *name, uint32_t *n);

/* The n numbers of a NAME.weights: a new block. */
double *golden_weights(const char *name, uint32_t n);

#endif
