/* The passes of this folder. */
#ifndef GLSHAPE_RIPS_PASSES_H
#define GLSHAPE_RIPS_PASSES_H

#include "gpu/pass.h"

#define RIPS_LOCAL 64u      /* invocations a group */
#define RIPS_MOST_ROOM 6144 /* points of a lune that a group has room for in shared memory */

/* clang-format off */
#define RIPS_EDGES(P)                                                          \
    P(READ, RGBA32F, dist) P(WRITE, RGBA32UI, columns) P(ATOMIC, R32UI, found) \
    P(UINT, n) P(FLOAT, threshold) P(UINT, first) P(UINT, count) P(UINT, room)

#define RIPS_CANDIDATES(P)                                                \
    P(SIZE, WORDS, 8, 256) P(SIZE, ROOM, 256, 6144)                       \
    P(READ, RGBA32F, dist) P(READ, RG32UI, edges) P(WRITE, RG32UI, found) \
    P(UINT, n)

#define RIPS_COLUMNS(P)                                                                                  \
    P(SIZE, WORDS, 8, 256) P(SIZE, ROOM, 256, 6144) P(SIZE, EXTRA, 1, 2, 3, 4, 7)                        \
    P(READ, RGBA32F, dist) P(READ, RG32UI, binomial) P(READ, RGBA32UI, work) P(WRITE, RGBA32UI, columns) \
    P(ATOMIC, R32UI, found)                                                                              \
    P(UINT, n) P(UINT, span) P(UINT, room)

#define RIPS_PASSES(PASS)                                                                \
    PASS(rips_edges, "rips/edges", GPU_GROUPS_OF(RIPS_LOCAL), RIPS_EDGES)                \
    PASS(rips_candidates, "rips/candidates", GPU_GROUPS_OF(RIPS_LOCAL), RIPS_CANDIDATES) \
    PASS(rips_columns, "rips/columns", GPU_GROUPS_OF(RIPS_LOCAL), RIPS_COLUMNS)
/* clang-format on */
GPU_DECLARE_PASSES(RIPS_PASSES, rips_passes)

/* WORDS of the passes for n points, and their ROOM. */
static inline int rips_words(uint32_t n) {
    int words = 8;
    while (32 * (uint32_t)words < n) words *= 2;
    return words;
}
static inline int rips_room(int words) { return 32 * words < RIPS_MOST_ROOM ? 32 * words : RIPS_MOST_ROOM; }

#endif
