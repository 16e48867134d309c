/* The nodes of a contour tree. */
#ifndef GLSHAPE_MERGETREE_CONTOUR_NODES_H
#define GLSHAPE_MERGETREE_CONTOUR_NODES_H

#include "field/order.h"

/* Vertices where a branch begins and ends; GLSHAPE_NO_VERTEX: it does not end. */
typedef struct contour_branch {
    uint32_t birth, death;
} contour_branch;

/* The branches of a join or a split tree. */
typedef struct contour_branches {
    contour_branch *branch;
    size_t count;
} contour_branches;

/* The nodes of both trees, in order: the vertices where branches of either tree begin or end. */
typedef struct contour_nodes {
    const order *order; /* NULL by passes */
    uint32_t n, count;  /* vertices, nodes */
    uint32_t *vertex;
    uint32_t *number; /* of a vertex: one more than its node; 0: it is regular. NULL by passes */
} contour_nodes;

/* contour_nodes_free(), also after a failure. GLSHAPE_NO_MEMORY. */
glshape_status contour_nodes_new(error *err, const order *o, const contour_branches sides[2],
                                 contour_nodes *out);
void contour_nodes_free(contour_nodes *n);

/* Makes each number the sum of those before it; *sum, which may be NULL, becomes that of all.
 * GLSHAPE_NO_MEMORY. */
glshape_status contour_add_up(error *err, uint32_t *numbers, uint32_t count, uint32_t *sum);

#endif
