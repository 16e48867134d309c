/* The simplices of one dimension that are in no apparent pair, found by passes. */
#ifndef GLSHAPE_RIPS_ENUMERATE_H
#define GLSHAPE_RIPS_ENUMERATE_H

#include "gpu/gpu.h"
#include "rips/lists.h"

#define RIPS_ROOM_OF_COLUMNS (1u << 20) /* on the GPU */

typedef struct rips_columns {
    cell *items; /* in the order of reduction; coefficient 1 */
    size_t count, room;
    uint64_t examined; /* simplices that the passes looked at one by one */
} rips_columns;

/* An edge a > b, and how many admissible points of its lune are near and far (glsl/rips/lune.glsl). */
typedef struct rips_edge {
    uint32_t a, b, near, far;
} rips_edge;

/* The textures of a space, a matrix or lists of neighbors, and the edges whose simplices are looked at; for
 * all dimensions. */
typedef struct rips_enumeration {
    gpu *g;
    const rips_space *s;
    bool of_lists;  /* the space has no matrix */
    uint32_t as_of; /* the programs are those for a matrix of at least so many points … */
    size_t longest; /* … or for lists of so many */
    bool too_many;  /* the passes have no room for the simplices of some edge of lists */
    bool found_promising;
    rips_edge *promising; /* the edges with far points */
    size_t promising_count, promising_room;
    rips_lists lists;
    gpu_texture dist, binomial, work, columns, found;
} rips_enumeration;

/* Makes the textures, of_lists: for the lists of s, else for its matrix; the distances are still to be
 * uploaded. Errors: GLSHAPE_NO_GPU_MEMORY. */
glshape_status rips_enumeration_new(gpu *g, const rips_space *s, bool of_lists, rips_enumeration *out);
/* Uploads the distances, lists once; backwards: a matrix for src/tree with the points numbered backwards,
 * which breaks ties by the smaller one, where the filtration does by the greater. */
glshape_status rips_enumeration_upload(rips_enumeration *e, bool backwards);
/* Uploads what short columns need beside them: the matrix, if the space has one, and binomial numbers. */
glshape_status rips_enumeration_add_for_short(rips_enumeration *e);
/* The bytes of textures that this makes. */
size_t rips_enumeration_bytes_for_short(const rips_enumeration *e);
void rips_enumeration_free(rips_enumeration *e);
/* Bytes of textures: for a matrix of n points, or for the lists of s; SIZE_MAX: there are no such. */
size_t rips_enumeration_bytes(const gpu *g, uint32_t n, int most_vertices);
size_t rips_enumeration_list_bytes(const gpu *g, const rips_space *s);

/* Fills *out (rips_columns_free()) with the simplices of `vertices` ≥ 2 vertices within the threshold that
 * are in no apparent pair. Edges that are the cofacet of one are among them: clearing removes them. If
 * e->too_many is set, *out is empty. */
glshape_status rips_enumerate(rips_enumeration *e, int vertices, rips_columns *out);
void rips_columns_free(rips_columns *c);
/* *why stays, if it is for the device, where the driver runs the programs rightly that find the simplices of
 * up to dim + 1 vertices of a space like s, by lists or by its matrix (check.c). */
glshape_status rips_is_for_passes(gpu *g, const rips_space *s, bool of_lists, int dim, run_why *why);

/* The same by threads, for a space that has lists of neighbors: its simplices are few and far between. */
glshape_status rips_enumerate_sparse(error *err, const rips_space *s, int vertices, int threads,
                                     rips_columns *out);

/* Puts columns in the order of reduction: by descending value, then by index. */
glshape_status rips_sort_columns(error *err, rips_columns *c);

#endif
