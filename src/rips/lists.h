/* Lists of neighbors on the device (glsl/rips/lists.glsl). */
#ifndef GLSHAPE_RIPS_LISTS_H
#define GLSHAPE_RIPS_LISTS_H

#include "gpu/gpu.h"
#include "rips/space.h"

/* Where passes around a simplex find distances: in a matrix; in a matrix, with lists beside it; in lists
 * alone. */
enum { RIPS_OF_MATRIX, RIPS_OF_BOTH, RIPS_OF_LISTS };

typedef struct rips_lists {
    gpu_texture start, neighbors, lengths;
} rips_lists;

/* Makes and fills the textures from the graph of s. Errors: GLSHAPE_NO_GPU_MEMORY. */
glshape_status rips_lists_new(gpu *g, const rips_space *s, rips_lists *out);
void rips_lists_free(rips_lists *l);
/* Fills a texture, of a texel a place, with the distances. */
glshape_status rips_lists_lengths(gpu *g, const rips_space *s, gpu_texture *t);
/* Bytes of textures for lists of n points with so many places; SIZE_MAX if the device has no such textures.
 */
size_t rips_lists_bytes(const gpu *g, uint32_t n, size_t places);

static inline uint32_t rips_lists_places(const rips_space *s) { return (uint32_t)s->graph.start[s->n]; }

#endif
