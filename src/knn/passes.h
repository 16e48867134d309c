/* The passes of knn. */
#ifndef GLSHAPE_KNN_PASSES_H
#define GLSHAPE_KNN_PASSES_H

#include "gpu/pass.h"

/* clang-format off */
/* What compares tiles, by glsl/knn/tile.glsl, candidates.glsl and sweep.glsl, is given. */
#define KNN_TILES(P)                                                                                       \
    P(AXIS, SHARED, 0, 1) P(SIZE, POWER, 0, 1, 2, 3) P(AXIS, CAPACITY, 256, 512) P(SIZE, SLICE, 1, 3, 9, 16) \
    P(READ, RGBA32F, points) P(UPDATE, RG32UI, list) P(UPDATE, RG32UI, progress)                           \
    P(UINT, n) P(UINT, slices) P(UINT, keep) P(UINT, row_first) P(UINT, row_end) P(UINT, column_end)

#define KNN_SPANS(P) KNN_TILES(P) P(UINT, column_first) P(UINT, last_span)

#define KNN_ACROSS(P)                                                                      \
    KNN_TILES(P) P(AXIS, CORES, 0, 1) P(READ, RGBA32F, chosen) P(READ, RG32UI, query) P(READ, RGBA32UI, labels) \
    P(UINT, column_first) P(UINT, last_span)

#define KNN_BOTH(P) KNN_TILES(P) P(UINT, rounds_done) P(UINT, first_round)

#define KNN_GATHER(P) P(READ, RGBA32F, points) P(READ, RG32UI, query) P(WRITE, RGBA32F, chosen) P(UINT, count)

#define KNN_TAKE(P) P(READ, RG32UI, list) P(READ, RG32UI, progress) P(WRITE, RG32UI, found)

#define KNN_PASSES(PASS)                                           \
    PASS(knn_spans, "knn/spans", GPU_GROUPS_OF(256), KNN_SPANS)    \
    PASS(knn_across, "knn/across", GPU_GROUPS_OF(256), KNN_ACROSS) \
    PASS(knn_both, "knn/both", GPU_GROUPS_OF(256), KNN_BOTH)       \
    PASS(knn_gather, "knn/gather", GPU_EACH_TEXEL, KNN_GATHER)     \
    PASS(knn_take, "knn/take", GPU_EACH_TEXEL, KNN_TAKE)
/* clang-format on */
GPU_DECLARE_PASSES(KNN_PASSES, knn_passes)

#endif
