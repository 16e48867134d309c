/* delaunay: exact triangulations in the plane. glshape_delaunay and alpha are built on this. */
#ifndef GLSHAPE_DELAUNAY_TRIANGULATION_H
#define GLSHAPE_DELAUNAY_TRIANGULATION_H

#include "exact/points.h"
#include "gpu/gpu.h"

/* No triangle: the outer face. */
#define GLSHAPE_NO_TRIANGLE UINT32_MAX

/* What it took. */
typedef struct delaunay_cost {
    int rounds;     /* dispatches of the merging passes, or levels on the CPU */
    uint64_t tests; /* steps of mergers that were completed; on the CPU, predicates evaluated */
    uint64_t exact; /* predicates decided in limbs (or, on the CPU, in big integers) */
    bool on_device;
    struct {
        double order, merge, collect; /* wall clock */
    } seconds;
} delaunay_cost;

/* The Delaunay triangulation of distinct points. Points are named by the rows they come from; of equal points
 * the first counts. Triangle t has the corners vertex[3t .. 3t+2], counter-clockwise, the smallest first;
 * triangles are in order of (v0, v1, v2). neighbor[3t + k] is the triangle across the edge opposite corner
 * k, or GLSHAPE_NO_TRIANGLE.
 *
 * It is the same on every device: where more than three corners lie on one empty circle, the polygon that
 * they span is cut into triangles from the corner of smallest index. (This is the triangulation of points
 * lifted to z = x² + y² - ε(i), with ε(0) much larger than ε(1), and so on, and all of them infinitely
 * small.)
 *
 * Without triangles (fewer than three distinct points, or all on one line) chain holds the distinct points in
 * order along the line, from the end with the smaller index; else it is NULL. */
typedef struct delaunay_triangulation {
    uint32_t n, distinct;
    uint32_t *same;              /* n: the first point with these coordinates; i itself if it is that */
    uint32_t count;              /* triangles */
    uint32_t *vertex, *neighbor; /* count × 3 */
    uint32_t *chain;             /* distinct, if count is 0 */
    delaunay_cost cost;
} delaunay_triangulation;

/* The same on the device. */
typedef struct delaunay_textures {
    gpu_texture points; /* RGBA32UI, n: the bits of x and y, low word first. Of points that equal an earlier
                           one undefined; no texture if the CPU decided (cost.on_device) */
    gpu_texture vertex, neighbor; /* R32UI, count × 3 */
} delaunay_textures;

/* textures: NULL if they are not wanted. There are none without triangles. Errors: GLSHAPE_NO_GPU_MEMORY
 * (says how much is needed), GLSHAPE_NO_MEMORY, GLSHAPE_CANCELLED; *out is then zeroed, and *textures is as
 * it was. Source: Guibas, Stolfi, "Primitives for the manipulation of general subdivisions and the
 * computation of Voronoi diagrams", 1985; Dwyer, "A faster divide-and-conquer algorithm", 1987. */
glshape_status delaunay_triangulate(gpu *g, const exact_points *points, delaunay_triangulation *out,
                                    delaunay_textures *textures);
void delaunay_triangulation_free(delaunay_triangulation *t);
void delaunay_textures_free(delaunay_textures *t);

#endif
