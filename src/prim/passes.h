/* The passes of this folder. */
#ifndef GLSHAPE_PRIM_PASSES_H
#define GLSHAPE_PRIM_PASSES_H

#include "gpu/pass.h"
#include "prim/prim.h"

/* REDUCTION is 4 × the kind of the items + prim_op. Below: the values there are, and what is read and written
 * in each.
 */
enum { PRIM_FLOAT, PRIM_UINT, PRIM_PAIR, PRIM_INDEXED };
#define PRIM_UINT_SUM (4 * PRIM_UINT + PRIM_SUM)
#define PRIM_REDUCTIONS                                                                             \
    4 * PRIM_FLOAT + PRIM_SUM, 4 * PRIM_FLOAT + PRIM_MIN, 4 * PRIM_FLOAT + PRIM_MAX, PRIM_UINT_SUM, \
        4 * PRIM_UINT + PRIM_MIN, 4 * PRIM_UINT + PRIM_MAX, 4 * PRIM_PAIR + PRIM_SUM,               \
        4 * PRIM_INDEXED + PRIM_ARG_MIN, 4 * PRIM_FLOAT + PRIM_ARG_MIN
#define PRIM_REDUCED \
    GPU_R32F, GPU_R32F, GPU_R32F, GPU_R32UI, GPU_R32UI, GPU_R32UI, GPU_RG32F, GPU_RG32UI, GPU_R32F
#define PRIM_RESULTS \
    GPU_R32F, GPU_R32F, GPU_R32F, GPU_R32UI, GPU_R32UI, GPU_R32UI, GPU_RG32F, GPU_RG32UI, GPU_RG32UI

/* clang-format off */
#define PRIM_REDUCE_GROUP(P)                                                                 \
    P(AXIS, REDUCTION, PRIM_REDUCTIONS)                                                      \
    P(READ_BY, REDUCTION, source, PRIM_REDUCED) P(WRITE_BY, REDUCTION, result, PRIM_RESULTS) \
    P(UINT, n) P(UINT, at)

#define PRIM_REDUCE_FOUR(P)                                                                  \
    P(AXIS, REDUCTION, PRIM_REDUCTIONS)                                                      \
    P(READ_BY, REDUCTION, source, PRIM_REDUCED) P(WRITE_BY, REDUCTION, result, PRIM_RESULTS) \
    P(UINT, n) P(UINT, at) P(UINT, bit)

#define PRIM_SCAN(P)                                                                          \
    P(READ, R32UI, source) P(READ, R32UI, carry) P(WRITE, R32UI, sums) P(WRITE, R32UI, total) \
    P(UINT, n) P(UINT, carried) P(UINT, at)

#define PRIM_COMPACT(P)                                                                     \
    P(AXIS, COPY, 0, 1)                                                                     \
    P(READ, R32UI, source) P(READ, R32UI, carry) P(READ, R32UI, from) P(WRITE, R32UI, kept) \
    P(WRITE, R32UI, total)                                                                  \
    P(UINT, n) P(UINT, carried) P(UINT, at) P(UINT, room)

#define PRIM_FILL(P) P(WRITE, R32UI, filled) P(UINT, value)

#define PRIM_HISTOGRAM(P)                       \
    P(AXIS, PRIVATE, 0, 1)                      \
    P(READ, R32UI, keys) P(ATOMIC, R32UI, bins) \
    P(UINT, n) P(UINT, span) P(UINT, shift) P(UINT, mask)

#define PRIM_SORT(P)                                                         \
    P(AXIS, WIDE, 0, 1) P(AXIS, MERGE, 0, 1)                                 \
    P(UPDATE_BY, WIDE, keys, GPU_R32UI, GPU_RG32UI) P(UPDATE, R32UI, values) \
    P(UINT, n) P(UINT, bit) P(UINT, run) P(UINT, reversed)

#define PRIM_RADIX_COUNT(P)                          \
    P(READ, RGBA32UI, items) P(WRITE, R32UI, counts) \
    P(UINT, n) P(UINT, parts) P(UINT, span) P(UINT, shift)

#define PRIM_RADIX_MOVE(P)                                                    \
    P(READ, RGBA32UI, items) P(READ, R32UI, counts) P(WRITE, RGBA32UI, moved) \
    P(UINT, n) P(UINT, parts) P(UINT, span) P(UINT, shift)

#define PRIM_TRANSPOSE(P)                                                                                \
    P(AXIS, FLOAT, 0, 1)                                                                                 \
    P(READ_BY, FLOAT, keys, GPU_R32UI, GPU_R32F) P(READ, R32UI, values)                                  \
    P(WRITE_BY, FLOAT, new_keys, GPU_R32UI, GPU_R32F) P(WRITE, R32UI, new_values) P(WRITE, R32UI, moved) \
    P(UINT, n)

#define PRIM_ORDERED(P) P(READ, R32F, source) P(WRITE, R32UI, result)

#define PRIM_UNORDERED(P) P(READ, R32UI, source) P(WRITE, R32F, result)

#define PRIM_PASSES(PASS)                                                                        \
    PASS(prim_reduce_group, "prim/reduce_group", GPU_GROUPS_OF(256), PRIM_REDUCE_GROUP)          \
    PASS(prim_reduce_four, "prim/reduce_four", GPU_EACH_ELEMENT, PRIM_REDUCE_FOUR)               \
    PASS(prim_scan, "prim/scan", GPU_GROUPS_OF(256) GPU_WITH("COMPACT=0"), PRIM_SCAN)            \
    PASS(prim_compact, "prim/scan", GPU_GROUPS_OF(256) GPU_WITH("COMPACT=1"), PRIM_COMPACT)      \
    PASS(prim_fill, "prim/fill", GPU_EACH_ELEMENT, PRIM_FILL)                                    \
    PASS(prim_histogram, "prim/histogram", GPU_GROUPS_OF(256), PRIM_HISTOGRAM)                   \
    PASS(prim_sort, "prim/sort", GPU_GROUPS_OF(256), PRIM_SORT)                                  \
    PASS(prim_radix_count, "prim/radix", GPU_GROUPS_OF(32) GPU_WITH("MOVE=0"), PRIM_RADIX_COUNT) \
    PASS(prim_radix_move, "prim/radix", GPU_GROUPS_OF(32) GPU_WITH("MOVE=1"), PRIM_RADIX_MOVE)   \
    PASS(prim_transpose, "prim/transpose", GPU_EACH_ELEMENT, PRIM_TRANSPOSE)                     \
    PASS(prim_ordered, "prim/keys", GPU_EACH_ELEMENT GPU_WITH("INVERSE=0"), PRIM_ORDERED)        \
    PASS(prim_unordered, "prim/keys", GPU_EACH_ELEMENT GPU_WITH("INVERSE=1"), PRIM_UNORDERED)
/* clang-format on */
GPU_DECLARE_PASSES(PRIM_PASSES, prim_passes)

/* How many elements one group of prim/reduce_group and prim/scan takes. */
#define PRIM_BLOCK 4096u

/* How many groups n elements need: at least one, as an empty input has a result too. */
static inline uint32_t prim_blocks(uint32_t n) { return n ? (n - 1) / PRIM_BLOCK + 1 : 1; }

#endif
