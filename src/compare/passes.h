/* The passes of this folder. */
#ifndef GLSHAPE_COMPARE_PASSES_H
#define GLSHAPE_COMPARE_PASSES_H

#include "gpu/pass.h"

/* clang-format off */
#define COMPARE_SLICES(P)                                                            \
    P(READ, R32UI, steps) P(READ, R32UI, first) P(UPDATE, RG32UI, sum)                \
    P(UINT, n) P(UINT, lines) P(UINT, stride) P(UINT, origin) P(UINT, begun) P(UINT, from)
#define COMPARE_STEPS(P)                                                             \
    P(READ, R32UI, first) P(READ, RG32UI, points) P(READ, RG32UI, turns) P(WRITE, R32UI, steps) \
    P(UINT, n) P(UINT, stride) P(UINT, from)
#define COMPARE_IMAGE(P)                                                             \
    P(READ, R32UI, first) P(READ, RGBA32F, factors) P(WRITE, RGBA32F, pixels)         \
    P(UINT, diagrams) P(UINT, columns) P(UINT, rows)
#define COMPARE_LANDSCAPE(P)                                                         \
    P(READ, R32UI, first) P(READ, RGBA32F, pairs) P(READ, RG32F, grid) P(WRITE, R32F, curves) \
    P(UINT, diagrams) P(UINT, samples) P(UINT, levels)
#define COMPARE_SILHOUETTE(P)                                                        \
    P(READ, R32UI, first) P(READ, RGBA32F, pairs) P(READ, R32F, weight) P(READ, RG32F, grid) \
    P(WRITE, R32F, curves) P(UINT, diagrams) P(UINT, samples)

#define COMPARE_PASSES(PASS)                                                         \
    PASS(compare_steps, "compare/steps", GPU_GROUPS_OF(256), COMPARE_STEPS)           \
    PASS(compare_slices, "compare/slices", GPU_GROUPS_OF(256), COMPARE_SLICES)        \
    PASS(compare_image, "compare/image", GPU_GROUPS_OF(256), COMPARE_IMAGE)           \
    PASS(compare_landscape, "compare/landscape", GPU_GROUPS_OF(256), COMPARE_LANDSCAPE) \
    PASS(compare_silhouette, "compare/silhouette", GPU_GROUPS_OF(256), COMPARE_SILHOUETTE)
/* clang-format on */
GPU_DECLARE_PASSES(COMPARE_PASSES, compare_passes)

#endif
