/* The reduction of dimension 1: what passes leave of it is done by threads. */
#ifndef GLSHAPE_CUBICAL_COLUMNS_H
#define GLSHAPE_CUBICAL_COLUMNS_H

#include "cubical/morse.h"
#include "run/run.h"

/* What it took. */
typedef struct columns_work {
    size_t left;             /* columns that threads have reduced */
    uint64_t steps, squares; /* edges that they flow through; squares that they flow to */
    sparse_work sparse;
} columns_work;

/* Fills deaths, of each edge, with the owner of the square that ends it, with SPARSE_ESSENTIAL if nothing
 * does, or with REDUCED_UNTOUCHED if the edge ends where passes have it. c: the cubes; edges: as
 * cubical_edges_list has them; of: NULL, or what passes have made of them, and edges is NULL; why: threads do
 * this; threads: so many, 0: one a processor. Errors: GLSHAPE_NO_MEMORY, GLSHAPE_CANCELLED,
 * GLSHAPE_GPU_ERROR. */
glshape_status columns_reduce(run *r, run_why why, const cubes *c, const radix_item *edges, size_t count,
                              const cubical_reduced *of, int threads, uint32_t *deaths, columns_work *work);

#endif
