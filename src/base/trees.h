/* Trees that a caller hands back: results of linkage and hdbscan, which it may have changed. */
#ifndef GLSHAPE_BASE_TREES_H
#define GLSHAPE_BASE_TREES_H

#include "base/error.h"

/* Refuses a linkage matrix, of n points, of which a row joins other than two of the clusters before it, each
 * cluster once; has a height that is negative, NaN or less than that of the row before; or a size that is not
 * the sum of the two. GLSHAPE_BAD_ARGUMENT with the row, GLSHAPE_NO_MEMORY. */
glshape_status trees_check_merges(error *err, const double *merges, size_t n);

/* Refuses a condensed tree whose rows or clusters name other points or clusters than there are.
 * GLSHAPE_BAD_ARGUMENT with the row. */
glshape_status trees_check_condensed(error *err, const glshape_hdbscan_result *r);

#endif
