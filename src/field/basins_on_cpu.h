/* The extremum graph of a grid, by threads: what basins.h finds by passes. */
#ifndef GLSHAPE_FIELD_BASINS_ON_CPU_H
#define GLSHAPE_FIELD_BASINS_ON_CPU_H

#include "field/forest.h"
#include "field/grid.h"

typedef struct grid_basins {
    forest paths;      /* lead every vertex down to a minimum */
    uint32_t *minimum; /* by number */
    radix_item *edges; /* at: order_of a saddle, ascending; a, b: minima whose basins meet there, by number */
    size_t edge_count;
} grid_basins;

/* Fills *out (grid_basins_free()). Takes 12 bytes a vertex, and 32 an edge. Errors: GLSHAPE_NO_MEMORY,
 * GLSHAPE_CANCELLED. */
glshape_status grid_basins_find(run *r, const order *o, const grid *d, grid_basins *out);
void grid_basins_free(grid_basins *b);

#endif
