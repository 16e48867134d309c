/* Points on a sphere, by latitude and longitude. Haversine distances grow with the chord, the straight line
 * between two points, so that methods take points in space and Euclidean distances, whose order is the same.
 */
#ifndef GLSHAPE_DIST_SPHERE_H
#define GLSHAPE_DIST_SPHERE_H

#include "base/error.h"

/* What a source or queries on a sphere become: points in space, on the sphere of radius 1. */
typedef struct dist_sphere {
    double radius; /* of the sphere that distances are on; 0: the source is on none */
    glshape_matrix points;
    glshape_source source;
} dist_sphere;

/* If source's metric is haversine, makes it Euclidean; else out->source is source. Refuses rows that are no
 * latitude and longitude, in radians, with their number. */
glshape_status dist_sphere_new(error *err, const glshape_source *source, dist_sphere *out);
/* The points of m on the sphere of radius 1: three columns. */
glshape_status dist_sphere_points(error *err, const glshape_matrix *m, glshape_matrix *out);
void dist_sphere_free(dist_sphere *s);

/* The distance of two points with this chord (on the sphere of radius 1). */
double dist_sphere_distance(double radius, double chord);
/* The greatest chord of a distance of at most so much; 4, beyond all, if all are. */
double dist_sphere_chord(double radius, double distance);
/* Makes distances of chords, of which each is so many numbers behind the one before. */
void dist_sphere_distances(const dist_sphere *s, double *chords, size_t count, size_t step);

#endif
