/* A new point beside a layout that stays as it is. */
#ifndef GLSHAPE_MDS_ATTACH_H
#define GLSHAPE_MDS_ATTACH_H

#include "base/error.h"

/* The points of a layout. */
typedef struct mds_anchors {
    size_t n, dim;
    double *x; /* n × dim */
} mds_anchors;

/* mds_anchors_free(), also after a failure. GLSHAPE_NO_MEMORY. */
glshape_status mds_anchors_new(error *err, const glshape_mds_result *model, mds_anchors *a);
void mds_anchors_free(mds_anchors *a);

/* Values of scratch that mds_attach needs. */
size_t mds_attach_scratch(const mds_anchors *a);
/* place, of dim values, becomes where Σ(d - δ)² over the points is least, d being the distances in the layout
 * and δ = distance[point] those that are wanted; NaN: the point does not count. At least one is not NaN.
 * Steps begin at
 * several places, as there may be several minima, and go downhill. */
void mds_attach(const mds_anchors *a, const double *distance, double *scratch, double *place);

#endif
