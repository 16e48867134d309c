/* A join or a split tree as its branches give it, for the contour tree. */
#ifndef GLSHAPE_MERGETREE_CONTOUR_SIDE_H
#define GLSHAPE_MERGETREE_CONTOUR_SIDE_H

#include "mergetree/contour_vertices.h"

/* Makes the parents and the reach of a side of *out (contour_tree_free()), and places the vertices. birth: of
 * each node, the vertex where the branch that it is on begins. GLSHAPE_NO_MEMORY. */
glshape_status contour_side_make(contour_vertices *v, int side, const contour_branches *branches,
                                 const uint32_t *birth, contour_tree *out);

#endif
