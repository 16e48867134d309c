/* triangulation: exact Delaunay triangulations in the plane, and the integers that their predicates work on.
 *
 * Points are integers: the coordinates given, float or double, divided by one power of two, exactly. An
 * integer that comes from a double has at most 53 significant bits, so it is kept as a double, which both a
 * filter and an exact predicate can start from: glsl/lib/limbs.glsl takes it apart. */
#ifndef GLSHAPE_ALPHA_TRIANGULATION_H
#define GLSHAPE_ALPHA_TRIANGULATION_H

#include "gpu/gpu.h"

/* The device decides where coordinates differ by less than 2^ALPHA_DEVICE_BITS; beyond, the CPU does. */
#define ALPHA_DEVICE_BITS 126

typedef struct alpha_points {
    uint32_t n;
    double *xy;   /* n × 2 integers: coordinate = xy · 2^exponent. No -0 */
    int exponent; /* as large as can be: some integer is odd (0 if all are 0) */
    int bits;     /* differences are below 2^bits. Above ALPHA_DEVICE_BITS, xy is as given, exponent 0, and
                     the coordinates are the integers xy · 2^1074 */
} alpha_points;

/* From an n × 2 matrix of any type. Integers of 64 bits beyond 2^53 are kept exactly if they are doubles.
 * GLSHAPE_BAD_INPUT (not two columns, NaN or infinity with row and column, an integer that no double is, more
 * points than edges can be numbered of), GLSHAPE_NO_MEMORY. */
glshape_status alpha_points_new(error *err, const glshape_matrix *m, alpha_points *out);
void alpha_points_free(alpha_points *p);

/* Whether the device decides exactly on these points. */
static inline bool alpha_on_device(const alpha_points *p) { return p->bits <= ALPHA_DEVICE_BITS; }

/* 32-bit words that hold a difference in two's complement, such that four times as many hold twelve times its
 * fourth power: what becomes of it in in_circle. */
static inline uint32_t alpha_words(const alpha_points *p) { return ((uint32_t)p->bits + 33) / 32; }

/* 32-bit limbs that hold, in two's complement, a sum of `terms` products of `degree` differences each. */
static inline int alpha_limbs(const alpha_points *p, int degree, int terms) {
    int bits = degree * p->bits + 1;
    for (int t = 1; t < terms; t *= 2) bits++;
    return (bits + 31) / 32;
}

/* No triangle, no point. */
#define ALPHA_HULL UINT32_MAX

/* What it took. */
typedef struct alpha_cost {
    int rounds;     /* dispatches of the merging pass, or levels on the CPU */
    uint64_t tests; /* turns of mergers that were completed; on the CPU, predicates evaluated */
    uint64_t exact; /* predicates decided in limbs (or, on the CPU, in big integers) */
    bool on_device;
    struct {
        double order, merge, collect; /* wall clock */
    } seconds;
} alpha_cost;

/* The Delaunay triangulation of distinct points. Points are named by the rows they come from; of equal points
 * the first counts. Triangle t has the corners vertex[3t .. 3t+2], counter-clockwise, the smallest first;
 * triangles are in order of (v0, v1, v2). neighbour[3t + k] is the triangle across the edge opposite corner
 * k, or ALPHA_HULL.
 *
 * It is the same on every device: where more than three corners lie on one empty circle, the polygon that
 * they span is cut into triangles from the corner of smallest index. (This is the triangulation of points
 * lifted to z = x² + y² - ε(i), with ε(0) much larger than ε(1), and so on, and all of them infinitely
 * small.)
 *
 * Without triangles (fewer than three distinct points, or all on one line) chain holds the distinct points in
 * order along the line, from the end with the smaller index; else it is NULL. */
typedef struct alpha_triangulation {
    uint32_t n, distinct;
    uint32_t *same;               /* n: the first point with these coordinates; i itself if it is that */
    uint32_t count;               /* triangles */
    uint32_t *vertex, *neighbour; /* count × 3 */
    uint32_t *chain;              /* distinct, if count is 0 */
    alpha_cost cost;
} alpha_triangulation;

/* GLSHAPE_NO_GPU_MEMORY (says how much is needed), GLSHAPE_NO_MEMORY, GLSHAPE_CANCELLED. On failure *out is
 * zeroed. Source: Guibas, Stolfi, "Primitives for the manipulation of general subdivisions and the
 * computation of Voronoi diagrams", 1985; Dwyer, "A faster divide-and-conquer algorithm", 1987. */
glshape_status alpha_triangulate(gpu *g, const alpha_points *points, alpha_triangulation *out);
void alpha_triangulation_free(alpha_triangulation *t);

#endif
