/* What was measured, and decides where work is done. */
#ifndef GLSHAPE_PLACE_PLACE_H
#define GLSHAPE_PLACE_PLACE_H

/* Seconds that a driver takes for all programs of a method that it has not compiled before: NVIDIA's 580
 * takes 0.5 to 1.2 (knn, mergetree, delaunay, alpha; 2026-11-25). */
#define PLACE_COMPILING 1.0

/* Processor seconds that threads take for an item of a method's work, all of its stages: measured with 16 and
 * 2 processors of an H100's host, 2026-11-25 and 26, of 1 M and 10 M uniform points. */
#define PLACE_DELAUNAY_POINT 2.2e-6
#define PLACE_ALPHA_POINT 3.3e-6
#define PLACE_INDEX_VALUE 1.1e-6   /* a coordinate: an index is made and searched (knn, linkage, hdbscan) */
#define PLACE_INDEX_COLUMNS 4      /* up to here; in more, searches of some points look at very many others */
#define PLACE_INDEX_NEIGHBORS 10.0 /* of a point: so many take as long again */

#endif
