/* A new point beside a layout that stays as it is. */
#ifndef GLSHAPE_MDS_ATTACH_H
#define GLSHAPE_MDS_ATTACH_H

#include "gpu/gpu.h"

#define MDS_OTHERS 24u /* places around so many points are tried */

/* The points of a layout. */
typedef struct mds_anchors {
    size_t n, dim;
    double *x;                  /* n × dim */
    uint32_t other[MDS_OTHERS]; /* some of the points, at random … */
    double *around;             /* … and for each a direction of length 1, dim values */
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

/* Rows of distances to the points. */
typedef struct mds_new_rows {
    size_t count;
    size_t room; /* values of scratch that distances needs */
    /* out becomes the n distances of a row; NaN: missing. Called from several threads. */
    glshape_status (*distances)(error *err, void *user, size_t row, double *scratch, double *out);
    void *user;
} mds_new_rows;

/* The places of all rows, as mds_attach has them, by passes or by threads; out: count × dim. Passes compute
 * in single precision. Errors: those of distances, GLSHAPE_NO_MEMORY, GLSHAPE_NO_GPU_MEMORY,
 * GLSHAPE_CANCELLED. */
glshape_status mds_attach_all(gpu *g, const mds_anchors *a, const mds_new_rows *rows, float *out);

#endif
