/* The filtered complex of cubes between the vertices of a grid, with values on vertices.
 *
 * A cube belongs to its greatest vertex, its owner, in the order of vertices: by key, of equal keys the
 * smaller index first. It is named by its owner and its direction: how it extends from there, -1, 0 or 1
 * along each axis. The cubes of one owner are its lower star. Cubes are ordered by owner, then dimension,
 * then direction: bit 13 + dx + 3 dy + 9 dz of glsl/field/around.glsl. */
#ifndef GLSHAPE_CUBICAL_CUBES_H
#define GLSHAPE_CUBICAL_CUBES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct cubes {
    const uint32_t *key; /* of each vertex, x fastest */
    uint32_t extent[3];  /* x, y, z */
    uint32_t periodic;   /* a bit for x, y, z; a periodic extent is at least 2 */
    uint32_t modulus;
    uint64_t reciprocal[2]; /* of the first two extents: 2^64 / extent, rounded up; of 1: 0 */
    const _Atomic uint8_t
        *ended;   /* of each vertex: its critical squares that cubes end; NULL: it is not known */
    bool outside; /* the vertices of the key 0 are no part of the field: their edges are no columns */
} cubes;

cubes cubes_of(const uint32_t *key, const uint32_t extent[3], uint32_t periodic, uint32_t modulus);

#define CUBES_CENTER 13 /* the direction of a vertex */

/* The directions of edges, by their numbers: ascending (glsl/cubical/directions.glsl). */
extern const int cubes_edge_directions[6];

static inline uint64_t cubes_order(const cubes *c, uint32_t v) { return (uint64_t)c->key[v] << 32 | v; }

/* What steps from a vertex add to its index: along each axis one back, none, one ahead; 0 where there is no
 * vertex. there: the directions in which there are, as bits. */
typedef struct cubes_steps {
    uint32_t by[3][3], there;
} cubes_steps;

/* Returns the directions in which v has lower neighbors, as bits, and v itself. Fills the steps. */
uint32_t cubes_below(const cubes *c, uint32_t v, cubes_steps *s);

/* Returns the edges of the lower star of v, as a set of their numbers. to[i] becomes the other end of edge i,
 * and *paired the set of those that are paired with a square of the star (cubical/flow.c). */
uint32_t cubes_edges(const cubes *c, uint32_t v, uint32_t to[6], uint32_t *paired);

/* The Euler characteristic of the lower star of v, v with it: how many of its cubes have even dimensions,
 * less those of odd ones. */
int cubes_star_sum(const cubes *c, uint32_t v);

#endif
