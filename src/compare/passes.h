/* The passes of this folder. */
#ifndef GLSHAPE_COMPARE_PASSES_H
#define GLSHAPE_COMPARE_PASSES_H

#include "gpu/pass.h"

/* clang-format off */
#define COMPARE_SLICES(P)                                                            \
    P(READ, R32UI, steps) P(READ, R32UI, first) P(UPDATE, RG32UI, sum)                \
    P(UINT, n) P(UINT, lines) P(UINT, stride) P(UINT, origin) P(UINT, begun) P(UINT, from)

#define COMPARE_PASSES(PASS) PASS(compare_slices, "compare/slices", GPU_GROUPS_OF(256), COMPARE_SLICES)
/* clang-format on */
GPU_DECLARE_PASSES(COMPARE_PASSES, compare_passes)

#endif
