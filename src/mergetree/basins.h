/* The extremum graph of a field on the GPU: minima, and where their basins meet. */
#ifndef GLSHAPE_MERGETREE_BASINS_H
#define GLSHAPE_MERGETREE_BASINS_H

#include "mergetree/branches.h"
#include "mergetree/grid.h"

typedef struct basins {
    grid_field *field;
    uint32_t n, minima, candidate_count, edge_count;
    gpu_texture basin, candidates, minimum, state;
    gpu_texture edges;  /* RGBA32UI: (vertex, its key, its basin, another) */
    gpu_texture branch; /* RGBA32UI, once it is known: (key and vertex of its end, parent, jump) */
    gpu_texture name;
} basins;

/* What basin[v] and the ends of edges are: ARRIVED | number of the minimum, or ARRIVED | OUTSIDE | number of
 * a vertex of the planes beside a slab, those of the plane after it from the size of a plane on. Edges have
 * no ARRIVED. */
#define BASINS_ARRIVED 0x80000000u
#define BASINS_OUTSIDE 0x40000000u

/* Finds minima and basins. *out, to be freed with basins_free, also after a failure, is for the calls below.
 */
glshape_status basins_begin(gpu *g, grid_field *f, basins *out);
/* The minima, as vertices of the whole field: out->minima of them, the caller's to free. */
glshape_status basins_minima(gpu *g, basins *b, uint32_t **minimum);
/* Finds the edges between basins: b->edges. */
glshape_status basins_edges(gpu *g, basins *b);
/* The first b->edge_count edges that are there, the caller's to free; their texture is freed. */
glshape_status basins_fetch(gpu *g, basins *b, radix_item **edges);
/* on[v]: the vertex of the minimum whose branch v lies on. */
glshape_status basins_regular(gpu *g, basins *b, const branches *tree, uint32_t *on);
void basins_free(basins *b);

#endif
