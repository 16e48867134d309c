/* A field that is too large for the GPU, a slab of planes at a time. Where a steepest path leaves a slab, the
 * CPU follows it from side to side. */
#ifndef GLSHAPE_MERGETREE_SLABS_H
#define GLSHAPE_MERGETREE_SLABS_H

#include "mergetree/basins.h"

typedef struct slabs {
    gpu *g;
    const order *order;
    grid grid;
    uint32_t planes, count, plane; /* planes of a slab; slabs; vertices of a plane */
    uint32_t *base;                /* count + 1: the number of a slab's first minimum; ascending by vertex */
    uint32_t *minimum;             /* all minima; the tree takes them over */
    uint32_t *rank;                /* of the last slab: the GPU's number of a minimum -> that among all */
    uint32_t *sides;               /* labels of the first and the last plane of each slab: ARRIVED | number
                                      of the minimum among all, or OUTSIDE | vertex beside the slab */
    radix_item *edges;
    size_t *edge_start; /* count + 1 */
    size_t room, minimum_room;
} slabs;

/* Makes *tree (branches_free()) in slabs of so many planes, and *edge_count the number of edges between
 * basins. *out (slabs_free(), also after a failure) is for slabs_regular. GLSHAPE_NO_GPU_MEMORY: fewer planes
 * may do. */
glshape_status slabs_find(gpu *g, const order *o, const grid *d, uint32_t planes, slabs *out, branches *tree,
                          size_t *edge_count);
/* As basins_regular. */
glshape_status slabs_regular(slabs *s, const branches *tree, uint32_t *on);
void slabs_free(slabs *s);

#endif
