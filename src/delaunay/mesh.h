/* The triangulation as directed edges around points, which is how threads merge blocks; triangles are
 * collected from it afterwards. And the other way, by passes. Inside src/delaunay. */
#ifndef GLSHAPE_DELAUNAY_MESH_H
#define GLSHAPE_DELAUNAY_MESH_H

#include "delaunay/order.h"

/* Directed edges in pairs: e and e ^ 1 are one edge in both directions. next is the next edge
 * counter-clockwise around the same origin, prev the previous one; prev of e ^ 1 follows e along the face on
 * its left. Points are named by their places in a delaunay_order. A pair that is not in use has no origin,
 * and next of its first edge is the next such pair of the same block. (Guibas, Stolfi 1985.) */
typedef struct delaunay_edge {
    uint32_t next, prev, origin;
    uint32_t left; /* the triangle on its left, once they are collected; UINT32_MAX: none */
} delaunay_edge;

/* Finished or not: levels below that of `half` are merged. */
typedef struct delaunay_rings {
    const delaunay_order *order;
    int shift;             /* order->xy · 2^shift are integers */
    delaunay_edge *edge;   /* 6n */
    uint32_t *hull;        /* n: of a corner of a block's hull, the edge that follows it counter-clockwise */
    uint32_t (*unused)[2]; /* n / 2 + 1: of a block, its first and last unused pair */
    uint32_t half;         /* the halves of the blocks of the level that is merged next */
    uint32_t outer;        /* once all is merged: an edge whose left face is the outer one */
} delaunay_rings;

void delaunay_rings_free(delaunay_rings *r);

/* Merges the leaves of r->order, which is borrowed and has at least 2 points. */
glshape_status delaunay_merge(run *run, threads_team *team, delaunay_rings *r, delaunay_cost *cost);
/* Collects the triangles. Sets count, vertex and neighbor of *out, whose n is set. */
glshape_status delaunay_collect(error *err, threads_team *team, delaunay_rings *r,
                                delaunay_triangulation *out);

/* Triangulates by threads, by divide and conquer, into *out, whose n is set. */
glshape_status delaunay_by_threads(run *r, const exact_points *points, delaunay_triangulation *out);
/* Names the programs of that by gpu_expect. Drivers compile them side by side; the longest ones first. */
void delaunay_expect(gpu *g, const void *none);
/* Triangulates by passes. *done is false if most is left to do, as where all points are on circles; of *out
 * then only the cost is set. */
glshape_status delaunay_by_stars(gpu *g, const exact_points *points, delaunay_triangulation *out,
                                 delaunay_textures *textures, bool *done);
/* Whether the driver is trusted with these passes. (check.c) */
glshape_status delaunay_is_trusted(gpu *g, bool *so);
/* The same of the pass that decides signs in whole numbers. */
glshape_status delaunay_trusts_signs(gpu *g, bool *so);

#endif
