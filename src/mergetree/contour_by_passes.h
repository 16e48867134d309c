/* The nodes of a contour tree and where they lie in the join and the split tree, by passes. */
#ifndef GLSHAPE_MERGETREE_CONTOUR_BY_PASSES_H
#define GLSHAPE_MERGETREE_CONTOUR_BY_PASSES_H

#include "mergetree/contour_vertices.h"

/* Rows of the arcs up from a node: the first one, and how many are listed by now. */
typedef struct contour_rows {
    uint32_t first;
    _Atomic uint32_t filled;
} contour_rows;

/* What there is of a contour tree once its nodes are found. */
typedef struct contour_found {
    contour_nodes *nodes; /* but for number */
    contour_tree *tree;   /* as contour_tree_begin() leaves it */
    contour_rows **rows;  /* of each node; free() them, also after a failure */
    uint32_t *arcs;       /* how many rows there are */
} contour_found;

/* Finds all of it, and the nodes beside regular vertices, of a field of n vertices that the device has.
 * sides: the branches. GLSHAPE_NO_MEMORY. GLSHAPE_NO_GPU_MEMORY: nothing is found yet, but v may be placed.
 * GLSHAPE_GPU_ERROR: the device computes what cannot be. */
glshape_status contour_by_passes(contour_vertices *v, uint32_t n, const contour_branches sides[2],
                                 const contour_found *out);

#endif
