/* The passes of this folder, one table: what prim.h runs and what `make lint` validates. */
#ifndef GLSHAPE_PRIM_PASSES_H
#define GLSHAPE_PRIM_PASSES_H

#include "gpu/gpu.h"

/* Of a reduction, in the order of the kinds of item: floats, uints, pairs of floats, (bits, index). */
enum {
    PRIM_REDUCE_GROUP,
    PRIM_REDUCE_GROUP_UINT,
    PRIM_REDUCE_GROUP_PAIR,
    PRIM_REDUCE_GROUP_INDEXED,
    PRIM_REDUCE_GROUP_ARG, /* floats to (bits, index) */
    PRIM_REDUCE_FOUR,
    PRIM_REDUCE_FOUR_UINT,
    PRIM_REDUCE_FOUR_PAIR,
    PRIM_REDUCE_FOUR_INDEXED,
    PRIM_REDUCE_FOUR_ARG,
    PRIM_SCAN,
    PRIM_COMPACT,
    PRIM_FILL,
    PRIM_HISTOGRAM,
    PRIM_SORT,
    PRIM_SORT_WIDE,
    PRIM_RADIX_COUNT,
    PRIM_RADIX_MOVE,
    PRIM_TRANSPOSE,
    PRIM_TRANSPOSE_FLOAT,
    PRIM_ORDERED,
    PRIM_UNORDERED,
    PRIM_PASSES
};

extern const gpu_pass prim_passes[];
extern const int prim_pass_count;

/* Elements that one group of prim/reduce_group and prim/scan takes. */
#define PRIM_BLOCK 4096u

/* Groups that n elements need, never none: an empty input has a result too. */
static inline uint32_t prim_blocks(uint32_t n) { return n ? (n - 1) / PRIM_BLOCK + 1 : 1; }

#endif
