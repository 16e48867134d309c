/* The contraction of a tree, by passes: what dendrograms and the elder rule have in common (contraction.c).
 */
#ifndef GLSHAPE_TREE_CONTRACTION_H
#define GLSHAPE_TREE_CONTRACTION_H

#include "prim/prim.h"
#include "tree/tree.h"

#define CONTRACTION_ROUNDS 64 /* at most */

/* What the passes of a round count. tree_ties has the first for itself. */
enum { ALIVE, WAITING, ROOTS, UNDONE, CIRCLES, COUNTS };

typedef struct contraction {
    gpu *g;
    uint32_t n, count;                     /* vertices; edges: fewer than vertices */
    gpu_texture items[2];                  /* edges: two words of their order, and ends */
    gpu_texture chains[2], child;          /* of each edge */
    gpu_texture picked;                    /* the same */
    gpu_texture alive[2], waiting[2];      /* lists of edges; at last working space */
    gpu_texture label, parent, next, best; /* of each vertex */
    gpu_texture counts;
    prim_radix_scratch radix;
    uint32_t start[CONTRACTION_ROUNDS + 2]; /* of each round: its first place among the sorted chains */
    uint32_t rounds;
} contraction;

void contraction_free(contraction *c);
/* All textures but the items. */
glshape_status contraction_new(contraction *c);
/* Puts all edges, items that are in order, into chains, sorts these and finds what clusters an edge joins. If
 * count is n - 1, the edges must be a tree: GLSHAPE_BAD_ARGUMENT. */
glshape_status contraction_chains(contraction *c);

/* By which words tree_ties sorts items of equal first words: by all four, of which x is first; by y, x, z, w,
 * of which y is first; by z and w, of which x and y are equal. */
typedef enum { TIES_X, TIES_Y, TIES_XY } contraction_ties;
/* Sorts, where few items have the same first words, each among these; they are sorted by the first words.
 * *many: there are too many, and the items are as they were. items[1]: working space. */
glshape_status contraction_sort_ties(gpu *g, gpu_texture items[2], gpu_texture *counts, uint32_t n,
                                     contraction_ties by, bool *many);
/* Exchanges the first two words of items with the last. */
glshape_status contraction_turn(gpu *g, gpu_texture items[2], uint32_t n);

/* The spanning forest of edges that are in order, items[0], of which two words are ends: it takes the place
 * of the edges, still in order. *kept becomes their number. GLSHAPE_NO_GPU_MEMORY. */
glshape_status contraction_forest(gpu *g, gpu_texture items[2], uint32_t edges, uint32_t n, uint32_t *kept);

/* GLSHAPE_GPU_ERROR: the driver computes something wrong. */
glshape_status contraction_is_wrong(gpu *g);

#endif
