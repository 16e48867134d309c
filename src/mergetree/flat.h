/* The branches of a grid of two dimensions, on the CPU. Inside src/mergetree and src/cubical. */
#ifndef GLSHAPE_MERGETREE_FLAT_H
#define GLSHAPE_MERGETREE_FLAT_H

#include "mergetree/branches.h"
#include "mergetree/grid.h"

#define FLAT_MOST ((size_t)1 << 30) /* vertices */

/* Fills *tree (branches_free()), without jumps, and *edges with how many edges there are between basins. d
 * has one plane. Takes 9 bytes a vertex, and then 32 an edge or 16 an edge and 32 a minimum. Errors:
 * GLSHAPE_NO_MEMORY. */
glshape_status flat_find(error *err, const order *o, const grid *d, branches *tree, size_t *edges);

#endif
