/* A triangulation by stars: what its parts hand on. Inside src/delaunay. */
#ifndef GLSHAPE_DELAUNAY_STARS_H
#define GLSHAPE_DELAUNAY_STARS_H

#include "delaunay/passes.h"
#include "delaunay/triangulation.h"

/* Sites are the points that equal none before them, along a curve; a site is named by its place there. All
 * textures are freed by delaunay_stars_free(). */
typedef struct delaunay_stars {
    gpu *g;
    const exact_points *points;
    int unit;               /* whole coordinates are multiples of 2^unit, */
    int64_t least[2];       /* above these */
    gpu_texture bits, same; /* of points, by row: RGBA32UI, doubles; R32UI, the first equal one */
    gpu_texture site, row;  /* RGBA32UI, whole coordinates; R32UI */
    gpu_texture box;        /* RGBA32UI × 2, of leaves, then of each level above */
    gpu_texture star, list; /* RG32UI, (first in list, neighbors: 0 if open); R32UI, sites */
    gpu_texture pending, again, open, seam; /* R32UI, sites, twice; R32UI, rows; RG32UI, rows of edges */
    gpu_texture count, first, face; /* R32UI, by row: triangles whose least row it is, and the place of the
                                       first; RG32UI: their other rows */
    gpu_texture more;               /* RGBA32UI: rows of the triangles between open sites */
    gpu_texture vertex, neighbor;   /* as in delaunay_textures */
    gpu_texture counters;           /* R32UI: STARS_… */
    uint32_t counted[STARS_COUNTERS];
    uint32_t triangles, kept; /* all; those between open sites */
} delaunay_stars;

void delaunay_stars_free(delaunay_stars *s);
/* Fails with GLSHAPE_GPU_ERROR: the device computed what cannot be. */
glshape_status delaunay_is_wrong(delaunay_stars *s);
/* Downloads counters to counted. */
glshape_status delaunay_stars_count(delaunay_stars *s);

/* The steps, in order. */
glshape_status delaunay_order_sites(delaunay_stars *s);
glshape_status delaunay_find_stars(delaunay_stars *s);
/* Counts the triangles of closed stars, and lists the seams: edges between open sites that have one of these
 * triangles on their left. */
glshape_status delaunay_count_faces(delaunay_stars *s);
/* Finds the triangles between open sites, by threads, and counts them. (rest.c) */
glshape_status delaunay_join_rest(delaunay_stars *s, delaunay_cost *cost);
/* Writes all triangles in order, and finds those across edges. (faces.c) */
glshape_status delaunay_write_faces(delaunay_stars *s);

#endif
