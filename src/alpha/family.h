/* spectrum: from a triangulation to the ranks of its radii, and to the thresholds of its faces. */
#ifndef GLSHAPE_ALPHA_FAMILY_H
#define GLSHAPE_ALPHA_FAMILY_H

#include "alpha/radii.h"
#include "delaunay/triangulation.h"

/* What is being found: the result, and what is on the device. Faces with a radius are numbered as alpha_faces
 * says. */
typedef struct family {
    gpu *g;
    exact_points points;
    uint32_t triangles, edges;
    delaunay_textures triangulation;             /* of the triangulation */
    gpu_texture half_edge, ends, triangle_edges; /* of edges: 3t + k of the triangle it belongs to; its ends.
                                           Of triangles: their edges */
    gpu_texture rank;                            /* of faces; 0: attached */
    glshape_alpha_result *result;
} family;

/* What the queries on a result compare with. */
struct glshape_alpha_exact {
    exact_points points;
    uint32_t *face; /* ranks: one with that radius */
};

alpha_faces family_faces(const family *f);

/* Numbers the edges: the textures, and result's edges and triangle_edges. There are triangles. */
glshape_status family_edges(family *f);
/* From edges and triangles to rank, and result's ranks, radii, exact, and what it took. The second does it
 * all on the CPU, if there are no triangles too (and then there are no textures). */
glshape_status family_spectrum(family *f);
glshape_status family_spectrum_on_cpu(family *f);
/* From rank to result's triangle_ranks, edge_ranks and vertex_ranks. */
glshape_status family_intervals(family *f);
void family_free(family *f);

#endif
