/* What is read off a linkage matrix. */
#ifndef GLSHAPE_LINKAGE_COPHENETIC_H
#define GLSHAPE_LINKAGE_COPHENETIC_H

#include "gpu/gpu.h"

/* The correlation, over all pairs, of distances (of points, or a reader's) with the heights at which pairs
 * meet. NaN where either does not vary. */
glshape_status linkage_cophenetic(gpu *g, const glshape_source *source, const double *merges, uint32_t n,
                                  double *out);

/* The leaves of the drawn tree in order; gap[k], if gap is not NULL, is the height at which leaves k and k +
 * 1 meet. Any two leaves meet at the greatest gap between them. */
glshape_status linkage_leaves(error *err, const double *merges, uint32_t n, uint32_t *leaves, double *gap);

#endif
