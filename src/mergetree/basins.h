/* The extremum graph of a field on the GPU: its nodes are the minima, its edges the saddles between their
 * basins. */
#ifndef GLSHAPE_MERGETREE_BASINS_H
#define GLSHAPE_MERGETREE_BASINS_H

#include "mergetree/branches.h"
#include "mergetree/grid.h"

typedef struct basins {
    grid_field *field;
    uint32_t n, minima, candidate_count, edge_count;
    gpu_texture basin, candidates, minimum, state;
    gpu_texture edges;  /* RGBA32UI: (vertex, its key, its basin, another) */
    gpu_texture branch; /* RGBA32UI, once branches are known: (key and vertex of its end, parent, jump) */
    gpu_texture name;
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
/* on[v] becomes the minimum, as a vertex, whose branch v lies on. NULL: it stays in b->basin. */
glshape_status basins_regular(gpu *g, basins *b, const branches *tree, uint32_t *on);
void basins_free(basins *b);
/* *why stays, if it is for the device, where the driver runs the programs of these calls rightly: on a grid
 * of this neighborhood, or 0: on a graph. regular: those of basins_regular, too (check.c). */
glshape_status basins_are_for_passes(gpu *g, int hood, bool regular, run_why *why);

/* Clears *right if it is not seen that paths do not arrive: two vertices point at each other. How far a run
 * comes on paths that end depends on which invocations are first, so these show it on some drivers only. */
glshape_status basins_try_ring(gpu *g, bool *right);

#endif
