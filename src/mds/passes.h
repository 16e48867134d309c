/* The passes of mds. */
#ifndef GLSHAPE_MDS_PASSES_H
#define GLSHAPE_MDS_PASSES_H

#include "dist/passes.h"

/* clang-format off */
/* What passes are given of the layout; and with the weights of pairs, if there are any. */
#define MDS_LAYOUT(P) P(SIZE, DIM, 2, 3, 7) P(AXIS, WEIGHTED, 0, 1) P(READ, RGBA32F, place_in)
#define MDS_PAIRS(P) MDS_LAYOUT(P) P(READ_BY, WEIGHTED, weights, GPU_NONE, GPU_RGBA32F)
/* The same as arguments, from an mds_state. */
#define MDS_LAYOUT_OF(s) .DIM = (int)(s)->dim, .WEIGHTED = (s)->weights.id != 0, .place_in = &(s)->place[0]
#define MDS_PAIRS_OF(s) MDS_LAYOUT_OF(s), .weights = &(s)->weights

#define MDS_SAMPLE(P)                                                                          \
    DIST_SOURCE_OR_PAGES(P) MDS_PAIRS(P) P(READ, R32UI, perm) P(READ, RGBA32UI, near_in)       \
    P(READ, RGBA32F, near_high_in) P(WRITE, RGBA32UI, near) P(WRITE, RGBA32F, near_high)       \
    P(WRITE, RGBA32UI, random) P(WRITE, RGBA32F, near_strain) P(WRITE, RGBA32F, random_strain) \
    P(WRITE, RG32F, terms)                                                                     \
    P(UINT, m) P(UINT, offset) P(UINT, fixed_count) P(UINT, fresh_from)

#define MDS_MOVE(P)                                                                                 \
    MDS_LAYOUT(P) P(READ, RGBA32F, velocity_in) P(READ, RGBA32UI, near) P(READ, RGBA32F, near_high) \
    P(READ, RGBA32UI, random) P(READ, RGBA32F, near_strain) P(READ, RGBA32F, random_strain)         \
    P(WRITE, RGBA32F, place) P(WRITE, RGBA32F, velocity)                                            \
    P(UINT, fixed_count) P(FLOAT, inertia)

#define MDS_CLOSING_STEP(P)                                                            \
    DIST_SOURCE_OR_PAGES(P) MDS_PAIRS(P) P(READ, R32UI, perm) P(WRITE, RGBA32F, place) \
    P(UINT, m) P(UINT, offset) P(FLOAT, step)

#define MDS_SETTLE(P)                                                              \
    DIST_SOURCE(P) MDS_PAIRS(P) P(READ, RGBA32F, before) P(WRITE, RGBA32F, place) \
    P(UINT, n) P(FLOAT, step) P(FLOAT, momentum)

#define MDS_ESTIMATE(P)                                                              \
    DIST_SOURCE_OR_PAGES(P) MDS_PAIRS(P) P(READ, R32UI, perm) P(WRITE, RG32F, terms) \
    P(UINT, m) P(UINT, offset)

#define MDS_STRESS(P)                                    \
    DIST_SOURCE(P) MDS_PAIRS(P) P(WRITE, RG32F, partial) \
    P(UINT, n) P(UINT, chunks) P(UINT, span)

/* Dense points without weights, whose texels go through shared memory. */
#define MDS_TILES(P)                                                          \
    P(AXIS, METRIC, 0, 1, 2) P(SIZE, TEXELS, 1, 3, 2409) P(READ, RGBA32F, given) \
    P(SIZE, DIM, 2, 3, 7) P(READ, RGBA32F, place_in)
#define MDS_TILES_OF(s)                                                                                       \
    .METRIC = (s)->source.metric, .TEXELS = (s)->source.texels, .given = &(s)->source.values, .DIM = (int)(s)->dim, \
    .place_in = &(s)->place[0]

#define MDS_CLOSING_NEAR(P)                                                             \
    MDS_TILES(P) P(READ, R32UI, perm) P(READ, R32UI, inverse) P(WRITE, RGBA32F, place) \
    P(UINT, m) P(UINT, offset) P(FLOAT, step)

#define MDS_STRESS_TILE(P) MDS_TILES(P) P(WRITE, RG32F, partial) P(UINT, n) P(UINT, blocks)

#define MDS_ROW_STRESS(P)                                         \
    P(READ, RGBA32F, given) MDS_PAIRS(P) P(WRITE, RG32F, partial) \
    P(UINT, n) P(UINT, first)

#define MDS_PRODUCT(P)                                                             \
    P(READ, RGBA32F, given) P(READ, RGBA32F, thin) P(WRITE, RGBA32F, sums)        \
    P(UINT, rows) P(UINT, first) P(UINT, to) P(UINT, texels) P(UINT, quads)

