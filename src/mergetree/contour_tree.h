/* The contour tree of a join tree and a split tree, as far as nodes go: the vertices that are regular in both
 * are left out. */
#ifndef GLSHAPE_MERGETREE_CONTOUR_TREE_H
#define GLSHAPE_MERGETREE_CONTOUR_TREE_H

#include "base/error.h"

#define CONTOUR_NONE UINT32_MAX

enum { CONTOUR_JOIN, CONTOUR_SPLIT };

/* Of one of both trees. An edge goes from a node to its parent, and is named by the node. */
typedef struct contour_side {
    uint32_t *parent; /* of a node; CONTOUR_NONE */
    uint32_t *arc;    /* of an edge: the arc that was made when the edge was taken away; CONTOUR_NONE: none */
    uint32_t *begin, *beyond; /* of a node: the nodes that it is an ancestor of, and itself, have their
                                 `begin` between these */
} contour_side;

/* Nodes are numbered in vertex order. */
typedef struct contour_tree {
    uint32_t count, arcs;
    contour_side side[2];
    uint32_t *lower, *upper; /* nodes of an arc */
    bool *rises;             /* of an arc: it was made of edges of the join tree */
} contour_tree;

/* Allocates what there is for `count` nodes; parents are for the caller to fill. contour_tree_free(), also
 * after a failure. GLSHAPE_NO_MEMORY. */
glshape_status contour_tree_new(error *err, uint32_t count, contour_tree *out);
/* Finds the arcs. If there is a contour tree, they are its arcs, and *good becomes true. */
glshape_status contour_tree_merge(error *err, contour_tree *t, bool *good);
/* Returns true if node a is an ancestor of b in a tree, or b itself. */
static inline bool contour_is_above(const contour_side *s, uint32_t a, uint32_t b) {
    return s->begin[a] <= s->begin[b] && s->begin[b] < s->beyond[a];
}
void contour_tree_free(contour_tree *t);

#endif
