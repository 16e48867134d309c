/* A join or a split tree as its branches give it, for the contour tree. */
#ifndef GLSHAPE_MERGETREE_CONTOUR_SIDE_H
#define GLSHAPE_MERGETREE_CONTOUR_SIDE_H

#include "mergetree/contour_tree.h"
#include "mergetree/order.h"

/* The nodes of both trees, in order. */
typedef struct contour_nodes {
    const order *order;
    uint32_t count;
    uint32_t *vertex;
    uint32_t *number; /* of a vertex: one more than its node; 0: it is regular */
} contour_nodes;

/* Vertices where a branch begins and ends; GLSHAPE_NO_VERTEX: it does not end. */
typedef struct contour_branch {
    uint32_t birth, death;
} contour_branch;

typedef struct contour_side {
    contour_branch *branches;
    size_t count;
    /* Of a vertex: where its branch begins; after contour_side_make() the node that it follows on its branch
     * in the join tree; in the split tree, the node that follows it. */
    uint32_t *on;
} contour_side;

/* Lists the nodes: the vertices where branches of either tree begin or end. contour_nodes_free(), also after
 * a failure. GLSHAPE_NO_MEMORY. */
glshape_status contour_nodes_new(error *err, const order *o, const contour_side side[2], contour_nodes *out);
void contour_nodes_free(contour_nodes *n);

/* Makes the parents and the reach of a side of *out (contour_tree_free()), and frees t->branches.
 * GLSHAPE_NO_MEMORY. */
glshape_status contour_side_make(error *err, const contour_nodes *nodes, int side, contour_side *t,
                                 contour_tree *out);
void contour_side_free(contour_side *t);

#endif
