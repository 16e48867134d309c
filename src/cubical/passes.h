/* The passes of this folder. */
#ifndef GLSHAPE_CUBICAL_PASSES_H
#define GLSHAPE_CUBICAL_PASSES_H

#include "gpu/pass.h"

#define CUBICAL_RUN 16u    /* vertices an invocation takes: RUN of field/column.glsl */
#define CUBICAL_LOCAL 256u /* invocations of a group */
#define CUBICAL_FLOW_LOCAL 64u

/* clang-format off */
#define CUBICAL_EDGES(P)                                                                                     \
    P(READ, R32UI, key) P(WRITE, RGBA32UI, left) P(ATOMIC, R32UI, state)                                     \
    P(UINT, nx) P(UINT, ny) P(UINT, nz) P(UINT, periodic) P(UINT, order_start) P(UINT, lo) P(UINT, hi) \
    P(UINT, room)

#define CUBICAL_JOINS(P)                                                                               \
    P(AXIS, KEYS, 0, 1)                                                                                \
    P(READ, R32UI, basin) P(READ, RGBA32UI, left) P(READ_BY, KEYS, key, GPU_NONE, GPU_R32UI)           \
    P(WRITE, RGBA32UI, edges) P(ATOMIC, R32UI, state)                                                  \
    P(UINT, nx) P(UINT, ny) P(UINT, nz) P(UINT, periodic) P(UINT, count) P(UINT, room)

#define CUBICAL_JOINED(P)                                                                              \
    P(READ, R32UI, basin) P(READ, RGBA32UI, forest) P(UPDATE, RGBA32UI, left) P(ATOMIC, R32UI, state)  \
    P(UINT, nx) P(UINT, ny) P(UINT, nz) P(UINT, periodic) P(UINT, count) P(UINT, owners)

#define CUBICAL_STARS(P) \
    P(READ, R32UI, key) P(WRITE, R32UI, star) P(UINT, nx) P(UINT, ny) P(UINT, nz) P(UINT, periodic) P(UINT, order_start)

#define CUBICAL_FLOW(P)                                                                                      \
    P(READ, R32UI, key) P(READ, R32UI, star) P(READ, RG32UI, edges) P(READ, R32UI, ended) P(WRITE, RG32UI, columns)               \
    P(WRITE, RG32UI, entries) P(ATOMIC, R32UI, counts)                                                       \
    P(UINT, nx) P(UINT, ny) P(UINT, nz) P(UINT, periodic) P(UINT, count) P(UINT, room) P(UINT, most)         \
    P(UINT, share) P(UINT, filter_ended)

#define CUBICAL_FLOW_ON(P)                                                                                   \
    P(READ, R32UI, key) P(READ, R32UI, star) P(READ, R32UI, ended) P(READ, R32UI, working)                   \
    P(UPDATE, RG32UI, columns) P(UPDATE, RG32UI, entries) P(WRITE, R32UI, pending) P(ATOMIC, R32UI, counts)                             \
    P(UINT, nx) P(UINT, ny) P(UINT, nz) P(UINT, periodic) P(UINT, round) P(UINT, listed) P(UINT, most)       \
    P(UINT, brief) P(UINT, room) P(UINT, filter_ended)

#define CUBICAL_CLAIM(P)                                                                                     \
    P(READ, R32UI, key) P(READ, RG32UI, edges) P(READ, R32UI, working) P(READ, RG32UI, entries)               \
    P(UPDATE, RG32UI, columns) P(ATOMIC, R32UI, slots) P(WRITE, R32UI, claimed) P(WRITE, R32UI, next)        \
    P(ATOMIC, R32UI, counts)                                                                                 \
    P(UINT, round) P(UINT, listed) P(UINT, slot_bits) P(UINT, most)

#define CUBICAL_ADD(P)                                                                                       \
    P(READ, R32UI, key) P(READ, R32UI, working) P(READ, R32UI, slots) P(READ, R32UI, claimed)                \
    P(UPDATE, RG32UI, columns) P(UPDATE, RG32UI, entries) P(WRITE, R32UI, next) P(WRITE, R32UI, longs)       \
    P(ATOMIC, R32UI, counts)                                                                                 \
    P(UINT, round) P(UINT, listed) P(UINT, brief) P(UINT, room)

#define CUBICAL_ADD_LONG(P)                                                                                  \
    P(READ, R32UI, key) P(READ, R32UI, working) P(READ, R32UI, slots) P(READ, R32UI, claimed)                \
    P(READ, R32UI, longs) P(READ, R32UI, pending) P(UPDATE, RG32UI, columns) P(UPDATE, RG32UI, entries)      \
    P(WRITE, R32UI, next) P(ATOMIC, R32UI, counts)                                                                                 \
    P(UINT, round) P(UINT, listed) P(UINT, longest) P(UINT, room) P(UINT, all_groups)

