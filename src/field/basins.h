/* The extremum graph of a field on the GPU: its nodes are the minima, its edges the saddles between their
 * basins. */
#ifndef GLSHAPE_FIELD_BASINS_H
#define GLSHAPE_FIELD_BASINS_H

#include "field/grid.h"

typedef struct basins {
    grid_field *field;
    uint32_t n, minima, candidate_count, edge_count;
    gpu_texture basin, candidates, minimum, state;
    gpu_texture edges;  /* RGBA32UI: (vertex, its key, its basin, another) */
    gpu_texture branch; /* RGBA32UI, once branches are known: (key and vertex of its end, parent, jump) */
    gpu_texture name;
    gpu_texture span;  /* RG32UI, by pairs_find: the vertices of the field where branches begin and end */
    gpu_texture items; /* RGBA32UI, by the same: the branches as mergetree_pairs has them */
} basins;

/* basin[v] is ARRIVED | the number of the minimum; or ARRIVED | OUTSIDE | the number of a vertex in the
 * planes beside a slab, where the vertices of the plane after it are numbered from the size of a plane on.
 * The ends of edges are the same without ARRIVED. */
#define BASINS_ARRIVED 0x80000000u
#define BASINS_OUTSIDE 0x40000000u

/* Finds minima and basins. Fills *out (basins_free(), also after a failure) for the calls below. */
glshape_status basins_begin(gpu *g, grid_field *f, basins *out);
/* Runs the compression of paths once; *end: whether all had arrived. basins_begin has done so to the end. */
glshape_status basins_compress(gpu *g, basins *b, bool begin, bool *end);
/* Sets *minimum to the b->minima minima, numbered as the order has them; free() it. */
glshape_status basins_minima(gpu *g, basins *b, uint32_t **minimum);
/* Finds the edges between basins, b->edges. */
glshape_status basins_edges(gpu *g, basins *b);
/* Sets *edges to the b->edge_count edges; free() it. Frees their texture. */
glshape_status basins_fetch(gpu *g, basins *b, radix_item **edges);
void basins_free(basins *b);

#endif
