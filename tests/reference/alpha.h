/* The slow, obvious twin of the alpha shapes of src/alpha: the definitions, in rational numbers. */
#ifndef GLSHAPE_TESTS_REFERENCE_ALPHA_H
#define GLSHAPE_TESTS_REFERENCE_ALPHA_H

#include <glshape.h>
#include <gmp.h>

typedef struct ref_alpha {
    uint32_t n, vertices, triangles, edges, ranks;
    const double *xy;
    const uint32_t *same, *triangle; /* as glshape_alpha_result */
    uint32_t (*edge)[2];             /* by smaller, then larger end */
    mpq_t *square;                   /* of ranks 1 … ranks, from 0 on: the squared radius */
    uint32_t (*edge_ranks)[3], (*vertex_ranks)[3], *triangle_ranks; /* as glshape_alpha_result */
} ref_alpha;

/* Sets out to the squared circumradius of an edge or a triangle, whose points are not on a line. */
void ref_alpha_square(const double *xy, const uint32_t *v, int corners, mpq_t out);

/* From distinct points (same[i] == i) and their Delaunay triangles; without triangles all points are on a
 * line. Every pair of points or faces is looked at: n small. */
void ref_alpha_new(ref_alpha *out, uint32_t n, const double *xy, const uint32_t *same, uint32_t triangles,
                   const uint32_t *triangle);
void ref_alpha_free(ref_alpha *a);

/* Radii that are at most α. */
uint32_t ref_alpha_rank(const ref_alpha *a, double alpha);
/* The radius of a rank, to the last place or the one beside it. */
double ref_alpha_radius(const ref_alpha *a, uint32_t rank);
/* What a vertex, edge or triangle is in the complex at a rank, from which faces are in it. */
glshape_alpha_class ref_alpha_vertex(const ref_alpha *a, uint32_t rank, bool regularized, uint32_t v);
glshape_alpha_class ref_alpha_edge(const ref_alpha *a, uint32_t rank, bool regularized, uint32_t e);
/* label[t] of solid components, from 0 by first triangle, UINT32_MAX outside; returns how many. */
uint32_t ref_alpha_components(const ref_alpha *a, uint32_t rank, uint32_t *label);
/* The least rank with every vertex on a triangle and at most so many components, by trying all. */
uint32_t ref_alpha_optimal(const ref_alpha *a, uint32_t components);
/* Intervals (dim, rank of birth, rank of death or UINT32_MAX), births and deaths apart, by reducing the
 * boundary matrix; returns how many. room: n + 2 × triangles. */
uint32_t ref_alpha_persistence(const ref_alpha *a, uint32_t (*out)[3]);

#endif
