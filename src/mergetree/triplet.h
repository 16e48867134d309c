/* The triplet merge tree algorithm (Nigmetov, Morozov) on the GPU, and triplets by the processor. */
#ifndef GLSHAPE_MERGETREE_TRIPLET_H
#define GLSHAPE_MERGETREE_TRIPLET_H

#include "field/grid.h"

#define TRIPLET_NONE UINT32_MAX

/* saddle[u] and other[u] become s and v of the triplet (u, s, v); TRIPLET_NONE and u if the class of u is
 * essential. Takes 15 bytes of texture a vertex and at most 64 MiB beside the field. */
glshape_status triplet_find(gpu *g, grid_field *f, uint32_t *saddle, uint32_t *other);
/* *why stays, if it is for the device, where the driver runs its programs rightly: on a grid of this
 * neighborhood, or 0: on a graph (check.c).
 */
glshape_status triplets_are_for_passes(gpu *g, int hood, run_why *why);
/* The same as triplet_find on the CPU, where g need not be open; GLSHAPE_BAD_ARGUMENT as grid_field_new. */
glshape_status triplet_find_on_cpu(run *r, const order *o, const grid *d, uint32_t *saddle, uint32_t *other);

#endif
