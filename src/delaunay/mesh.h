/* The triangulation as directed edges around points, which is how blocks are merged; triangles are
 * collected from it afterwards. Inside src/delaunay. */
#ifndef GLSHAPE_DELAUNAY_MESH_H
#define GLSHAPE_DELAUNAY_MESH_H

#include "delaunay/order.h"

/* On the device. Points are named by their places in a delaunay_order. glsl/delaunay/edges.glsl says what
 * next, prev and origin hold. */
typedef struct delaunay_mesh {
    uint32_t n;
    gpu_texture next, prev, origin; /* R32UI, 6n */
    gpu_texture row;                /* R32UI, n: as in delaunay_order */
    uint32_t outer;                 /* an edge whose left face is the outer one */
} delaunay_mesh;

void delaunay_mesh_free(delaunay_mesh *m);

/* A directed edge, by the same rules. */
typedef struct delaunay_edge {
    uint32_t next, prev, origin;
    uint32_t left; /* the triangle on its left, once they are collected; UINT32_MAX: none */
} delaunay_edge;

/* On the CPU, finished or not: levels below that of `half` are merged. */
typedef struct delaunay_rings {
    const delaunay_order *order;
    int shift;            /* order->xy · 2^shift are integers */
    delaunay_edge *edge;  /* 6n */
    uint32_t *hull;       /* n: of a corner of a block's hull, the edge that follows it counter-clockwise */
    uint32_t (*state)[4]; /* n / 2 + 1: as in glsl/delaunay/blocks.glsl */
    uint32_t half;        /* the halves of the blocks of the level that is merged next */
    bool begun;           /* some blocks of that level are merged, in part or whole: see state */
    uint32_t outer;       /* once all is merged: an edge whose left face is the outer one */
} delaunay_rings;

/* Allocates what r points to, for r->order, which is borrowed. delaunay_rings_free() releases it. */
glshape_status delaunay_rings_allocate(error *err, delaunay_rings *r);
void delaunay_rings_free(delaunay_rings *r);

/* Merges all blocks of order, which has at least 2 points, into *out (delaunay_mesh_free()). limbs:
 * exact_difference_limbs() of the points. If a few mergers have much left to do, which the device would do
 * one step after another, or its driver is not trusted with what is left, it stops: *rest
 * (delaunay_rings_free()) then has an edge, and the CPU is to go on from there. GLSHAPE_GPU_ERROR: mergers do
 * not advance, because the device computes something wrong. */
glshape_status delaunay_merge_on_device(gpu *g, const delaunay_order *order, uint32_t limbs,
                                        delaunay_mesh *out, delaunay_rings *rest, delaunay_cost *cost);
/* Whether the driver is trusted with the passes that merge: those that decide exactly, or those that find out
 * where that is needed. (check.c) */
glshape_status delaunay_is_trusted(gpu *g, bool exact, bool *so);
/* Merges what is left to merge in *r; an r without edges starts from the leaves of r->order. */
glshape_status delaunay_merge_on_cpu(gpu *g, threads_team *team, delaunay_rings *r, delaunay_cost *cost);

/* Collects the triangles of m. Sets count, vertex and neighbor of *out, whose n is set, and vertex and
 * neighbor of *textures (may be NULL). Overwrites m->next. */
glshape_status delaunay_collect(gpu *g, delaunay_mesh *m, delaunay_triangulation *out,
                                delaunay_textures *textures);
/* The same triangles, in main memory only. */
glshape_status delaunay_collect_on_cpu(error *err, threads_team *team, delaunay_rings *r,
                                       delaunay_triangulation *out);

#endif
