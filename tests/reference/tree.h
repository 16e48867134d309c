/* Slow, obvious twins of src/tree; the contracts are those of tree/tree.h. */
#ifndef GLSHAPE_TESTS_REFERENCE_TREE_H
#define GLSHAPE_TESTS_REFERENCE_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct ref_edge {
    double weight; /* or rank */
    uint32_t lo, hi;
} ref_edge;

/* Kruskal. Sorts edges by (weight, or greatest weight first; lo; hi), then moves those of the forest to the
 * front, in order; returns how many. lo < hi, but for loops. */
size_t ref_mst(uint32_t n, ref_edge *edges, size_t count, bool maximum);
/* n-1 edges of a tree into rows of 4: repeatedly the lowest edge left, all labels rewritten. n small. */
void ref_dendrogram(uint32_t n, ref_edge *edges, double *out);
/* dies[k]: the younger component's oldest vertex, by looking through all vertices; UINT32_MAX: none. */
void ref_elder(uint32_t n, const float *birth, const uint32_t *i, const uint32_t *j, size_t count,
               uint32_t *dies);

#endif
