/* The passes of this folder. */
#ifndef GLSHAPE_DIST_PASSES_H
#define GLSHAPE_DIST_PASSES_H

#include "dist/source.h"
#include "gpu/pass.h"

/* clang-format off */
/* What a pass that includes dist/source.glsl is given: of points, sparse rows and a matrix; or of pages, too. */
#define DIST_SOURCE(P)                                                              \
    P(AXIS, SOURCE, DIST_POINTS, DIST_SPARSE, DIST_MATRIX) P(AXIS, METRIC, 0, 1, 2) \
    P(SIZE, TEXELS, 1, 3, 2409)                                                     \
    P(READ_BY, SOURCE, given, GPU_RGBA32F, GPU_RGBA32UI, GPU_RGBA32F)
#define DIST_SOURCE_OR_PAGES(P)                                                                 \
    P(AXIS, SOURCE, DIST_POINTS, DIST_SPARSE, DIST_MATRIX, DIST_PAGES) P(AXIS, METRIC, 0, 1, 2) \
    P(SIZE, TEXELS, 1, 3, 2409)                                                                 \
    P(READ_BY, SOURCE, given, GPU_RGBA32F, GPU_RGBA32UI, GPU_RGBA32F, GPU_RGBA32F)
/* As arguments. */
#define DIST_SOURCE_OF(s) \
    .SOURCE = (s)->kind, .METRIC = (s)->metric, .TEXELS = (s)->texels, .given = &(s)->values

#define DIST_TABLE(P) DIST_SOURCE(P) P(WRITE, RGBA32F, table) P(UINT, n) P(UINT, blocks)

#define DIST_PASSES(PASS) \
    PASS(dist_table, "dist/table", GPU_GROUPS_OF(64), DIST_TABLE)
/* clang-format on */
GPU_DECLARE_PASSES(DIST_PASSES, dist_passes)

#endif
