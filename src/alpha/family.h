/* The family of alpha shapes, while it is computed: edges, the spectrum, the thresholds of all faces. */
#ifndef GLSHAPE_ALPHA_FAMILY_H
#define GLSHAPE_ALPHA_FAMILY_H

#include "alpha/radii.h"
#include "base/threads.h"
#include "delaunay/triangulation.h"
#include "prim/prim.h"

/* The result, and what is on the device for it or, if the CPU does all, in memory. A face is
 * named by its number, as in alpha_faces. */
typedef struct family {
    gpu *g;
    threads_team *team; /* may be NULL */
    exact_points points;
    uint32_t triangles, edges;
    bool on_device;
    run_why why;                     /* faces are ranked there */
    delaunay_textures triangulation; /* from delaunay_triangulate() */
    /* Of edges: the half edge 3t + k of the triangle t that the edge belongs to, opposite corner k; both
     * ends. Of triangles: their three edges. */
    gpu_texture half_edge, ends, triangle_edges;
    gpu_texture rank; /* of faces: rank of the circumradius; 0: an attached edge, which has none */
    uint32_t *ranks;  /* the same in memory; the two are not there together */
    /* alone: arrays of the result are not wanted. Where the family is on the device, they are NULL, and these
     * are there: of ranks, the key and the smallest face; and, after family_thresholds(), of edges their
     * ranks, of points the first rank of an edge. */
    bool alone;
    gpu_texture radius, chosen, edge_ranks, low;
    uint32_t close; /* pairs of items whose keys leave the order open */
    glshape_alpha_result *result;
} family;

/* What queries on a result compare radii with, exactly. */
struct glshape_alpha_exact {
    exact_points points;
    uint32_t *face; /* of rank r, face[r - 1] is a face with that radius */
};

/* Who ranks the faces: the result is the same. ALPHA_AUTO: a device, if it was named or is faster than the
 * processors. Where the device's integers do not hold the points or it computes wrongly, processors do. */
typedef enum alpha_way { ALPHA_AUTO, ALPHA_ON_DEVICE, ALPHA_ON_CPU } alpha_way;

/* All of the family but its thresholds: triangles, edges, ranks. f has g, result and alone. */
glshape_status family_begin(family *f, const glshape_matrix *points, alpha_way way);
/* glshape_alpha(), between context_begin_closed() and context_end(). After an error *r is to be freed. */
glshape_status family_find(gpu *g, const glshape_matrix *points, alpha_way way, bool wants_master,
                           glshape_alpha_result *r);

alpha_faces family_faces(const family *f);
/* The limbs of squared lengths and areas that passes compute with. */
int family_limbs(const exact_points *points);
/* Whether the driver is trusted with the pass that makes keys; with the one that compares close ones.
 * (check.c)
 */
glshape_status family_trusts_keys(const family *f, bool *so);
glshape_status family_trusts_compare(const family *f, bool *so);

/* Numbers the edges of f->triangles, at least 1: makes the result's edges and triangle_edges and, on the
 * device, half_edge, ends and triangle_edges. */
glshape_status family_edges(family *f);
glshape_status family_edges_on_cpu(family *f);
/* Compute f->rank, or f->ranks, and the result's ranks, radii and exact. family_spectrum_on_cpu() also takes
 * points on a line: then there are no triangles. */
glshape_status family_spectrum(family *f);
glshape_status family_spectrum_on_cpu(family *f);
/* Computes the result's triangle_ranks, edge_ranks and vertex_ranks from f->rank or f->ranks. */
glshape_status family_intervals(family *f);
/* Makes f->edge_ranks and f->low alone. */
glshape_status family_thresholds(family *f);
/* Brings edges and triangles to memory, where they are on the device alone. */
glshape_status family_fetch_faces(family *f);
/* Fills these three, for at least 1 triangle. */
glshape_status family_thresholds_on_cpu(family *f);
void family_free_textures(family *f);
void family_free(family *f);

/* GLSHAPE_BAD_ARGUMENT: there is no such radius, no such rank. */
glshape_status alpha_check_radius(error *err, double alpha);
glshape_status alpha_check_rank(error *err, const glshape_alpha_result *r, uint32_t rank);
/* glshape_alpha_rank(), glshape_alpha_optimal(), glshape_alpha_at(), within a call. */
glshape_status alpha_find_rank(error *err, const glshape_alpha_result *r, double alpha, uint32_t *rank);
glshape_status alpha_find_optimal(error *err, const glshape_alpha_result *r, size_t components,
                                  uint32_t *rank);
glshape_status alpha_find_shape(error *err, const glshape_alpha_result *r, uint32_t rank, bool regularized,
                                glshape_alpha_shape *shape);

/* Drivers compile the passes of outline.c beside other work. */
void alpha_expect_outline(gpu *g);
/* glshape_alpha_outline_of(), between context_begin_closed() and context_end(), where the family stays on the
 * device; else *r becomes the family, and *done is false. After an error both results are to be freed. */
glshape_status alpha_outline_find(gpu *g, const glshape_matrix *points, alpha_way way,
                                  const glshape_alpha_choice *choice, glshape_alpha_result *r,
                                  glshape_alpha_outline *out, bool *done);
/* The same of that family. */
glshape_status alpha_outline_of_family(error *err, const glshape_alpha_result *r,
                                       const glshape_alpha_choice *choice, glshape_alpha_outline *out);
/* Whether the driver is trusted with its passes. (check.c) */
glshape_status family_trusts_outline(const family *f, bool *so);

#endif
