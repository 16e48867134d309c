/* The distances up to a threshold as lists of neighbours: memory in proportion to them, not to n². */
#ifndef GLSHAPE_RIPS_GRAPH_H
#define GLSHAPE_RIPS_GRAPH_H

#include "rips/space.h"

/* Fills s->graph, of s->n points, with the distances of at most s->threshold: those of the points, or the
 * edges of source->graph themselves. *least and *greatest: of the distances kept (INFINITY, 0 if there are
 * none). Errors: as glshape_rips. */
glshape_status rips_graph_new(error *err, const glshape_source *source, int threads, rips_space *s,
                              float *least, float *greatest);

/* Makes the graph of a space that has a matrix, if most distances are beyond the threshold, or if asked to.
 */
glshape_status rips_graph_of_matrix(error *err, rips_space *s, bool always);

#endif
