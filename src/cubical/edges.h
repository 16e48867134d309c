/* The edges of a grid that lower stars leave, and the pairs of dimension 0, by passes. */
#ifndef GLSHAPE_CUBICAL_EDGES_H
#define GLSHAPE_CUBICAL_EDGES_H

#include "cubical/cubes.h"
#include "mergetree/slabs.h"

/* What dimension 0 leaves. */
typedef struct cubical_edges {
    radix_item *left; /* at: an owner, ascending; a: set of directions (glsl/cubical/directions.glsl) */
    size_t count;
    uint32_t minima;
    uint32_t *birth, *death; /* of each minimum: vertices; death GLSHAPE_NO_VERTEX: it never dies */
    size_t examined;         /* critical edges */
    uint32_t slabs;          /* that the field was done in; 0: on the CPU */
} cubical_edges;

/* Fills *out (cubical_edges_free()) with the edges in no pair: neither in one of their lower star nor in
 * one of dimension 0. o has keys and no field of another order; d has the neighbors across sides. Errors:
 * GLSHAPE_NO_GPU_MEMORY, GLSHAPE_NO_MEMORY, GLSHAPE_CANCELLED. */
glshape_status cubical_edges_find(gpu *g, const order *o, const grid *d, cubical_edges *out);
/* The same on the CPU; c: the cubes of the grid. */
glshape_status cubical_edges_on_cpu(error *err, const order *o, const cubes *c, cubical_edges *out);
void cubical_edges_free(cubical_edges *e);
/* *why stays, if it is for the device, where the driver runs the programs of cubical_edges_find rightly
 * (check.c). */
glshape_status cubical_is_for_passes(gpu *g, run_why *why);
/* The same of morse_fill_by_passes. */
glshape_status cubical_flow_is_for_passes(gpu *g, run_why *why);

#endif
