/* The passes of this folder. */
#ifndef GLSHAPE_ALPHA_PASSES_H
#define GLSHAPE_ALPHA_PASSES_H

#include "gpu/pass.h"

enum { ALPHA_LOCAL = 256, ALPHA_COMPARE_LOCAL = 64 }; /* invocations of a group */
static inline uint32_t alpha_groups(uint32_t n) { return n / ALPHA_LOCAL + (n % ALPHA_LOCAL != 0); }

/* clang-format off */
#define ALPHA_COUNT_EDGES(P) P(READ, R32UI, vertex) P(READ, R32UI, neighbor) P(WRITE, R32UI, count)

#define ALPHA_EDGES(P)                                                                                  \
    P(READ, R32UI, vertex) P(READ, R32UI, neighbor) P(READ, R32UI, start) P(WRITE, R32UI, half_edge)    \
    P(WRITE, RG32UI, ends) P(WRITE, R32UI, triangle_edge)                                                       \
    P(UINT, n)

/* LIMBS: what squared lengths and areas take; few sizes, for each is a program. */
#define ALPHA_KEYS(P)                                                                                   \
    P(AXIS, LIMBS, 2, 4, 5, 8)                                                                          \
    P(READ, RGBA32UI, points) P(READ, R32UI, vertex) P(READ, RG32UI, ends) P(READ, R32UI, triangle_edge)        \
    P(READ, R32UI, place) P(UPDATE, R32UI, unattached) P(WRITE, RGBA32UI, item)                         \
    P(UINT, first) P(UINT, end) P(UINT, edges) P(UINT, triangles)

#define ALPHA_CLOSE(P) P(READ, RGBA32UI, item) P(WRITE, R32UI, close) P(UINT, n) P(UINT, shift)

#define ALPHA_COMPARE(P)                                                                                \
    P(AXIS, LIMBS, 2, 4, 5, 8)                                                                          \
    P(READ, RGBA32UI, points) P(READ, R32UI, vertex) P(READ, RG32UI, ends) P(READ, R32UI, list)         \
    P(UPDATE, RGBA32UI, item) P(WRITE, R32UI, tie) P(ATOMIC, R32UI, state)                             \
    P(UINT, n) P(UINT, edges) P(UINT, parity)

#define ALPHA_PICK(P)                                                                                   \
    P(READ, RGBA32UI, item) P(READ, R32UI, list) P(READ, R32UI, vertex) P(READ, RG32UI, ends)           \
    P(WRITE, RGBA32UI, picked)                                                                          \
    P(UINT, edges)

#define ALPHA_PUT(P) P(READ, RGBA32UI, moved) P(WRITE, RGBA32UI, item) P(WRITE, R32UI, tie) P(UINT, n)

#define ALPHA_BEGINS(P) P(READ, R32UI, tie) P(WRITE, R32UI, begins)

#define ALPHA_RANKS(P)                                                                                  \
    P(READ, RGBA32UI, item) P(READ, R32UI, begins) P(READ, R32UI, before) P(WRITE, R32UI, rank)          \
    P(ATOMIC, R32UI, least)                                                                             \
    P(UINT, n)

#define ALPHA_FIRST_ITEMS(P)                                                                            \
    P(READ, RGBA32UI, item) P(READ, R32UI, begins) P(READ, R32UI, before) P(READ, R32UI, least)          \
    P(WRITE, RG32UI, radius) P(WRITE, R32UI, chosen)                                                    \
    P(UINT, n)

#define ALPHA_EDGE_INTERVALS(P)                                                                         \
    P(READ, R32UI, neighbor) P(READ, RG32UI, ends) P(READ, R32UI, half_edge) P(READ, R32UI, rank)       \
    P(WRITE, R32UI, edge_ranks) P(ATOMIC, R32UI, low) P(ATOMIC, R32UI, high)                            \
    P(UINT, edges)

#define ALPHA_TRIANGLE_INTERVALS(P)                                                                     \
    P(READ, R32UI, vertex) P(READ, R32UI, rank) P(ATOMIC, R32UI, high) P(ATOMIC, R32UI, solid)          \
    P(UINT, edges) P(UINT, triangles)

#define ALPHA_SAMPLE(P)                                                                                 \
    P(READ, RG32UI, radius) P(READ, R32UI, chosen) P(READ, R32UI, vertex) P(READ, RG32UI, ends)         \
    P(WRITE, RGBA32UI, sampled)                                                                         \
    P(UINT, start) P(UINT, stride) P(UINT, edges)

#define ALPHA_GREATEST(P) P(READ, RG32UI, radius) P(WRITE, RG32UI, found) P(UINT, n)

#define ALPHA_INSIDE(P)                                                                                 \
    P(READ, R32UI, rank) P(READ, R32UI, neighbor) P(ATOMIC, R32UI, label) P(ATOMIC, R32UI, state)       \
    P(UINT, edges) P(UINT, triangles) P(UINT, limit) P(UINT, step)

