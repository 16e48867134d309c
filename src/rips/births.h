/* Points that appear at other values than 0, and edges that appear no sooner than their ends. */
#ifndef GLSHAPE_RIPS_BIRTHS_H
#define GLSHAPE_RIPS_BIRTHS_H

#include "rips/space.h"

/* Where births come from: glshape_rips_options. At most one is set. */
typedef struct rips_births {
    const double *weights; /* weighted Rips filtration */
    const double *births;
    const uint32_t *row; /* of each point of the space: its place in these; NULL: the same */
} rips_births;

/* Checks the numbers of n points. */
glshape_status rips_births_check(error *err, const rips_births *b, size_t n);
/* Fills s->birth, of s->n points, and turns the distances of s, a matrix or a graph, into the values of
 * edges. Edges of a graph beyond the threshold are dropped. GLSHAPE_NO_MEMORY; GLSHAPE_BAD_INPUT: an edge
 * beyond single precision. Nothing to do if none is set. */
glshape_status rips_births_apply(error *err, const rips_births *b, rips_space *s);

#endif
