/* The edges of a grid that lower stars leave, and the pairs of dimension 0, by passes. */
#ifndef GLSHAPE_CUBICAL_EDGES_H
#define GLSHAPE_CUBICAL_EDGES_H

#include "cubical/cubes.h"
#include "cubical/listing.h"

typedef glshape_status cubical_asking(gpu *g, run_why *why);
/* Fills *out (cubical_edges_free()) with the edges in no pair: neither in one of their lower star nor in
 * one of dimension 0. k has no field of another order. Passes apply the elder rule where there is much to do
 * and elders, NULL or asked then, leaves its word as it is.
 * Errors: GLSHAPE_NO_GPU_MEMORY, GLSHAPE_NO_MEMORY, GLSHAPE_CANCELLED. A field whose keys are on the device
 * is not cut into slabs: they are to go first. */
glshape_status cubical_edges_find(gpu *g, const cubical_keys *k, cubical_asking *elders, cubical_edges *out);
/* The same on the CPU; c: the cubes of the grid. */
glshape_status cubical_edges_on_cpu(gpu *g, const order *o, const cubes *c, cubical_edges *out);
/* Lists the edges that are left by vertex, none of the outside: at: cubes_order of the owner; a: its place in
 * the list; b: its direction. c has its keys. *edges is the caller's to free; *count is below UINT32_MAX. */
glshape_status cubical_edges_list(gpu *g, const cubes *c, cubical_edges *e, radix_item **edges,
                                  size_t *count);
/* *why stays, if it is for the device, where the driver runs the programs of cubical_edges_find rightly
 * (check.c); the same of those of its elder rule. */
glshape_status cubical_is_for_passes(gpu *g, run_why *why);
glshape_status cubical_elders_are_for_passes(gpu *g, run_why *why);
/* Begins to compile these, and with flows those of reduced.h, too. */
void cubical_expect(gpu *g, bool flows);

#endif
