/* Grids of two dimensions, on the CPU: extrema, and where their basins meet. Inside src/mergetree and
 * src/cubical. */
#ifndef GLSHAPE_FIELD_FLAT_H
#define GLSHAPE_FIELD_FLAT_H

#include "field/grid.h"

#define FLAT_MOST ((size_t)1 << 30) /* vertices */
#define FLAT_BYTES 13               /* a vertex, of both graphs */

/* The graph that the elder rule goes over. */
typedef struct flat_graph {
    uint32_t *extremum; /* by vertex; after them GLSHAPE_NO_VERTEX for each part of the outside */
    uint32_t count;
    radix_item *edges; /* at: order_of a saddle, ascending; a, b: extrema whose basins meet there */
    size_t edge_count;
} flat_graph;

/* Fills *low (flat_graph_free()) with the minima of a grid of one plane, and *high with the maxima of the
 * dual neighborhood: across corners where d has sides, and the other way round. Either may be NULL. What lies
 * around the grid is higher than all; it has two parts where one axis alone is periodic. Takes 9 bytes a
 * vertex, 4 more if both are asked for, and then 32 an edge. Errors: GLSHAPE_NO_MEMORY. */
glshape_status flat_find(error *err, const order *o, const grid *d, flat_graph *low, flat_graph *high);
void flat_graph_free(flat_graph *g);

#endif
