/* Exact Delaunay triangulations in the plane: what glshape_delaunay returns and alpha starts from. */
#ifndef GLSHAPE_DELAUNAY_TRIANGULATION_H
#define GLSHAPE_DELAUNAY_TRIANGULATION_H

#include "exact/points.h"
#include "gpu/gpu.h"

/* How the work was done, for reports. */
typedef struct delaunay_cost {
    uint64_t tests, big;    /* predicates evaluated by threads; of these, in big integers */
    uint32_t open;          /* sites whose stars passes left open */
    bool on_device, on_cpu; /* passes ran; threads triangulated all points */
    struct {
        double order, merge, collect; /* wall clock */
    } seconds;
} delaunay_cost;

/* The Delaunay triangulation of distinct points. A point is named by its row in the input; of equal points
 * the first one counts. Triangle t has the corners vertex[3t .. 3t+2], counter-clockwise, the smallest row
 * first; triangles are in order of (v0, v1, v2). neighbor[3t + k] is the triangle across the edge opposite
 * corner k, or GLSHAPE_NO_TRIANGLE.
 *
 * The result is the same on every device. If more than three points lie on one empty circle, their polygon
 * is cut into triangles from its corner of smallest row. (This is the triangulation of points lifted to z =
 * x² + y² - ε(i), where all ε are infinitely small and ε(0) is much larger than ε(1), and so on.)
 *
 * If there are fewer than three distinct points, or all are on one line, there is no triangle. chain then
 * holds the distinct points in order along the line, from the end with the smaller row; else chain is NULL.
 */
typedef struct delaunay_triangulation {
    uint32_t n, distinct;
    uint32_t *same;              /* n: of point i, the first point with its coordinates, which may be i */
    uint32_t count;              /* triangles */
    uint32_t *vertex, *neighbor; /* count × 3 */
    uint32_t *chain;             /* distinct, if count is 0 */
    delaunay_cost cost;
} delaunay_triangulation;

/* The triangulation as textures. */
typedef struct delaunay_textures {
    bool alone;         /* by the caller: where textures are made by passes, the arrays are not wanted */
    gpu_texture points; /* RGBA32UI, n: the bits of x and y, low word first */
    gpu_texture vertex, neighbor; /* R32UI, count × 3 */
} delaunay_textures;

/* Who triangulates. The triangulation is the same. DELAUNAY_AUTO: passes, if the device holds the points and
 * they are not few, or the caller named the device. They leave some sites to threads, and all of them where
 * most points are on circles. */
typedef enum delaunay_way { DELAUNAY_AUTO, DELAUNAY_ON_DEVICE, DELAUNAY_ON_CPU } delaunay_way;

/* Triangulates points into *out (delaunay_triangulation_free()) and, if textures is not NULL and there are
 * triangles and the device computes rightly, into *textures (delaunay_textures_free()); textures->alone:
 * out->same, vertex and neighbor are then NULL, unless threads made them. Errors: GLSHAPE_NO_GPU_MEMORY (says
 * how much is needed), GLSHAPE_NO_MEMORY, GLSHAPE_CANCELLED, GLSHAPE_GPU_ERROR; *out is then zeroed, and
 * *textures is left as it was.
 *
 * Source: of the way by threads, Guibas, Stolfi, "Primitives for the manipulation of general subdivisions and
 * the computation of Voronoi diagrams", 1985; Dwyer, "A faster divide-and-conquer algorithm", 1987. */
glshape_status delaunay_triangulate(gpu *g, const exact_points *points, delaunay_way way,
                                    delaunay_triangulation *out, delaunay_textures *textures);
void delaunay_triangulation_free(delaunay_triangulation *t);
void delaunay_textures_free(delaunay_textures *t);

#endif
