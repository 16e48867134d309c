/* The Morse complex of a grid, of critical edges and squares, as the reduction sees it: a list of squares for
 * each edge. In wide plains an edge flows far; then the list ends with squares that are on their way, and the
 * reduction lets them flow on where it needs to. */
#ifndef GLSHAPE_CUBICAL_MORSE_H
#define GLSHAPE_CUBICAL_MORSE_H

#include "base/radix.h"
#include "cubical/cubes.h"
#include "mergetree/grid.h"
#include "persistence/sparse.h"

#define MORSE_BLOCK 256 /* edges whose lists a thread makes at a time */

typedef struct morse {
    const cubes *cubes;
    const radix_item *edges; /* at: order of the owner; b: number of the edge */
    size_t count;            /* edges */
    sparse_term **terms;     /* of each block of edges: the squares (cubical/flow.h) */
    uint32_t *end;           /* of each edge: where its squares end among those of its block */
    uint64_t steps, squares; /* edges that the flow went through; squares in all */
} morse;

/* Fills *out (morse_free(), also after a failure); out->cubes, inverse, edges and count are set. Edges that
 * come by vertex make good use of caches. go_on: as persistence_job has it. Errors: GLSHAPE_NO_MEMORY,
 * GLSHAPE_CANCELLED. */
glshape_status morse_fill(error *err, morse *out, int threads, bool (*go_on)(void *user, double fraction),
                          void *user);
/* The same by passes, which let an edge flow for about so many turns of loops; modulo 2. o: the keys of
 * m->cubes; d: its grid, with the neighbors across sides; field: NULL, or taken over: it has the
 * keys on the device, or nothing. *out has no lists after a failure; one is GLSHAPE_NO_GPU_MEMORY. */
glshape_status morse_fill_by_passes(gpu *g, const order *o, const grid *d, grid_field *field, uint32_t turns,
                                    morse *out, int threads);
/* The most turns that the device may take. */
uint32_t morse_turns(const gpu *g);
void morse_free(morse *m);
size_t morse_bytes(const morse *m);

/* For a function that fills m->terms: makes a block of terms, of which those of edge k of the block end at
 * m->end[first + k]. False: not enough memory. */
bool morse_keep_block(morse *m, size_t block, const sparse_term *terms, size_t count);
/* Makes room for the lists. Counts the squares, once all are there. */
glshape_status morse_begin(error *err, morse *m);
void morse_count(morse *m);
/* Frees the lists. */
void morse_drop(morse *m);

/* Returns the squares of an edge, which last as long as m. */
const sparse_term *morse_terms(const morse *m, size_t edge, size_t *count);

#endif
