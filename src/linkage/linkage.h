/* linkage: exact single-linkage clustering.
 *
 * The tree is that of all edges {i, j} ordered by (sum, smaller index, larger index), where a sum is what
 * distances are made of (knn_distance), in double: it does not depend on float32 or on the device. */
#ifndef GLSHAPE_LINKAGE_LINKAGE_H
#define GLSHAPE_LINKAGE_LINKAGE_H

#include "dist/source.h"
#include "knn/knn.h"

/* The n - 1 edges of a spanning tree, in any order. */
typedef struct linkage_tree {
    uint32_t n, count;
    uint32_t *i, *j; /* n each */
    double *height;
} linkage_tree;

/* ---- rounds.c ---------------------------------------------------------------------------------- */

/* The tree of points from lists of k neighbors, which knn_lists made: index and sum are n × k. Heights are
 * sums. Counts edges certified by the lists and searched for, the points searched for, rounds and time. */
glshape_status linkage_rounds(gpu *g, knn_points *p, uint32_t k, const uint32_t *index, const double *sum,
                              linkage_tree *tree, glshape_linkage_result *r);

/* ---- matrix.c ---------------------------------------------------------------------------------- */

/* The tree of a matrix of distances, on the GPU, or streamed row by row through the CPU, once. */
glshape_status linkage_matrix(gpu *g, const glshape_source *source, linkage_tree *tree);

/* ---- stream.c ---------------------------------------------------------------------------------- */

/* The tree of a matrix of distances from one reading of its rows, by the CPU. Of row i the first i are looked
 * at. */
glshape_status linkage_stream(gpu *g, const dist_reader *reader, linkage_tree *tree);

/* ---- sparse.c ---------------------------------------------------------------------------------- */

/* The tree of sparse rows, by the CPU: every distance once, none kept. */
glshape_status linkage_sparse(gpu *g, const glshape_source *source, linkage_tree *tree);

/* ---- graph.c ----------------------------------------------------------------------------------- */

/* The tree of a graph's lengths; what is not connected is joined at INFINITY. */
glshape_status linkage_graph(gpu *g, const glshape_graph *graph, linkage_tree *tree,
                             glshape_linkage_result *r);
/* The same of points that may only join along the graph's edges. Heights are sums. */
glshape_status linkage_connected(gpu *g, const knn_points *p, const glshape_graph *graph, linkage_tree *tree,
                                 glshape_linkage_result *r);

#endif
