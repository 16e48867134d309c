/* The passes of knn. */
#ifndef GLSHAPE_NEIGHBORS_PASSES_H
#define GLSHAPE_NEIGHBORS_PASSES_H

#include "gpu/pass.h"

/* clang-format off */
/* What compares tiles, by glsl/neighbors/tile.glsl and candidates.glsl, is given. */
#define KNN_TILES(P)                                                                  \
    P(AXIS, SHARED, 0, 1) P(SIZE, POWER, -1, 0, 1, 2, 3) P(AXIS, CAPACITY, 128, 256, 512) \
    P(SIZE, SLICE, 1, 3, 9, 16) P(READ, RGBA32F, points) P(UINT, n) P(UINT, slices)

/* And what does so for rows, one tile after the other, by columns.glsl and sweep.glsl. */
#define KNN_ROWS(P)                                                                      \
    KNN_TILES(P) P(READ, RGBA32F, chosen) P(UPDATE, RG32UI, list) P(UPDATE, R32UI, progress) \
    P(UINT, page) P(UINT, keep) P(UINT, row_first) P(UINT, row_end) P(UINT, column_first) P(UINT, column_end) P(UINT, last_span) \
    P(UINT, part_groups) P(UINT, part_columns)

#define KNN_SPANS(P) KNN_ROWS(P) P(UINT, chosen_page)

#define KNN_ACROSS(P)                                                                      \
    KNN_ROWS(P) P(AXIS, CORES, 0, 1) P(READ, RG32UI, query) P(READ, RGBA32UI, labels)

#define KNN_PAIRS(P)                                                  \
    KNN_TILES(P) P(AXIS, LABELS, 0, 1) P(WRITE, RG32UI, list) P(ATOMIC, R32UI, progress) \
    P(READ_BY, LABELS, labels, GPU_NONE, GPU_RGBA32UI)                \
    P(UINT, row_end) P(UINT, first_offset) P(UINT, stride) P(UINT, offsets) P(UINT, advanced) \
    P(UINT, first_row) P(UINT, row_blocks) P(UINT, first_column) P(UINT, column_blocks)

#define KNN_TRIM(P)                                                                             \
    P(AXIS, CAPACITY, 128, 256, 512) P(UPDATE, RG32UI, list) P(UPDATE, R32UI, progress)         \
    P(UINT, keep) P(UINT, row_first) P(UINT, row_end) P(UINT, fresh) P(UINT, last)

#define KNN_GATHER(P) P(READ, RGBA32F, points) P(READ, RG32UI, query) P(WRITE, RGBA32F, chosen) P(UINT, count)

#define KNN_TAKE(P) P(READ, RG32UI, list) P(READ, R32UI, progress) P(WRITE, RG32UI, found)

#define KNN_COMPARE(P)                                                                          \
    P(SIZE, POWER, 0, 1, 2) P(READ, RGBA32F, points) P(READ, RG32UI, list) P(READ, R32UI, progress) \
    P(WRITE, RG32UI, sums) P(WRITE, R32UI, nearest) P(WRITE, R32UI, least)                       \
    P(UINT, keep) P(UINT, k) P(UINT, columns) P(UINT, begin) P(UINT, first) P(UINT, count)

#define KNN_JOIN(P)                                                                             \
    P(AXIS, CAPACITY, 128, 256, 512) P(READ, RG32UI, given) P(WRITE, RG32UI, list) P(ATOMIC, R32UI, progress) \
    P(UINT, keep) P(UINT, first) P(UINT, count)

#define KNN_PASSES(PASS)                                           \
    PASS(knn_spans, "neighbors/spans", GPU_GROUPS_OF(256), KNN_SPANS)    \
    PASS(knn_across, "neighbors/across", GPU_GROUPS_OF(256), KNN_ACROSS) \
    PASS(knn_pairs, "neighbors/pairs", GPU_GROUPS_OF(256), KNN_PAIRS)    \
    PASS(knn_trim, "neighbors/trim", GPU_GROUPS_OF(256), KNN_TRIM)       \
    PASS(knn_gather, "neighbors/gather", GPU_EACH_TEXEL, KNN_GATHER)     \
    PASS(knn_take, "neighbors/take", GPU_EACH_TEXEL, KNN_TAKE)           \
    PASS(knn_join, "neighbors/join", GPU_GROUPS_OF(256), KNN_JOIN)       \
    PASS(knn_compare, "neighbors/compare", GPU_GROUPS_OF(256), KNN_COMPARE)
/* clang-format on */
GPU_DECLARE_PASSES(KNN_PASSES, knn_passes)

#endif
