/* The slow, obvious reference of src/hdbscan/membership.c and validity.c. */
#ifndef GLSHAPE_TESTS_REFERENCE_SOFT_H
#define GLSHAPE_TESTS_REFERENCE_SOFT_H

#include <glshape.h>

/* How much a point belongs to each cluster of r, and to none. distance: from it to all points. It is point v
 * or, if is_new, joins v; lambda: where it leaves v's cluster of the condensed tree. strength: r->clusters.
 */
void ref_membership(const glshape_hdbscan_result *r, const double *distance, uint32_t v, double lambda,
                    bool is_new, double *strength, double *noise);

/* The index DBCV of n points, from their distances, n × n. dim 0: distances count as they are. out has room
 * for `clusters`, the greatest label and one. n small. */
void ref_validity(uint32_t n, const double *distance, const int32_t *labels, double dim,
                  glshape_validity *out);

#endif
