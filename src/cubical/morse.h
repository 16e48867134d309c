/* The Morse complex of a grid, of critical edges and squares, as the reduction sees it: a list of squares for
 * each edge. In wide plains an edge flows far; then the list ends with squares that are on their way, and the
 * reduction lets them flow on where it needs to. */
#ifndef GLSHAPE_CUBICAL_MORSE_H
#define GLSHAPE_CUBICAL_MORSE_H

#include "base/radix.h"
#include "cubical/cubes.h"
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
void morse_free(morse *m);
size_t morse_bytes(const morse *m);

/* Returns the squares of an edge, which last as long as m. */
const sparse_term *morse_terms(const morse *m, size_t edge, size_t *count);

#endif
