/* dist/graph: an undirected graph as plain arrays. */
#ifndef GLSHAPE_DIST_GRAPH_H
#define GLSHAPE_DIST_GRAPH_H

#include <stddef.h>
#include <stdint.h>

/* The neighbours of node v are to[k], start[v] <= k < start[v + 1], in any order; each edge is there from
 * both its ends, with the same length. Several edges between two nodes count as the shortest of them, edges
 * from a node to itself as none. */
typedef struct glshape_graph {
    size_t nodes;        /* 1 .. 2^32 - 2 */
    const size_t *start; /* nodes + 1, from 0 */
    const uint32_t *to;
    const float *weight; /* the lengths, positive and finite; NULL: all are 1 */
} glshape_graph;

#endif
