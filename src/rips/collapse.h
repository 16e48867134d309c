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
 * order: where an edge that has changed may matter to a later one, that is looked at again. Passes work on
 * all edges at once, in rounds, until a round changes nothing (glsl/rips/collapse.glsl). The complex is the
 * same in both ways, with any number of threads. */
#ifndef GLSHAPE_RIPS_COLLAPSE_H
#define GLSHAPE_RIPS_COLLAPSE_H

#include "gpu/gpu.h"
#include "rips/space.h"

typedef struct rips_collapsed {
    uint64_t edges, left; /* up to the threshold, before and after */
    uint64_t again;       /* by threads: looked at a second time */
    uint32_t rounds;      /* by passes */
} rips_collapsed;

/* Sets *pays to whether a sample of the edges of s, a matrix or a graph, promises that so many would go that
 * dimensions above 1 take less time. GLSHAPE_NO_MEMORY. */
glshape_status rips_collapse_pays(error *err, const rips_space *s, bool *pays);

/* Gives the edges of s, a matrix or a graph, their new values: of a matrix INFINITY to those that go, which
 * a graph loses. threads: 0: one a processor. GLSHAPE_NO_MEMORY, GLSHAPE_CANCELLED. */
glshape_status rips_collapse(run *r, rips_space *s, int threads, rips_collapsed *out);

/* How passes do it. */
typedef struct rips_collapse_way {
    bool matrix;    /* values are looked for in matrices, else in the lists */
    size_t longest; /* the programs are those for lists of at least so many neighbors */
} rips_collapse_way;

/* The best way for the graph of s. */
rips_collapse_way rips_collapse_way_of(const gpu *g, const rips_space *s);
/* The same by passes, of a graph, and of the matrix whose lists it has, if there is one. Sets *done to
 * whether they had room for the neighbors of every edge, and none took too long; if not, s is as it was.
 * Errors: as above; GLSHAPE_NO_GPU_MEMORY, GLSHAPE_GPU_ERROR. */
glshape_status rips_collapse_by_passes(gpu *g, rips_space *s, const rips_collapse_way *way,
                                       rips_collapsed *out, bool *done);
/* Bytes of textures for that; SIZE_MAX: there are no such. */
size_t rips_collapse_bytes(const gpu *g, const rips_space *s);
/* *why stays, if it is for the device, where the driver runs the passes rightly. */
glshape_status rips_is_for_collapse(gpu *g, const rips_collapse_way *way, run_why *why);

/* Leaves out of the lists of s what is no edge any more. */
void rips_drop_edges(rips_space *s);

#endif
