/* The passes of this folder. */
#ifndef GLSHAPE_INDEX_PASSES_H
#define GLSHAPE_INDEX_PASSES_H

#include "gpu/pass.h"

/* clang-format off */
/* What a walk through the tree is given (glsl/index/walk.glsl). */
#define INDEX_WALK(P)                                                                           \
    P(AXIS, MANHATTAN, 0, 1) P(SIZE, COLUMNS, 1, 2, 3, 16)                                      \
    P(READ, RGBA32UI, rows) P(READ, RGBA32UI, boxes) P(READ, R32UI, leasts)                     \
    P(READ, RGBA32UI, queries) P(UPDATE, RG32UI, places) P(ATOMIC, R32UI, unfinished)           \
    P(UINT, n) P(UINT, leaves) P(UINT, first) P(UINT, count) P(UINT, same) P(UINT, begin) P(UINT, turns)

#define INDEX_NEAREST(P)                                                \
    INDEX_WALK(P) P(AXIS, KEEP, 1, 4, 8, 16, 32)                        \
    P(UPDATE, R32UI, found) P(UPDATE, RG32UI, sums) P(UINT, from) P(UINT, keep)

#define INDEX_PASSES(PASS) PASS(index_nearest, "index/nearest", GPU_GROUPS_OF(64), INDEX_NEAREST)
/* clang-format on */
GPU_DECLARE_PASSES(INDEX_PASSES, index_passes)

#endif
