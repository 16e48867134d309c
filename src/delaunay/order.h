/* The order in which points are divided and merged. Inside src/delaunay. */
#ifndef GLSHAPE_DELAUNAY_ORDER_H
#define GLSHAPE_DELAUNAY_ORDER_H

#include "delaunay/triangulation.h"

/* Distinct points in the order of a tree: leaves are the pairs (0, 1), (2, 3) …, the last one perhaps a
 * single point; the blocks of level k, of 2^(k+1) points but for the last, are made of two of level k - 1,
 * which a line parallel to an axis keeps apart: first by (x, y), or by (y, -x). So a block's left half is
 * left of the right one in the plane or in the plane turned by a quarter, clockwise. */
typedef struct delaunay_order {
    uint32_t n, rows; /* distinct points; all of them */
    double *xy;       /* n × 2, in this order */
    uint32_t *row;    /* n: the row of each, the first one of equal points */
    /* For the block whose right half starts at place m, ends[m] is the last point of the left half and
     * ends[m + 1] the first of the right one, in the order that keeps them apart. m is even and not 0. */
    uint32_t *ends;
} delaunay_order;

/* same (n of them): as delaunay_triangulation. */
glshape_status delaunay_order_new(error *err, const exact_points *points, uint32_t *same,
                                  delaunay_order *out);
void delaunay_order_free(delaunay_order *o);

/* The place of the least point by (x, y): a corner of the hull. */
uint32_t delaunay_order_least(const delaunay_order *o);

#endif
