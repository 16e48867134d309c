/* Keys of radii on the CPU, of points that the device decides on (exact_on_device): the bits of
 * glsl/alpha/keys.glsl, by integers of the processor. */
#ifndef GLSHAPE_ALPHA_KEYS_H
#define GLSHAPE_ALPHA_KEYS_H

#include <stddef.h>

#include "exact/points.h"

/* The faces that have a radius. Numbers: edges 0 … edges - 1, then triangles. */
typedef struct alpha_faces {
    const exact_points *points;
    const uint32_t *ends;   /* of edge e: ends[2e], ends[2e + 1] */
    const uint32_t *vertex; /* of triangle t: vertex[3t .. 3t+2] */
    uint32_t edges;
} alpha_faces;

static inline const uint32_t *alpha_corners(const alpha_faces *faces, uint32_t f, int *count) {
    *count = f < faces->edges ? 2 : 3;
    return f < faces->edges ? faces->ends + 2 * (size_t)f : faces->vertex + 3 * (size_t)(f - faces->edges);
}

/* The key of a triangle's radius. *obtuse: bit k is set if corner k has an obtuse angle. */
uint64_t alpha_triangle_key(const alpha_faces *faces, uint32_t triangle, unsigned *obtuse);
uint64_t alpha_edge_key(const alpha_faces *faces, uint32_t edge);

#endif
