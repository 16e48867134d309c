/* The distances up to a threshold as lists of neighbors: memory in proportion to them, not to n². */
#ifndef GLSHAPE_RIPS_GRAPH_H
#define GLSHAPE_RIPS_GRAPH_H

#include "gpu/gpu.h"
#include "rips/points.h"
#include "rips/space.h"

/* Fills s->graph, of s->n points, with the distances of at most s->threshold, between the points of source or
 * along the edges of source->graph. Errors: as glshape_rips. */
glshape_status rips_graph_new(gpu *g, const glshape_source *source, int threads, rips_space *s);

/* near.c: fills s->graph with the distances of points of few columns, through an index. */
bool rips_near_pays(const rips_points *points, const rips_space *s);
glshape_status rips_graph_near(gpu *g, const rips_points *points, int threads, rips_space *s);

/* sweep.c: the same without an index. GLSHAPE_NO_MEMORY. */
glshape_status rips_sweep(error *err, const rips_points *points, int threads, rips_space *s);
/* The same where the lists are so short that rips_graph_of_matrix() would make them of a matrix: *done. It
 * sets *greatest to the greatest of all distances, which may be beyond the threshold. *done is false, and
 * nothing is filled, if the lists are longer, if no pair is within the threshold, or if distances are not
 * Euclidean or not compared in single precision. */
glshape_status rips_sweep_short(error *err, const rips_points *points, int threads, rips_space *s,
                                float *greatest, bool *done);

/* Makes room in s->graph for so many neighbors of each point. */
glshape_status rips_graph_allocate(error *err, rips_space *s, const size_t *degree);

#define RIPS_SHORTER 8 /* lists that are shorter than rows of a matrix by this factor are faster */

/* Makes s->graph from s->distance, if most distances are beyond the threshold or if always is set, and sets
 * s->lists_are_short. Lists that are there stay or go by the same rule. GLSHAPE_NO_MEMORY. */
glshape_status rips_graph_of_matrix(error *err, rips_space *s, bool always);

/* Makes s->distance from s->graph, which stays: pairs beyond the threshold are infinitely far.
 * GLSHAPE_NO_MEMORY. */
glshape_status rips_matrix_of_graph(error *err, rips_space *s);

#endif
