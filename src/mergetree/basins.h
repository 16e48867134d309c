/* The extremum graph of a field on the GPU: minima, and where their basins meet. */
#ifndef GLSHAPE_MERGETREE_BASINS_H
#define GLSHAPE_MERGETREE_BASINS_H

#include "mergetree/branches.h"
#include "mergetree/grid.h"

typedef struct basins {
    grid_field *field;
    uint32_t n, minima, candidate_count;
    gpu_texture basin, candidates, minimum, edges, state, branch, name;
} basins;

/* What basin[v] and the ends of edges are: ARRIVED | number of the minimum, or ARRIVED | OUTSIDE | number of
 * a vertex of the planes beside a slab, those of the plane after it from the size of a plane on. Edges have
 * no ARRIVED. */
#define BASINS_ARRIVED 0x80000000u
#define BASINS_OUTSIDE 0x40000000u

/* Finds minima (vertices of the whole field) and basins. *out, to be freed with basins_free, is for the calls
 * below; *minimum (out->minima of them) is the caller's to free; both also after a failure. */
glshape_status basins_begin(gpu *g, grid_field *f, basins *out, uint32_t **minimum);
/* Finds the edges between basins, once. *edges are the caller's to free, also after a failure. */
glshape_status basins_edges(gpu *g, basins *b, order_item **edges, size_t *edge_count);
/* on[v]: the vertex of the minimum whose branch v lies on. */
glshape_status basins_regular(gpu *g, basins *b, const branches *tree, uint32_t *on);
void basins_free(gpu *g, basins *b);

#endif
