/* dist/paths: lengths of shortest paths in a graph, computed when they are asked for.
 *
 * A row is the distances from one node, its source, to all: breadth-first search where all lengths are 1,
 * Dijkstra's algorithm (1959) with a binary heap otherwise. Distances are summed in double precision and
 * rounded once. Answers do not depend on the number of threads. */
#ifndef GLSHAPE_DIST_PATHS_H
#define GLSHAPE_DIST_PATHS_H

#include <stdbool.h>

#include "base/error.h"

/* GLSHAPE_BAD_INPUT, with the edge, if g is not what glshape.h says: a neighbor out of range, a length that
 * is not positive and finite, an edge that its other end lacks or has with another length. */
glshape_status dist_graph_check(error *err, const glshape_graph *g);
/* The same, but edges may have length 0. */
glshape_status dist_graph_check_heights(error *err, const glshape_graph *g);
/* Its first half: refuses starts and ends of edges that lead out of their arrays, or are not there. */
glshape_status dist_graph_check_shape(error *err, const glshape_graph *g);

/* Numbers the connected components by their lowest node: component_of[v] for each node, *count of them, and
 * the number of nodes of each in *sizes (free() it). g has been checked. GLSHAPE_NO_MEMORY. */
glshape_status dist_components(error *err, const glshape_graph *g, uint32_t *component_of, uint32_t *count,
                               uint32_t **sizes);

/* Makes *out a component of g by itself, given its nodes: its node k is nodes[k], and place[nodes[k]] is k.
 * The arrays of *out are to be released with dist_component_free(). GLSHAPE_NO_MEMORY; *out is then empty. */
glshape_status dist_component(error *err, const glshape_graph *g, const uint32_t *nodes, uint32_t size,
                              const uint32_t *place, glshape_graph *out);
void dist_component_free(glshape_graph *component);

/* Calls for one dist_paths may come from several threads; they then wait for each other. */
typedef struct dist_paths dist_paths;

/* Makes *out (dist_paths_free()) answer for g, which is checked and must outlive it. threads: how many
 * threads compute rows, the calling one included; 0: one a processor. Each takes up to 20 bytes a node.
 * GLSHAPE_BAD_INPUT as dist_graph_check(), and if lengths are so large that their sum may not be a float;
 * GLSHAPE_NO_MEMORY. */
glshape_status dist_paths_new(error *err, const glshape_graph *g, int threads, dist_paths **out);
void dist_paths_free(dist_paths *p);

/* out[k · nodes + v] becomes the distance from sources[k] to v, 0 <= k < count; infinity if there is no path.
 * GLSHAPE_BAD_ARGUMENT if a source is no node. Sums are exact unless lengths differ by a factor of 10^8 or
 * more; if they are not, the distances from u to v and from v to u may differ in the last bit. */
glshape_status dist_paths_rows(error *err, dist_paths *p, const uint32_t *sources, size_t count, float *out);

/* dist_paths_rows as a glshape_row_reader; its user is a dist_paths. It fails at a pair without a path. */
bool dist_paths_read(void *paths, uint32_t first, uint32_t count, float *out, char *message, size_t size);

#endif
