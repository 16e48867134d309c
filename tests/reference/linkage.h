/* The slow, obvious twin of src/linkage. */
#ifndef GLSHAPE_TESTS_REFERENCE_LINKAGE_H
#define GLSHAPE_TESTS_REFERENCE_LINKAGE_H

#include <glshape.h>

/* n-1 rows of scipy's linkage matrix from n × n distances: again and again the least pair, by (order, smaller
 * index, larger index), of two clusters is joined, all labels rewritten. order: what distances are compared
 * by (the sum, where the distance is its root); distance: what heights are. n small. */
void ref_linkage(uint32_t n, const double *order, const double *distance, double *out);

/* The distances of rows × columns values, and what they are compared by: n × n each. */
void ref_distances(glshape_metric metric, const double *values, size_t rows, size_t columns, double *order,
                   double *distance);

/* label[v] of the clusters that merges (n-1 rows) up to a height make, by first appearance; their number. */
uint32_t ref_cut(uint32_t n, const double *merges, double height, uint32_t *label);

/* The correlation of distances with the heights at which pairs meet: textbook formula over all pairs. */
double ref_cophenetic(uint32_t n, const double *merges, const double *distance);

#endif
