/* Cophenetic distances and the order of leaves, from a linkage matrix. */
#ifndef GLSHAPE_LINKAGE_COPHENETIC_H
#define GLSHAPE_LINKAGE_COPHENETIC_H

#include "run/run.h"

/* Sets *out to the correlation, over all pairs, of the distance (of points, or a reader's) with the
 * cophenetic distance. NaN if one of the two is the same for all pairs. */
glshape_status linkage_cophenetic(run *r, const glshape_source *source, const double *merges, uint32_t n,
                                  double *out);

/* Fills leaves with the points in the order of the drawn tree's leaves. gap[k], if gap is not NULL, becomes
 * the cophenetic distance of leaves k and k + 1. That of any two leaves is the greatest gap between them. */
glshape_status linkage_leaves(error *err, const double *merges, uint32_t n, uint32_t *leaves, double *gap);

#endif
