/* The edges of few points, from a matrix of distances, in the order of the filtration. The order alone gives
 * dimension 0 and the columns of dimension 1, by one thread. */
#ifndef GLSHAPE_RIPS_EDGES_H
#define GLSHAPE_RIPS_EDGES_H

#include "base/radix.h"
#include "rips/enumerate.h"
#include "tree/tree.h"

/* By length, of equals the greater vertex a first, then the greater b; a > b. */
typedef struct rips_edges {
    size_t count;
    radix_item *items; /* vertices of each; the upper half of `at` is the length as bits */
} rips_edges;

/* Lists the edges up to the threshold. */
glshape_status rips_edges_new(error *err, const rips_space *s, rips_edges *out);
void rips_edges_free(rips_edges *e);

/* The spanning forest of the edges, for which points are numbered backwards (as tree.h says). */
glshape_status rips_edges_forest(error *err, const rips_space *s, const rips_edges *e, tree_forest *out);

/* Fills *out as rips_enumerate_sparse() does for edges. */
glshape_status rips_edges_columns(error *err, const rips_space *s, const rips_edges *e, rips_columns *out);

#endif
