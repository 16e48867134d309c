/* The Morse complex of a grid, of critical edges and squares, as the reduction sees it: a list of squares for
 * each edge. In wide plains an edge flows far; then the list ends with squares that are on their way, and the
 * reduction lets them flow on where it needs to. */
#ifndef GLSHAPE_CUBICAL_MORSE_H
#define GLSHAPE_CUBICAL_MORSE_H

#include "cubical/reduced.h"

typedef struct morse {
    const cubes *cubes;
    const radix_item
        *edges;          /* at: order of the owner; a: where passes have its column; b: number of the edge */
    size_t count, block; /* edges, and how many a thread takes at a time */
    sparse_term **terms; /* of each block of them: the squares (cubical/flow.h) */
    uint32_t *end;       /* of each edge: where its squares end among those of its block */
    uint64_t steps, squares; /* edges that the flow went through; squares in all */
} morse;

/* Fills *out (morse_free(), also after a failure); out->cubes, edges and count are set. Edges that come by
 * vertex make good use of caches. of: NULL, or columns that passes have made of the edges. go_on: as
 * sparse_job has it. Errors: GLSHAPE_NO_MEMORY, GLSHAPE_CANCELLED, GLSHAPE_GPU_ERROR: columns that make no
 * sense. */
glshape_status morse_fill(error *err, morse *out, const cubical_reduced *of, int threads,
                          bool (*go_on)(void *user, double fraction), void *user);
void morse_free(morse *m);
size_t morse_bytes(const morse *m);

/* Returns the squares of an edge, which last as long as m. */
const sparse_term *morse_terms(const morse *m, size_t edge, size_t *count);

#endif
