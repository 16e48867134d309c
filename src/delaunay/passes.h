/* The passes of this folder. */
#ifndef GLSHAPE_DELAUNAY_PASSES_H
#define GLSHAPE_DELAUNAY_PASSES_H

#include "gpu/pass.h"

enum { DELAUNAY_LOCAL = 64 }; /* invocations of a group */
static inline uint32_t delaunay_groups(uint64_t n) {
    return (uint32_t)((n + DELAUNAY_LOCAL - 1) / DELAUNAY_LOCAL);
}

/* What a triangulation by stars counts (glsl/delaunay/counters.glsl): points with the key of another; of
 * these, those with the key of too many; copies; neighbors in lists; open sites; seams; corners of too many
 * triangles. */
/* clang-format off */
enum { STARS_ALIKE, STARS_CROWDED, STARS_COPIES, STARS_LISTED, STARS_OPEN, STARS_SEAMS, STARS_HUBS, STARS_PENDING, STARS_AGAIN, STARS_COUNTERS };

#define DELAUNAY_FIXED(P)                                                                                   \
    P(READ, RGBA32UI, points) P(INT, unit) P(UINT, least_x_low) P(UINT, least_x_high) P(UINT, least_y_low) \
    P(UINT, least_y_high)

#define DELAUNAY_KEYS(P) DELAUNAY_FIXED(P) P(WRITE, RGBA32UI, items) P(UINT, cut) P(UINT, levels)

#define DELAUNAY_SITES(P)                                                                           \
    DELAUNAY_FIXED(P) P(READ, RGBA32UI, items) P(WRITE, RGBA32UI, site) P(WRITE, R32UI, row)        \
    P(WRITE, R32UI, same) P(ATOMIC, R32UI, counters) P(UINT, n)

#define DELAUNAY_BOXES(P)                                                                            \
    P(READ, RGBA32UI, site) P(UPDATE, RGBA32UI, box)                                                \
    P(UINT, level) P(UINT, count) P(UINT, base) P(UINT, below) P(UINT, parts)

#define DELAUNAY_TILES(P)                                                                            \
    P(READ, RGBA32UI, site) P(READ, RGBA32UI, box)                                                   \
    P(WRITE, RG32UI, star) P(WRITE, R32UI, list) P(WRITE, R32UI, pending)                            \
    P(ATOMIC, R32UI, counters) P(UINT, n) P(INT, unit)

#define DELAUNAY_STARS(P)                                                                            \
    P(AXIS, EXACT, 0, 1)                                                                             \
    P(READ, RGBA32UI, site) P(READ, R32UI, row) P(READ, RGBA32UI, box) P(READ, R32UI, pending)       \
    P(UPDATE, RG32UI, star) P(UPDATE, R32UI, list) P(WRITE, R32UI, open) P(WRITE, R32UI, again)      \
    P(ATOMIC, R32UI, counters)                                                                       \
    P(UINT, n) P(INT, unit) P(UINT, count) P(UINT, boxes) P(UINT, give_up)

#define DELAUNAY_FACES(P)                                                                       \
    P(AXIS, FILL, 0, 1)                                                                              \
    P(READ, RG32UI, star) P(READ, R32UI, list) P(READ, R32UI, row) P(ATOMIC, R32UI, count)           \
    P(ATOMIC, R32UI, counters) P(WRITE_BY, FILL, seam, GPU_RG32UI, GPU_NONE)                         \
    P(READ_BY, FILL, first, GPU_NONE, GPU_R32UI) P(WRITE_BY, FILL, face, GPU_NONE, GPU_RG32UI)       \
    P(UINT, n)

#define DELAUNAY_MORE_FACES(P)                                                                       \
    P(AXIS, FILL, 0, 1)                                                                              \
    P(READ, RGBA32UI, more) P(ATOMIC, R32UI, count)                                                  \
    P(READ_BY, FILL, first, GPU_NONE, GPU_R32UI) P(WRITE_BY, FILL, face, GPU_NONE, GPU_RG32UI)       \
    P(UINT, n)

#define DELAUNAY_TRIANGLES(P)                                                                        \
    P(READ, R32UI, first) P(READ, RG32UI, face) P(WRITE, R32UI, vertex) P(WRITE, R32UI, neighbor)    \
    P(ATOMIC, R32UI, counters) P(UINT, n) P(UINT, triangles) P(UINT, sorted)

#define DELAUNAY_MATES(P)                                                                            \
    P(READ, R32UI, vertex) P(WRITE, R32UI, neighbor) P(ATOMIC, R32UI, table)                         \
    P(UINT, triangles) P(UINT, mask)

#define DELAUNAY_PASSES(PASS)                                                                             \
    PASS(delaunay_keys, "delaunay/keys", GPU_EACH_ELEMENT, DELAUNAY_KEYS)                                \
    PASS(delaunay_sites, "delaunay/sites", GPU_GROUPS_OF(DELAUNAY_LOCAL), DELAUNAY_SITES)                \
    PASS(delaunay_boxes, "delaunay/boxes", GPU_GROUPS_OF(DELAUNAY_LOCAL), DELAUNAY_BOXES)                \
    PASS(delaunay_tiles, "delaunay/tiles", GPU_GROUPS_OF(DELAUNAY_LOCAL), DELAUNAY_TILES)                \
    PASS(delaunay_stars, "delaunay/stars", GPU_GROUPS_OF(DELAUNAY_LOCAL), DELAUNAY_STARS)                \
    PASS(delaunay_faces, "delaunay/faces", GPU_GROUPS_OF(DELAUNAY_LOCAL), DELAUNAY_FACES)                \
    PASS(delaunay_more_faces, "delaunay/more_faces", GPU_GROUPS_OF(DELAUNAY_LOCAL), DELAUNAY_MORE_FACES) \
    PASS(delaunay_triangles, "delaunay/triangles", GPU_GROUPS_OF(DELAUNAY_LOCAL), DELAUNAY_TRIANGLES)    \
    PASS(delaunay_mates, "delaunay/mates", GPU_GROUPS_OF(DELAUNAY_LOCAL), DELAUNAY_MATES)
/* clang-format on */
GPU_DECLARE_PASSES(DELAUNAY_PASSES, delaunay_passes)

#endif
