/* The passes of this folder. */
#ifndef GLSHAPE_CUBICAL_PASSES_H
#define GLSHAPE_CUBICAL_PASSES_H

#include "gpu/pass.h"

#define CUBICAL_RUN 16u    /* vertices an invocation takes: RUN of mergetree/column.glsl */
#define CUBICAL_LOCAL 256u /* invocations of a group */
#define CUBICAL_FLOW_LOCAL 64u

/* clang-format off */
#define CUBICAL_EDGES(P)                                                                                     \
    P(READ, R32UI, key) P(WRITE, RGBA32UI, left) P(ATOMIC, R32UI, state)                                     \
    P(UINT, nx) P(UINT, ny) P(UINT, nz) P(UINT, periodic) P(UINT, order_start) P(UINT, lo) P(UINT, hi) \
    P(UINT, room)

#define CUBICAL_JOINS(P)                                                                               \
    P(AXIS, KEYS, 0, 1)                                                                                \
    P(READ, R32UI, basin) P(READ, RGBA32UI, left) P(READ_BY, KEYS, key, GPU_NONE, GPU_R32UI)           \
    P(WRITE, RGBA32UI, edges) P(ATOMIC, R32UI, state)                                                  \
    P(UINT, nx) P(UINT, ny) P(UINT, nz) P(UINT, periodic) P(UINT, count) P(UINT, room)

#define CUBICAL_JOINED(P)                                                                              \
    P(READ, R32UI, basin) P(READ, RGBA32UI, forest) P(UPDATE, RGBA32UI, left) P(ATOMIC, R32UI, state)  \
    P(UINT, nx) P(UINT, ny) P(UINT, nz) P(UINT, periodic) P(UINT, count) P(UINT, owners)

#define CUBICAL_FLOW(P)                                                                                      \
    P(READ, R32UI, key) P(READ, RG32UI, edges) P(WRITE, RG32UI, ends) P(WRITE, RG32UI, squares)              \
    P(ATOMIC, R32UI, state)                                                                                  \
    P(UINT, nx) P(UINT, ny) P(UINT, nz) P(UINT, periodic) P(UINT, count) P(UINT, room) P(UINT, most)         \
    P(UINT, around) P(UINT, sides)

#define CUBICAL_REVERSE(P) \
    P(READ, R32UI, key) P(WRITE, R32UI, reversed) P(UINT, nx) P(UINT, ny) P(UINT, outside)

#define CUBICAL_PASSES(PASS)                                                        \
    PASS(cubical_edges, "cubical/edges", GPU_GROUPS_OF(256), CUBICAL_EDGES)         \
    PASS(cubical_joins, "cubical/joins", GPU_GROUPS_OF(256) GPU_WITH("HOOD=6"), CUBICAL_JOINS) \
    PASS(cubical_joined, "cubical/joined", GPU_GROUPS_OF(256) GPU_WITH("HOOD=6"), CUBICAL_JOINED) \
    PASS(cubical_flow, "cubical/flow", GPU_GROUPS_OF(64) GPU_WITH("HOOD=6"), CUBICAL_FLOW) \
    PASS(cubical_reverse, "cubical/reverse", GPU_GROUPS_OF(256), CUBICAL_REVERSE)
/* clang-format on */
GPU_DECLARE_PASSES(CUBICAL_PASSES, cubical_passes)

#endif
