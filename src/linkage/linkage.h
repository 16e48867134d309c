/* linkage: exact single-linkage clustering.
 *
 * The tree is the least spanning tree of all edges {i, j}, ordered by (sum, smaller index, larger index). The
 * sum of a pair is its squared distance in double (Manhattan: its distance; see knn_distance). So the tree
 * does not depend on float32 or on the device. */
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

/* The tree of points from the lists of k neighbors that knn_lists made: index and sum are n × k. Heights are
 * sums. Adds facts: how many edges the lists certified, how many edges and points were searched for, rounds.
 * Adds the seconds of searches to r. */
glshape_status linkage_rounds(gpu *g, knn_points *p, uint32_t k, const uint32_t *index, const double *sum,
                              linkage_tree *tree, glshape_linkage_result *r);

/* ---- matrix.c ---------------------------------------------------------------------------------- */

/* The tree of a matrix of distances: on the GPU, or on the CPU, which reads each row once (stream.c). */
glshape_status linkage_matrix(gpu *g, const glshape_source *source, linkage_tree *tree);

/* ---- stream.c ---------------------------------------------------------------------------------- */

/* The tree of a matrix of distances on the CPU. Reads each row once; of row i it uses the first i values. */
glshape_status linkage_stream(gpu *g, const dist_reader *reader, linkage_tree *tree);

/* ---- sparse.c ---------------------------------------------------------------------------------- */

/* The tree of sparse rows on the CPU. Computes every distance once and keeps none. */
glshape_status linkage_sparse(gpu *g, const glshape_source *source, linkage_tree *tree);

/* ---- graph.c ----------------------------------------------------------------------------------- */

/* The tree of a graph's lengths. Components that no edge connects are joined at INFINITY. */
glshape_status linkage_graph(gpu *g, const glshape_graph *graph, linkage_tree *tree,
                             glshape_linkage_result *r);
/* The same of points that may only join along the graph's edges. Heights are sums. */
glshape_status linkage_connected(gpu *g, const knn_points *p, const glshape_graph *graph, linkage_tree *tree,
                                 glshape_linkage_result *r);

#endif
