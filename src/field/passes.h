/* The passes of this folder. */
#ifndef GLSHAPE_FIELD_PASSES_H
#define GLSHAPE_FIELD_PASSES_H

#include "gpu/pass.h"

/* clang-format off */
#define FIELD_STEEPEST(P)                                                                              \
    P(AXIS, HOOD, 6, 14, 18, 26)                                                                           \
    P(READ, R32UI, key) P(WRITE, R32UI, basin) P(WRITE, R32UI, candidates) P(ATOMIC, R32UI, state)         \
    P(UINT, n) P(UINT, nx) P(UINT, ny) P(UINT, nz) P(UINT, periodic) P(UINT, order_start) P(UINT, lo) P(UINT, hi) \
    P(UINT, room)

#define FIELD_LEAST(P) P(READ, RG32UI, links) P(READ, R32UI, key) P(ATOMIC, R32UI, least) P(UINT, count)

#define FIELD_LOWEST(P)                                                                  \
    P(READ, RG32UI, links) P(READ, R32UI, key) P(READ, R32UI, least) P(ATOMIC, R32UI, basin) \
    P(UINT, count)

#define FIELD_NUMBER(P) P(UPDATE, R32UI, basin) P(ATOMIC, R32UI, state) P(UINT, n)

#define FIELD_LINK_SADDLES(P)                                                              \
    P(READ, RG32UI, links) P(READ, R32UI, key) P(READ, R32UI, basin) P(WRITE, RGBA32UI, edges) \
    P(ATOMIC, R32UI, state)                                                                    \
    P(UINT, count) P(UINT, room)

#define FIELD_COMPRESS(P)                                                   \
    P(UPDATE, R32UI, basin) P(WRITE, R32UI, minimum) P(ATOMIC, R32UI, state) \
    P(UINT, n) P(UINT, begin)

#define FIELD_SADDLES(P)                                                                       \
    P(AXIS, HOOD, 6, 14, 18, 26)                                                                   \
    P(READ, R32UI, key) P(READ, R32UI, basin) P(READ, R32UI, candidates) P(WRITE, RGBA32UI, edges) \
    P(ATOMIC, R32UI, state)                                                                        \
    P(UINT, n) P(UINT, nx) P(UINT, ny) P(UINT, nz) P(UINT, periodic) P(UINT, order_start) P(UINT, count)  \
    P(UINT, room)

#define FIELD_TURN(P) P(READ, R32UI, key) P(WRITE, R32UI, turned) P(UINT, n)

#define FIELD_WIDEN(P)                                                                        \
    P(READ, R32UI, words) P(WRITE, R32UI, key) P(UINT, n) P(UINT, shift) P(UINT, sign) P(UINT, flip)

#define FIELD_PASSES(PASS) \
    PASS(field_steepest, "field/steepest", GPU_GROUPS_OF(256), FIELD_STEEPEST) \
    PASS(field_least, "field/links", GPU_GROUPS_OF(256) GPU_WITH("STEP=0"), FIELD_LEAST) \
    PASS(field_lowest, "field/links", GPU_GROUPS_OF(256) GPU_WITH("STEP=1"), FIELD_LOWEST) \
    PASS(field_number, "field/number", GPU_GROUPS_OF(256), FIELD_NUMBER) \
    PASS(field_link_saddles, "field/links", GPU_GROUPS_OF(256) GPU_WITH("STEP=2"), FIELD_LINK_SADDLES) \
    PASS(field_compress, "field/compress", GPU_GROUPS_OF(256), FIELD_COMPRESS) \
    PASS(field_saddles, "field/saddles", GPU_GROUPS_OF(256), FIELD_SADDLES) \
    PASS(field_turn, "field/turn", GPU_GROUPS_OF(256), FIELD_TURN) \
    PASS(field_widen, "field/widen", GPU_GROUPS_OF(256), FIELD_WIDEN)
/* clang-format on */
GPU_DECLARE_PASSES(FIELD_PASSES, field_passes)

/* Vertices that an invocation of field_steepest takes: RUN of steepest.glsl. */
#define FIELD_RUN 16u
/* Invocations of a group; each takes one element. */
#define FIELD_LOCAL 256u
static inline uint32_t field_groups(uint32_t n) { return n / FIELD_LOCAL + (n % FIELD_LOCAL != 0); }

#endif
