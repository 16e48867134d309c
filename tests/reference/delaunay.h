/* The slow, obvious twin of src/delaunay, in big integers. */
#ifndef GLSHAPE_TESTS_REFERENCE_DELAUNAY_H
#define GLSHAPE_TESTS_REFERENCE_DELAUNAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* n points, row after row, exactly as they are. */
typedef struct ref_plane ref_plane;
ref_plane *ref_plane_new(const double *xy, uint32_t n);
void ref_plane_free(ref_plane *p);

/* 1: a, b, c turn left; 0: they are on one line. */
int ref_orient2d(ref_plane *p, uint32_t a, uint32_t b, uint32_t c);
/* 1: d is inside the circle through a, b, c, which turn left; 0: on it. */
int ref_in_circle(ref_plane *p, uint32_t a, uint32_t b, uint32_t c, uint32_t d);

/* By definition, of distinct points: every three whose circle has nobody inside; of a polygon of more on one
 * circle, those that a fan from its smallest index has. Fills triangles (each from its smallest index,
 * counter-clockwise, in order) with up to `room` of them and returns their number. O(n^4). */
size_t ref_delaunay(ref_plane *p, uint32_t n, uint32_t (*triangles)[3], size_t room);

/* What is wrong with a result about n points: a sentence, in memory of its own until the next call; NULL if
 * nothing is. Triangles turn left, start from their smallest corner and are in order; neighbours share an
 * edge, each other's; the edge between two has nobody of the two inside the other's circle and, of four on
 * one circle, an end at the smallest index; the boundary is one convex ring around everything (Euler's
 * formula); every distinct point is a corner. */
typedef struct ref_triangulation {
    uint32_t n;
    const uint32_t *same;
    size_t distinct, count;
    const uint32_t *triangles, *neighbours; /* UINT32_MAX: none */
    const uint32_t *chain;
} ref_triangulation;
const char *ref_delaunay_fault(ref_plane *p, const ref_triangulation *t);

#endif
