/* The passes of this folder. */
#ifndef GLSHAPE_DELAUNAY_PASSES_H
#define GLSHAPE_DELAUNAY_PASSES_H

#include "gpu/pass.h"

enum {
    DELAUNAY_LOCAL = 64,
    DELAUNAY_EXACT_LOCAL = 8
}; /* invocations of a group; of those that decide exactly */
static inline uint32_t delaunay_groups(uint64_t n) {
    return (uint32_t)((n + DELAUNAY_LOCAL - 1) / DELAUNAY_LOCAL);
}

/* clang-format off */
#define DELAUNAY_RINGS(P) P(UPDATE, R32UI, next) P(UPDATE, R32UI, prev) P(UPDATE, R32UI, origin)
#define DELAUNAY_BLOCKS(P) P(UPDATE, R32UI, hull) P(UPDATE, RGBA32UI, state) P(ATOMIC, R32UI, cost)
#define DELAUNAY_FACES(P) P(READ, R32UI, prev) P(READ, R32UI, origin) P(READ, R32UI, row)

#define DELAUNAY_LEAF(P)                                                  \
    DELAUNAY_RINGS(P) P(WRITE, R32UI, hull) P(WRITE, RGBA32UI, state)     \
    P(UINT, n)

#define DELAUNAY_TANGENT(P)                                                              \
    P(READ, RGBA32UI, points) P(READ, RG32UI, ends) DELAUNAY_RINGS(P) DELAUNAY_BLOCKS(P) \
    P(UINT, half_size) P(UINT, mergers) P(UINT, begin) P(UINT, most_turns) P(UINT, limbs)

#define DELAUNAY_ZIP(P)                                                                 \
    P(READ, RGBA32UI, points) P(READ, R32UI, row) DELAUNAY_RINGS(P) DELAUNAY_BLOCKS(P) \
    P(UINT, half_size) P(UINT, mergers) P(UINT, most_turns) P(UINT, limbs)

#define DELAUNAY_COUNT(P)                                                  \
    DELAUNAY_FACES(P) P(ATOMIC, R32UI, count) P(WRITE, R32UI, place)     \
    P(UINT, edges) P(UINT, outer)

#define DELAUNAY_PLACE(P)                                                                     \
    P(READ, R32UI, origin) P(READ, R32UI, row) P(READ, R32UI, first) P(READ, R32UI, place)   \
    P(WRITE, RG32UI, triangle)                                                                \
    P(UINT, edges)

#define DELAUNAY_SORT(P)                                                                                  \
    P(READ, R32UI, first) P(READ, R32UI, count) P(UPDATE, RG32UI, triangle) P(ATOMIC, R32UI, too_long)    \
    P(UINT, n) P(UINT, most)

#define DELAUNAY_NUMBER(P)                                               \
    DELAUNAY_FACES(P) P(READ, RG32UI, triangle) P(WRITE, R32UI, left_triangle)  \
    P(UINT, triangles) P(UINT, outer)

#define DELAUNAY_COLLECT(P)                                              \
    DELAUNAY_FACES(P) P(READ, RG32UI, triangle) P(READ, R32UI, left_triangle)   \
    P(WRITE, R32UI, vertex) P(WRITE, R32UI, neighbor)                    \
    P(UINT, triangles) P(UINT, outer)

#define DELAUNAY_PASSES(PASS)                                                                            \
    PASS(delaunay_leaf, "delaunay/leaf", GPU_GROUPS_OF(DELAUNAY_LOCAL), DELAUNAY_LEAF)                   \
    PASS(delaunay_tangent, "delaunay/tangent", GPU_GROUPS_OF(DELAUNAY_LOCAL) GPU_WITH("EXACT=0"),        \
         DELAUNAY_TANGENT)                                                                               \
    PASS(delaunay_tangent_exactly, "delaunay/tangent",                                                   \
         GPU_GROUPS_OF(DELAUNAY_EXACT_LOCAL) GPU_WITH("EXACT=1"), DELAUNAY_TANGENT)                      \
    PASS(delaunay_zip, "delaunay/zip", GPU_GROUPS_OF(DELAUNAY_LOCAL) GPU_WITH("EXACT=0"), DELAUNAY_ZIP)  \
    PASS(delaunay_zip_exactly, "delaunay/zip",                                                           \
         GPU_GROUPS_OF(DELAUNAY_EXACT_LOCAL) GPU_WITH("EXACT=1"), DELAUNAY_ZIP)                          \
    PASS(delaunay_count, "delaunay/count", GPU_GROUPS_OF(DELAUNAY_LOCAL), DELAUNAY_COUNT)                      \
    PASS(delaunay_place, "delaunay/place", GPU_GROUPS_OF(DELAUNAY_LOCAL), DELAUNAY_PLACE)                \
    PASS(delaunay_sort, "delaunay/sort", GPU_GROUPS_OF(DELAUNAY_LOCAL), DELAUNAY_SORT)                   \
    PASS(delaunay_number, "delaunay/number", GPU_GROUPS_OF(DELAUNAY_LOCAL), DELAUNAY_NUMBER)             \
    PASS(delaunay_collect, "delaunay/collect", GPU_GROUPS_OF(DELAUNAY_LOCAL), DELAUNAY_COLLECT)
/* clang-format on */
GPU_DECLARE_PASSES(DELAUNAY_PASSES, delaunay_passes)

#endif
