/* The distances up to a threshold as lists of neighbors: memory in proportion to them, not to n². */
#ifndef GLSHAPE_RIPS_GRAPH_H
#define GLSHAPE_RIPS_GRAPH_H

#include "rips/space.h"

/* Fills s->graph, of s->n points, with the distances of at most s->threshold, between the points of source or
 * along the edges of source->graph. *least and *greatest become the least and the greatest finite one of
 * these distances (INFINITY and 0 if there are none). Errors: as glshape_rips. */
glshape_status rips_graph_new(error *err, const glshape_source *source, int threads, rips_space *s,
                              float *least, float *greatest);

/* Makes s->graph from s->distance, if most distances are beyond the threshold or if always is set, and sets
 * s->lists_are_short. GLSHAPE_NO_MEMORY. */
glshape_status rips_graph_of_matrix(error *err, rips_space *s, bool always);

#endif