#define ALPHA_COUNT_SIDES(P)                                                                            \
    P(READ, R32UI, neighbor) P(READ, R32UI, label) P(WRITE, R32UI, count) P(WRITE, R32UI, root)    \
    P(UINT, triangles)

#define ALPHA_SIDES(P)                                                                                  \
    P(READ, R32UI, vertex) P(READ, R32UI, neighbor) P(READ, R32UI, label) P(READ, R32UI, first)         \
    P(READ, R32UI, number) P(WRITE, RGBA32UI, side) P(ATOMIC, R32UI, tally)                             \
    P(UINT, triangles)

#define ALPHA_TURN(P)                                                                                   \
    P(READ, R32UI, neighbor) P(READ, R32UI, label) P(READ, R32UI, first) P(UPDATE, RGBA32UI, side)      \
    P(ATOMIC, R32UI, state)                                                                             \
    P(UINT, sides)

#define ALPHA_SINGULAR(P)                                                                               \
    P(READ, R32UI, edge_ranks) P(READ, R32UI, low) P(WRITE, R32UI, flag)                                \
    P(UINT, n) P(UINT, limit) P(UINT, points)

#define ALPHA_LIST_SINGULAR(P)                                                                          \
    P(READ, R32UI, flag) P(READ, R32UI, place) P(READ, RG32UI, ends) P(WRITE, RG32UI, listed)           \
    P(UINT, n) P(UINT, points)

#define ALPHA_PASSES(PASS)                                                                              \
    PASS(alpha_count_edges, "alpha/edges", GPU_EACH_ELEMENT GPU_WITH("STEP=0"), ALPHA_COUNT_EDGES)      \
    PASS(alpha_edges, "alpha/edges", GPU_GROUPS_OF(ALPHA_LOCAL) GPU_WITH("STEP=1"), ALPHA_EDGES)        \
    PASS(alpha_keys, "alpha/keys", GPU_GROUPS_OF(ALPHA_LOCAL), ALPHA_KEYS)                              \
    PASS(alpha_close, "alpha/close", GPU_EACH_ELEMENT, ALPHA_CLOSE)                                     \
    PASS(alpha_compare, "alpha/compare", GPU_GROUPS_OF(ALPHA_COMPARE_LOCAL), ALPHA_COMPARE)             \
    PASS(alpha_pick, "alpha/pick", GPU_EACH_TEXEL, ALPHA_PICK)                                          \
    PASS(alpha_put, "alpha/put", GPU_GROUPS_OF(ALPHA_LOCAL), ALPHA_PUT)                                 \
    PASS(alpha_begins, "alpha/begins", GPU_EACH_ELEMENT, ALPHA_BEGINS)                                  \
    PASS(alpha_ranks, "alpha/ranks", GPU_GROUPS_OF(ALPHA_LOCAL) GPU_WITH("STEP=0"), ALPHA_RANKS)        \
    PASS(alpha_first_items, "alpha/ranks", GPU_GROUPS_OF(ALPHA_LOCAL) GPU_WITH("STEP=1"),               \
         ALPHA_FIRST_ITEMS)                                                                             \
    PASS(alpha_edge_intervals, "alpha/intervals", GPU_GROUPS_OF(ALPHA_LOCAL) GPU_WITH("EDGES=1"),       \
         ALPHA_EDGE_INTERVALS)                                                                          \
    PASS(alpha_triangle_intervals, "alpha/intervals", GPU_GROUPS_OF(ALPHA_LOCAL) GPU_WITH("EDGES=0"),   \
         ALPHA_TRIANGLE_INTERVALS)                                                                      \
    PASS(alpha_sample, "alpha/sample", GPU_EACH_TEXEL, ALPHA_SAMPLE)                                    \
    PASS(alpha_greatest, "alpha/greatest", GPU_GROUPS_OF(ALPHA_LOCAL), ALPHA_GREATEST)                  \
    PASS(alpha_inside, "alpha/inside", GPU_GROUPS_OF(ALPHA_LOCAL), ALPHA_INSIDE)                        \
    PASS(alpha_count_sides, "alpha/sides", GPU_GROUPS_OF(ALPHA_LOCAL) GPU_WITH("FILL=0"), ALPHA_COUNT_SIDES)  \
    PASS(alpha_sides, "alpha/sides", GPU_GROUPS_OF(ALPHA_LOCAL) GPU_WITH("FILL=1"), ALPHA_SIDES)        \
    PASS(alpha_turn, "alpha/turn", GPU_GROUPS_OF(ALPHA_LOCAL), ALPHA_TURN)                              \
    PASS(alpha_singular, "alpha/singular", GPU_GROUPS_OF(ALPHA_LOCAL) GPU_WITH("FILL=0"), ALPHA_SINGULAR) \
    PASS(alpha_list_singular, "alpha/singular", GPU_GROUPS_OF(ALPHA_LOCAL) GPU_WITH("FILL=1"),          \
         ALPHA_LIST_SINGULAR)
/* clang-format on */
GPU_DECLARE_PASSES(ALPHA_PASSES, alpha_passes)

#endif
