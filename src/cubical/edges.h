/* The edges of a grid that lower stars leave, and the pairs of dimension 0, by passes. */
#ifndef GLSHAPE_CUBICAL_EDGES_H
#define GLSHAPE_CUBICAL_EDGES_H

#include "cubical/cubes.h"
#include "cubical/listing.h"

typedef glshape_status cubical_asking(gpu *g, run_why *why);
/* Fills *out (cubical_edges_free()) with the edges in no pair: neither in one of their lower star nor in
 * one of dimension 0. o has keys and no field of another order; d has the neighbors across sides. Passes
 * apply the elder rule where there is much to do and elders, NULL or asked then, leaves its word as it is.
 * Errors: GLSHAPE_NO_GPU_MEMORY, GLSHAPE_NO_MEMORY, GLSHAPE_CANCELLED. */
glshape_status cubical_edges_find(gpu *g, const order *o, const grid *d, cubical_asking *elders,
                                  cubical_edges *out);
/* The same on the CPU; c: the cubes of the grid. */
glshape_status cubical_edges_on_cpu(gpu *g, const order *o, const cubes *c, cubical_edges *out);
/* *why stays, if it is for the device, where the driver runs the programs of cubical_edges_find rightly
 * (check.c); the same of those of its elder rule. */
glshape_status cubical_is_for_passes(gpu *g, run_why *why);
glshape_status cubical_elders_are_for_passes(gpu *g, run_why *why);
/* Begins to compile these, and with flows those of reduced.h, too. */
void cubical_expect(gpu *g, bool flows);

#endif
