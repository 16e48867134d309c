/* dist/points: dissimilarities of dense points, computed on the GPU from a packed texture. */
#ifndef GLSHAPE_DIST_POINTS_H
#define GLSHAPE_DIST_POINTS_H

#include "gpu/gpu.h"

/* The rows of a matrix on the GPU, prepared so that float32 serves them well: centred (column means for
 * Euclidean and Manhattan; row means for correlation), then scaled (largest value 1; unit rows for cosine
 * and correlation). Shaders that include "dist/points.glsl" under defines() see dissimilarities in that
 * scaled unit; times unit they are in the input's. */
typedef struct dist_points {
    gpu_texture values; /* RGBA32F, n elements of ⌈H/4⌉ texels, padded with 0 */
    uint32_t n;
    double unit;
    double radius; /* root mean square distance of the rows from their mean, in the scaled unit */
    char defines[48];
} dist_points;

/* Refuses shapes that cannot be laid out: fewer than 2 rows, no columns, too many of either. */
glshape_status dist_points_check(error *err, const glshape_matrix *m);

/* Uploads the rows of m so that element e is row order[e] (n entries). m has been checked. Errors: as
 * glshape_mds. */
glshape_status dist_points_new(gpu *g, const glshape_matrix *m, glshape_metric metric, const uint32_t *order,
                               dist_points *out);
void dist_points_free(gpu *g, dist_points *p);

#endif