#define CUBICAL_PACK(P)                                                                                      \
    P(UPDATE, RG32UI, columns) P(READ, RG32UI, entries) P(WRITE, RG32UI, packed) P(ATOMIC, R32UI, counts)    \
    P(UINT, count) P(UINT, room)

#define CUBICAL_PAIRS(P)                                                                                 \
    P(READ, R32UI, key) P(READ, RG32UI, edges) P(READ, RG32UI, columns) P(READ, RG32UI, entries)             \
    P(WRITE, RGBA32UI, pairs) P(UINT, count)

#define CUBICAL_SPREAD(P)                                                                                \
    P(AXIS, LISTS, 0, 1)                                                                                     \
    P(READ, R32UI, key) P(READ, RGBA32UI, left) P(READ_BY, LISTS, starts, GPU_NONE, GPU_R32UI)               \
    P(WRITE_BY, LISTS, amounts, GPU_R32UI, GPU_NONE) P(WRITE_BY, LISTS, edges, GPU_NONE, GPU_RG32UI)         \
    P(UINT, count) P(UINT, outside) P(UINT, room)

#define CUBICAL_PATCH(P) \
    P(READ, R32UI, key) P(READ, RG32UI, patches) P(UPDATE, RGBA32UI, pairs) P(UINT, count)

#define CUBICAL_SETTLE(P)                                                                                \
    P(UPDATE, RGBA32UI, pairs) P(ATOMIC, R32UI, ended) P(WRITE, RG32UI, others) P(ATOMIC, R32UI, state)      \
    P(UINT, nx) P(UINT, ny) P(UINT, nz) P(UINT, outside) P(UINT, turned) P(UINT, counts) P(UINT, unused) P(UINT, vertices) P(UINT, count)

#define CUBICAL_INTERVALS(P)                                                                             \
    P(READ, RGBA32UI, pairs) P(WRITE, RGBA32UI, rows) P(UINT, count) P(UINT, dimension) P(UINT, kind) P(UINT, flip)

#define CUBICAL_REVERSE(P) \
    P(READ, R32UI, key) P(WRITE, R32UI, reversed) P(UINT, nx) P(UINT, ny) P(UINT, nz) P(UINT, outside) P(UINT, unused)

#define CUBICAL_PASSES(PASS)                                                        \
    PASS(cubical_edges, "cubical/edges", GPU_GROUPS_OF(256), CUBICAL_EDGES)         \
    PASS(cubical_joins, "cubical/joins", GPU_GROUPS_OF(256) GPU_WITH("HOOD=6"), CUBICAL_JOINS) \
    PASS(cubical_joined, "cubical/joined", GPU_GROUPS_OF(256) GPU_WITH("HOOD=6"), CUBICAL_JOINED) \
    PASS(cubical_stars, "cubical/stars", GPU_GROUPS_OF(256), CUBICAL_STARS)         \
    PASS(cubical_flow, "cubical/flow", GPU_GROUPS_OF(64), CUBICAL_FLOW) \
    PASS(cubical_flow_on, "cubical/flow_on", GPU_GROUPS_OF(64), CUBICAL_FLOW_ON) \
    PASS(cubical_claim, "cubical/claim", GPU_GROUPS_OF(256), CUBICAL_CLAIM) \
    PASS(cubical_add, "cubical/add", GPU_GROUPS_OF(256), CUBICAL_ADD) \
    PASS(cubical_add_long, "cubical/add_long", GPU_GROUPS_OF(256), CUBICAL_ADD_LONG) \
    PASS(cubical_pack, "cubical/pack", GPU_GROUPS_OF(256), CUBICAL_PACK) \
    PASS(cubical_pairs, "cubical/pairs", GPU_GROUPS_OF(256), CUBICAL_PAIRS) \
    PASS(cubical_spread, "cubical/spread", GPU_GROUPS_OF(256), CUBICAL_SPREAD) \
    PASS(cubical_patch, "cubical/patch", GPU_GROUPS_OF(256), CUBICAL_PATCH) \
    PASS(cubical_settle, "cubical/settle", GPU_GROUPS_OF(256), CUBICAL_SETTLE) \
    PASS(cubical_intervals, "cubical/intervals", GPU_GROUPS_OF(256), CUBICAL_INTERVALS) \
    PASS(cubical_reverse, "cubical/reverse", GPU_GROUPS_OF(256), CUBICAL_REVERSE)
/* clang-format on */
GPU_DECLARE_PASSES(CUBICAL_PASSES, cubical_passes)

#endif
