/* The contour tree of a join tree and a split tree, as far as nodes go: the vertices that are regular in both
 * are left out. */
#ifndef GLSHAPE_MERGETREE_CONTOUR_TREE_H
#define GLSHAPE_MERGETREE_CONTOUR_TREE_H

#include <stdatomic.h>

#include "base/error.h"

#define CONTOUR_NONE UINT32_MAX

enum { CONTOUR_JOIN, CONTOUR_SPLIT };

/* Where a node lies in one of both trees. Branches are numbered so that those which begin below a node,
 * children before parents, have consecutive numbers: from the node's own branch on, and before `beyond`. */
typedef struct contour_reach {
    uint32_t branch, beyond;
} contour_reach;

/* An edge of a tree goes from a node to its parent, and is named by the node. An arc is named by the node
 * that is taken away with it. */
typedef struct contour_node {
    _Atomic uint64_t left;    /* its children in both trees that are not taken away (contour_tree.c) */
    uint32_t parent[2];       /* CONTOUR_NONE */
    _Atomic uint32_t edge[2]; /* of its edges: the arc that was made when the edge went; CONTOUR_NONE: none */
    uint32_t toward;          /* the arc's other end; CONTOUR_NONE: it has none */
    uint32_t origin;          /* its number among all nodes */
} contour_node;

/* Nodes are numbered in vertex order. */
typedef struct contour_tree {
    uint32_t count;
    uint32_t *parent[2]; /* of a node in each tree; CONTOUR_NONE. NULL once there are nodes */
    contour_node *node;
    contour_reach *reach[2]; /* NULL: the device has it */
} contour_tree;

/* Returns true if the branch begins below a node, given by its reach. */
static inline bool contour_is_within(contour_reach node, uint32_t branch) {
    return node.branch <= branch && branch < node.beyond;
}

/* Makes the nodes of the parents, which it frees. GLSHAPE_NO_MEMORY. */
glshape_status contour_tree_begin(error *err, contour_tree *t);
/* Finds the arcs: fills edge and toward. An arc rises if its node is lower than the other end. If there is a
 * contour tree, they are its arcs, and *good becomes true. Without reach it does so also where an arc does
 * not lead to an ancestor in the tree in which its node was no leaf; the device sees that. */
glshape_status contour_tree_merge(error *err, contour_tree *t, bool *good);
void contour_tree_free(contour_tree *t);

#endif