#define MDS_ATTACH_TRY(P)                                                                       \
    P(READ, RGBA32F, place_in) P(READ, RGBA32F, wanted) P(READ, R32UI, other)                  \
    P(READ, RGBA32F, around) P(WRITE, RGBA32F, found)                                          \
    P(UINT, texels) P(UINT, dim) P(UINT, starts)

#define MDS_ATTACH(P)                                                                          \
    P(READ, RGBA32F, place_in) P(READ, RGBA32F, wanted) P(UPDATE, RGBA32F, found)              \
    P(UINT, texels) P(UINT, dim) P(UINT, starts) P(UINT, steps)

/* Ordinal scaling: pairs (distance's key, points), blocks of them (sums of w·d and of w), their beginnings. */
#define MDS_TIES(P) P(READ, RGBA32UI, items) P(WRITE, R32UI, heads) P(UINT, places)
#define MDS_SORT_FEW(P) P(UPDATE, RGBA32UI, items) P(UINT, n)
#define MDS_KEY(P)                                                                     \
    P(READ, RGBA32UI, items) P(READ, RGBA32F, place_in) P(READ, R32UI, heads)          \
    P(READ, R32UI, ties) P(WRITE, RGBA32UI, keyed) P(UINT, numbered)
#define MDS_WEIGHTED(P) \
    P(AXIS, WEIGHTED, 0, 1) P(READ, RGBA32F, place_in) P(READ_BY, WEIGHTED, weights, GPU_NONE, GPU_R32F)
#define MDS_BLOCKS(P) MDS_WEIGHTED(P) P(READ, RGBA32UI, items) P(WRITE, RG32F, blocks)
#define MDS_FALLS(P) P(READ, RG32F, blocks) P(WRITE, R32UI, heads) P(UINT, offset)
#define MDS_POOL(P)                                                                    \
    P(READ, RG32F, blocks) P(READ, R32UI, heads) P(READ, R32UI, places)                \
    P(READ, R32UI, begin) P(WRITE, RG32F, pooled) P(WRITE, R32UI, begins)              \
    P(UINT, n) P(UINT, first)
#define MDS_SPREAD(P)                                                                  \
    P(READ, RGBA32UI, items) P(READ, R32UI, begins) P(READ, R32F, values)              \
    P(WRITE, R32F, fitted) P(UINT, n) P(UINT, count)
#define MDS_PULL(P) MDS_WEIGHTED(P) P(READ, R32F, fitted) P(WRITE, RGBA32F, pulls) P(UINT, n)

#define MDS_PASSES(PASS)                                               \
    PASS(mds_product, "mds/product", GPU_GROUPS_OF(128), MDS_PRODUCT) \
    PASS(mds_attach_try, "mds/attach_try", GPU_GROUPS_OF(128), MDS_ATTACH_TRY) \
    PASS(mds_attach, "mds/attach", GPU_GROUPS_OF(128), MDS_ATTACH)     \
    PASS(mds_ties, "mds/ties", GPU_EACH_ELEMENT, MDS_TIES)             \
    PASS(mds_key, "mds/key", GPU_EACH_ELEMENT, MDS_KEY)                \
    PASS(mds_sort_few, "mds/sort_few", GPU_GROUPS_OF(128), MDS_SORT_FEW) \
    PASS(mds_blocks, "mds/blocks", GPU_EACH_ELEMENT, MDS_BLOCKS)       \
    PASS(mds_falls, "mds/falls", GPU_EACH_ELEMENT, MDS_FALLS)          \
    PASS(mds_pool, "mds/pool", GPU_GROUPS_OF(128), MDS_POOL)           \
    PASS(mds_spread, "mds/spread", GPU_GROUPS_OF(128), MDS_SPREAD)     \
    PASS(mds_pull, "mds/pull", GPU_GROUPS_OF(128), MDS_PULL)           \
    PASS(mds_sample, "mds/sample", GPU_EACH_ELEMENT, MDS_SAMPLE)       \
    PASS(mds_move, "mds/move", GPU_EACH_TEXEL, MDS_MOVE)               \
    PASS(mds_closing, "mds/closing", GPU_EACH_TEXEL, MDS_CLOSING_STEP) \
    PASS(mds_settle, "mds/settle", GPU_EACH_TEXEL, MDS_SETTLE)         \
    PASS(mds_closing_near, "mds/closing_near", GPU_GROUPS_OF(256), MDS_CLOSING_NEAR) \
    PASS(mds_stress_tile, "mds/stress_tile", GPU_GROUPS_OF(256), MDS_STRESS_TILE) \
    PASS(mds_estimate, "mds/estimate", GPU_EACH_ELEMENT, MDS_ESTIMATE) \
    PASS(mds_stress, "mds/stress", GPU_GROUPS_OF(128), MDS_STRESS)     \
    PASS(mds_row_stress, "mds/row_stress", GPU_GROUPS_OF(128) GPU_WITH("SOURCE=2"), MDS_ROW_STRESS)
/* clang-format on */
GPU_DECLARE_PASSES(MDS_PASSES, mds_passes)

#endif
