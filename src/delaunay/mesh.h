/* The triangulation as directed edges around points, which is how blocks are merged; triangles are
 * collected from it afterwards. Inside src/delaunay. */
#ifndef GLSHAPE_DELAUNAY_MESH_H
#define GLSHAPE_DELAUNAY_MESH_H

#include "delaunay/order.h"

/* Points are named by their places in a delaunay_order. glsl/delaunay/edges.glsl says what next, prev and
 * origin hold. */
typedef struct delaunay_mesh {
    uint32_t n;
    gpu_texture next, prev, origin; /* R32UI, 6n */
    gpu_texture row;                /* R32UI, n: as in delaunay_order */
    uint32_t outer;                 /* an edge whose left face is the outer one */
} delaunay_mesh;

void delaunay_mesh_free(delaunay_mesh *m);

/* Merge all blocks of order, which has at least 2 points, into *out (delaunay_mesh_free()). limbs:
 * exact_difference_limbs() of the points. by_row (may be NULL) becomes delaunay_textures.points.
 * GLSHAPE_GPU_ERROR: mergers do not advance, because the device computes something wrong. */
glshape_status delaunay_merge_on_device(gpu *g, const delaunay_order *order, uint32_t limbs,
                                        delaunay_mesh *out, delaunay_cost *cost, gpu_texture *by_row);
glshape_status delaunay_merge_on_cpu(gpu *g, const delaunay_order *order, delaunay_mesh *out,
                                     delaunay_cost *cost);

/* Collects the triangles of m. Sets count, vertex and neighbor of *out, whose n is set, and vertex and
 * neighbor of *textures (may be NULL). Overwrites m->next. */
glshape_status delaunay_collect(gpu *g, delaunay_mesh *m, delaunay_triangulation *out,
                                delaunay_textures *textures);

#endif
