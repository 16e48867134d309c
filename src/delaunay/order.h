/* The order in which points are divided and merged. Inside src/delaunay. */
#ifndef GLSHAPE_DELAUNAY_ORDER_H
#define GLSHAPE_DELAUNAY_ORDER_H

#include "base/threads.h"
#include "delaunay/triangulation.h"

/* Distinct points in the order of a binary tree. Its leaves are the pairs of points (0, 1), (2, 3) …; the
 * last leaf may have a single point. A block of level k has 2^(k+1) points, the last one perhaps fewer. It
 * consists of two blocks of level k - 1, which a line parallel to an axis separates: the left half comes
 * first by (x, y), or by (y, -x). In the second case the left half is left of the line after a rotation of
 * the plane by 90 degrees, clockwise. */
typedef struct delaunay_order {
    uint32_t n, rows; /* distinct points; all points */
    double *xy;       /* n × 2, in this order */
    uint32_t *row;    /* n: the row of each point in the input; of equal points, the first row */
    /* If the right half of a block starts at place m: ends[m] is the last point of its left half and
     * ends[m+1] the first point of its right half, in the order in which the line separates them. m is even,
     * not 0. */
    uint32_t *ends;
} delaunay_order;

/* Orders points into *out (delaunay_order_free()) and fills same, of points->n, as delaunay_triangulation
 * has it. team: may be NULL, as of all functions of this folder. */
glshape_status delaunay_order_new(error *err, threads_team *team, const exact_points *points, uint32_t *same,
                                  delaunay_order *out);
void delaunay_order_free(delaunay_order *o);

/* Returns the place of the least point by (x, y), which is a corner of the hull. */
uint32_t delaunay_order_least(const delaunay_order *o);

#endif
