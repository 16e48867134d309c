/* The nodes of a contour tree, where they lie in the join and the split tree, and the arcs, by passes. */
#ifndef GLSHAPE_MERGETREE_CONTOUR_BY_PASSES_H
#define GLSHAPE_MERGETREE_CONTOUR_BY_PASSES_H

#include "base/threads.h"
#include "mergetree/contour_vertices.h"

/* What the device keeps of the nodes. contour_kept_free(), also after a failure. Textures are R32UI and have
 * an element for each node, but for reach. CONTOUR_NONE: there is none. */
typedef struct contour_kept {
    uint32_t n, count; /* vertices, nodes */
    gpu_texture vertex;
    gpu_texture reach[2];               /* RG32UI, as contour_reach */
    gpu_texture parent[2], children[2]; /* in both trees; how many */
    gpu_texture list;                   /* the nodes that are left for threads */
    uint32_t left;                      /* how many these are */
    gpu_texture edge[2], toward;        /* as contour_node has them */
    uint32_t arcs;                      /* nodes that have one */
    threads_touching *touching[2];      /* the system gives the memory of the result its pages */
} contour_kept;

/* Finds the nodes of a field of n vertices that the device has, and those beside regular vertices: vertex,
 * reach, parent and children. sides: the branches of both trees. *r gets memory, which must not be freed
 * before *kept. GLSHAPE_NO_MEMORY. GLSHAPE_NO_GPU_MEMORY: v
 * may be placed. GLSHAPE_GPU_ERROR: the device computes what cannot be. */
glshape_status contour_nodes_by_passes(contour_vertices *v, uint32_t n, const contour_branches sides[2],
                                       contour_kept *kept, glshape_contour_result *r);
/* Then, after contour_leaves_end(): *r, the same, gets the arcs of a field. *good: whether they are those of
 * a contour tree. Uses up what *kept holds. The same errors; after GLSHAPE_NO_GPU_MEMORY v is as it was. */
glshape_status contour_arcs_by_passes(contour_vertices *v, const glshape_field *field, contour_kept *kept,
                                      glshape_contour_result *r, bool *good);
/* GLSHAPE_GPU_ERROR: the driver computes something wrong. */
glshape_status contour_is_wrong(gpu *g);
void contour_kept_free(contour_kept *k);

#endif
