/* The triangulation as rings of edges, between the merging of blocks and the collecting of triangles. Inside
 * src/delaunay. */
#ifndef GLSHAPE_DELAUNAY_MESH_H
#define GLSHAPE_DELAUNAY_MESH_H

#include "delaunay/order.h"

/* Points are places in a delaunay_order. glsl/delaunay/edges.glsl says what the textures hold. */
typedef struct delaunay_mesh {
    uint32_t n;
    gpu_texture next, prev, origin; /* R32UI, 6n */
    gpu_texture row;                /* R32UI, n: of delaunay_order */
    uint32_t outer;                 /* an edge whose left face is the outer one */
} delaunay_mesh;

void delaunay_mesh_free(delaunay_mesh *m);

/* Both need at least 2 points. limbs: of 32 bits, that a difference of coordinates takes. by_row: may be
 * NULL; the points of delaunay_textures. GLSHAPE_GPU_ERROR: the device's answers lead nowhere. */
glshape_status delaunay_merge_on_device(gpu *g, const delaunay_order *order, uint32_t limbs,
                                        delaunay_mesh *out, delaunay_cost *cost, gpu_texture *by_row);
glshape_status delaunay_merge_on_cpu(gpu *g, const delaunay_order *order, delaunay_mesh *out,
                                     delaunay_cost *cost);

/* Fills count, vertex and neighbor of out, whose n is set, and of textures (may be NULL). next is used up.
 */
glshape_status delaunay_collect(gpu *g, delaunay_mesh *m, delaunay_triangulation *out,
                                delaunay_textures *textures);

#endif
