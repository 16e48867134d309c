/* The triangulation as rings of edges, between the merging of blocks and the collecting of triangles. Inside
 * src/alpha. */
#ifndef GLSHAPE_ALPHA_MESH_H
#define GLSHAPE_ALPHA_MESH_H

#include "alpha/order.h"

/* Points are places in an alpha_order. glsl/alpha/edges.glsl says what the textures hold. */
typedef struct alpha_mesh {
    uint32_t n;
    gpu_texture around, before, origin; /* R32UI, 6n */
    gpu_texture name;                   /* R32UI, n: of alpha_order */
    uint32_t outer;                     /* an edge whose left face is the outer one */
} alpha_mesh;

void alpha_mesh_free(alpha_mesh *m);

/* Both need at least 2 points. words: of 32 bits, that a difference of coordinates takes. GLSHAPE_GPU_ERROR:
 * the device's answers lead nowhere. */
glshape_status alpha_merge_on_device(gpu *g, const alpha_order *order, uint32_t words, alpha_mesh *out,
                                     alpha_cost *cost);
glshape_status alpha_merge_on_cpu(gpu *g, const alpha_order *order, alpha_mesh *out, alpha_cost *cost);

/* Fills count, vertex and neighbour of out, whose n is set. around is used up. */
glshape_status alpha_collect(gpu *g, alpha_mesh *m, alpha_triangulation *out);

#endif
