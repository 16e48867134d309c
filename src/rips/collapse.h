/* Edge collapse: a smaller complex of the same persistence.
 *
 * The complex at a value has the edges of at most that value, and all simplices that these span. An edge is
 * dominated there by a point if the ends' common neighbors are that point and neighbors of it. Without the
 * edge, the complex is then a deformation retract of itself. An edge that is dominated from its own value on
 * up to another one may therefore appear at the other value instead; if it is dominated for good, it may go.
 * Sources: Boissonnat, Pritam, "Edge collapse and persistence of flag complexes", 2020; Glisse, Pritam,
 * "Swap, shift and trim to edge collapse a filtration", 2022.
 *
 * The edges go in order, the greatest value first, and each sees the new values of those before it. Threads
 * work on a block of them at once, as if none of the block had changed. Then the block is gone through in
 * order: where an edge that has changed may matter to a later one, that is looked at again. So the complex is
 * the same with any number of threads. */
#ifndef GLSHAPE_RIPS_COLLAPSE_H
#define GLSHAPE_RIPS_COLLAPSE_H

#include "rips/space.h"
#include "run/run.h"

typedef struct rips_collapsed {
    uint64_t edges, left; /* up to the threshold, before and after */
    uint64_t again;       /* looked at a second time */
} rips_collapsed;

/* Sets *pays to whether a sample of the edges of s, a matrix or a graph, promises that so many would go that
 * dimensions above 1 take less time. GLSHAPE_NO_MEMORY. */
glshape_status rips_collapse_pays(error *err, const rips_space *s, bool *pays);

/* Gives the edges of s, a matrix or a graph, their new values: of a matrix INFINITY to those that go, which
 * a graph loses. threads: 0: one a processor. GLSHAPE_NO_MEMORY, GLSHAPE_CANCELLED. */
glshape_status rips_collapse(run *r, rips_space *s, int threads, rips_collapsed *out);

#endif
