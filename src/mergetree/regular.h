/* The branch that each vertex of a field lies on, and whether the driver finds basins rightly. */
#ifndef GLSHAPE_MERGETREE_REGULAR_H
#define GLSHAPE_MERGETREE_REGULAR_H

#include "field/basins.h"
#include "mergetree/branches.h"

/* on[v] becomes the minimum, as a vertex, whose branch v lies on. NULL: it stays in b->basin. */
glshape_status basins_regular(gpu *g, basins *b, const branches *tree, uint32_t *on);
/* *why stays, if it is for the device, where the driver runs the programs of field/basins.h rightly: on a
 * grid of this neighborhood, or 0: on a graph. regular: those of basins_regular, too (check.c). */
glshape_status basins_are_for_passes(gpu *g, int hood, bool regular, run_why *why);

/* Clears *right if it is not seen that paths do not arrive: two vertices point at each other. How far a run
 * comes on paths that end depends on which invocations are first, so these show it on some drivers only. */
glshape_status basins_try_ring(gpu *g, bool *right);

#endif
