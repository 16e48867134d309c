/* A field that the GPU does not hold, a slab of planes at a time. Ways down that leave a slab are followed on
 * the CPU, from plane to plane. */
#ifndef GLSHAPE_MERGETREE_SLABS_H
#define GLSHAPE_MERGETREE_SLABS_H

#include "mergetree/basins.h"

typedef struct slabs {
    gpu *g;
    const order *order;
    grid grid;
    uint32_t planes, count, plane; /* planes of a slab; slabs; vertices of a plane */
    uint32_t *base;                /* count + 1: the number of a slab's first minimum; ascending by vertex */
    uint32_t *minimum;             /* all; the tree's, once there is one */
    uint32_t *rank;                /* of a slab's minima: from the GPU's number to that among all */
    uint32_t *sides;               /* of each slab the first plane, the last: ARRIVED | number among all, or
                                      OUTSIDE | vertex beside the slab */
    radix_item *edges;
    size_t *edge_start; /* count + 1 */
    size_t room, minimum_room;
} slabs;

/* Finds the branches in slabs of so many planes. *out, to be freed with slabs_free also after a failure, is
 * for slabs_regular. Errors: GLSHAPE_NO_GPU_MEMORY: try fewer planes. */
glshape_status slabs_find(gpu *g, const order *o, const grid *d, uint32_t planes, slabs *out, branches *tree,
                          size_t *edge_count);
/* As basins_regular. */
glshape_status slabs_regular(slabs *s, const branches *tree, uint32_t *on);
void slabs_free(slabs *s);

#endif
