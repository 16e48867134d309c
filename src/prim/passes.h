/* The passes of this folder. */
#ifndef GLSHAPE_PRIM_PASSES_H
#define GLSHAPE_PRIM_PASSES_H

#include "gpu/pass.h"
#include "prim/prim.h"

/* clang-format off */
/* What is added up: integers, mod 2^32, or two floats. */
#define PRIM_REDUCE_GROUP(P)                                                                                \
    P(AXIS, PAIR, 0, 1)                                                                                     \
    P(READ_BY, PAIR, source, GPU_R32UI, GPU_RG32F) P(WRITE_BY, PAIR, result, GPU_R32UI, GPU_RG32F)          \
    P(UINT, n) P(UINT, at)

#define PRIM_REDUCE_FOUR(P)                                                                                 \
    P(AXIS, PAIR, 0, 1)                                                                                     \
    P(READ_BY, PAIR, source, GPU_R32UI, GPU_RG32F) P(WRITE_BY, PAIR, result, GPU_R32UI, GPU_RG32F)          \
    P(UINT, n) P(UINT, at) P(UINT, bit)

#define PRIM_SCAN(P)                                                                          \
    P(READ, R32UI, source) P(READ, R32UI, carry) P(WRITE, R32UI, sums) P(WRITE, R32UI, total) \
    P(UINT, n) P(UINT, carried) P(UINT, at)

#define PRIM_COMPACT(P)                                                                     \
    P(AXIS, COPY, 0, 1)                                                                     \
    P(READ, R32UI, source) P(READ, R32UI, carry) P(READ, R32UI, from) P(WRITE, R32UI, kept) \
    P(WRITE, R32UI, total)                                                                  \
    P(UINT, n) P(UINT, carried) P(UINT, at) P(UINT, room)

/* Element e becomes value + step · e. */
#define PRIM_FILL(P) P(WRITE, R32UI, filled) P(UINT, value) P(UINT, step)

#define PRIM_RADIX_COUNT(P)                          \
    P(READ, RGBA32UI, items) P(WRITE, R32UI, counts) \
    P(UINT, n) P(UINT, parts) P(UINT, shift)

#define PRIM_RADIX_MOVE(P)                                                    \
    P(READ, RGBA32UI, items) P(READ, R32UI, counts) P(WRITE, RGBA32UI, moved) \
    P(UINT, n) P(UINT, parts) P(UINT, shift)

#define PRIM_PASSES(PASS)                                                                        \
    PASS(prim_reduce_group, "prim/reduce_group", GPU_GROUPS_OF(256), PRIM_REDUCE_GROUP)          \
    PASS(prim_reduce_four, "prim/reduce_four", GPU_EACH_ELEMENT, PRIM_REDUCE_FOUR)               \
    PASS(prim_scan, "prim/scan", GPU_GROUPS_OF(256) GPU_WITH("COMPACT=0"), PRIM_SCAN)            \
    PASS(prim_compact, "prim/scan", GPU_GROUPS_OF(256) GPU_WITH("COMPACT=1"), PRIM_COMPACT)      \
    PASS(prim_fill, "prim/fill", GPU_EACH_ELEMENT, PRIM_FILL)                                    \
    PASS(prim_radix_count, "prim/radix", GPU_GROUPS_OF(256) GPU_WITH("MOVE=0"), PRIM_RADIX_COUNT)\
    PASS(prim_radix_move, "prim/radix", GPU_GROUPS_OF(256) GPU_WITH("MOVE=1"), PRIM_RADIX_MOVE)
/* clang-format on */
GPU_DECLARE_PASSES(PRIM_PASSES, prim_passes)

/* How many elements one group of prim/reduce_group and prim/scan takes. */
#define PRIM_BLOCK 4096u

/* How many groups n elements need: at least one, as an empty input has a result too. */
static inline uint32_t prim_blocks(uint32_t n) { return n ? (n - 1) / PRIM_BLOCK + 1 : 1; }

#endif
