/* The matrix of distances of a space, from points or from a reader. */
#ifndef GLSHAPE_RIPS_DISTANCES_H
#define GLSHAPE_RIPS_DISTANCES_H

#include "rips/space.h"

/* Makes s->distance, of s->n points, from points, or from a reader. Distances are single precision, Euclidean
 * ones added up and rooted as Ripser does it. Errors: as glshape_rips. */
glshape_status rips_distances(error *err, const glshape_source *source, int threads, rips_space *s);

/* The enclosing radius: the smallest r such that one point has all others within r. Beyond it homology does
 * not change. INFINITY if there are no points. */
float rips_enclosing_radius(const rips_space *s);

#endif
