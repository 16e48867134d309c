/* The nodes of a contour tree, where they lie in the join and the split tree, and the arcs, by passes. */
#ifndef GLSHAPE_MERGETREE_CONTOUR_BY_PASSES_H
#define GLSHAPE_MERGETREE_CONTOUR_BY_PASSES_H

#include "mergetree/contour_vertices.h"

/* What the device keeps of the nodes. contour_kept_free(), also after a failure. */
typedef struct contour_kept {
    uint32_t n, count;    /* vertices, nodes */
    gpu_texture vertex;   /* R32UI, of each node */
    gpu_texture reach[2]; /* RG32UI, as contour_reach */
} contour_kept;

/* Finds the nodes of a field of n vertices that the device has, and those beside regular vertices; *tree
 * becomes as contour_tree_begin() leaves it, without reach. sides: the branches of both trees.
 * GLSHAPE_NO_MEMORY. GLSHAPE_NO_GPU_MEMORY: v may be placed. GLSHAPE_GPU_ERROR: the device computes what
 * cannot be. */
glshape_status contour_nodes_by_passes(contour_vertices *v, uint32_t n, const contour_branches sides[2],
                                       contour_tree *tree, contour_kept *kept);
/* Then, after contour_tree_merge(): *r gets the arcs of a field. *good: whether they are those of a contour
 * tree. Uses up what *kept holds. The same errors; after GLSHAPE_NO_GPU_MEMORY v is as it was. */
glshape_status contour_arcs_by_passes(contour_vertices *v, const glshape_field *field,
                                      const contour_tree *tree, contour_kept *kept, glshape_contour_result *r,
                                      bool *good);
void contour_kept_free(contour_kept *k);

#endif
