/* The passes of this folder. */
#ifndef GLSHAPE_HDBSCAN_PASSES_H
#define GLSHAPE_HDBSCAN_PASSES_H

#include "gpu/pass.h"
#include "hdbscan/hdbscan.h"

/* clang-format off */
/* What tells which nodes stay together (glsl/hdbscan/stays.glsl). count: of merges. */
#define HDBSCAN_STAYS(P)                                                                               \
    P(READ, R32UI, child) P(READ, R32UI, size) P(READ, R32UI, up)                                      \
    P(UINT, n) P(UINT, count) P(UINT, zeros) P(UINT, least)
#define HDBSCAN_HANG(P) P(READ, R32UI, child) P(WRITE, R32UI, up) P(UINT, n) P(UINT, count)
#define HDBSCAN_MARK(P)                                                                                \
    HDBSCAN_STAYS(P) P(READ, RGBA32UI, items) P(WRITE, RG32UI, lambdas) P(WRITE, RG32UI, links)        \
    P(WRITE, R32UI, large) P(WRITE, R32UI, split)
#define HDBSCAN_JUMP(P)                                                                                \
    P(READ, RG32UI, links) P(WRITE, RG32UI, next) P(ATOMIC, R32UI, counts) P(UINT, count)
#define HDBSCAN_NUMBER(P)                                                                              \
    HDBSCAN_STAYS(P) P(READ, RG32UI, links) P(READ, R32UI, order) P(READ, R32UI, splits_before)        \
    P(WRITE, R32UI, of) P(WRITE, RGBA32UI, chains) P(WRITE, RGBA32UI, leavers)                         \
    P(WRITE, R32UI, firsts) P(WRITE, R32UI, lasts) P(UINT, large_count)
#define HDBSCAN_TERMS(P)                                                                               \
    HDBSCAN_STAYS(P) P(READ, RGBA32UI, chains) P(READ, RG32UI, lambdas) P(READ, R32UI, firsts)         \
    P(WRITE, R32UI, starts) P(WRITE, RG32UI, terms) P(UINT, large_count)
#define HDBSCAN_SUM(P)                                                                                 \
    P(READ, RGBA32UI, chains) P(READ, R32UI, starts) P(UPDATE, RG32UI, terms)                          \
    P(UINT, large_count) P(UINT, clusters) P(UINT, stride)
#define HDBSCAN_CLUSTERS(P)                                                                            \
    P(READ, R32UI, up) P(READ, R32UI, of) P(READ, R32UI, firsts) P(READ, R32UI, lasts)                 \
    P(READ, R32UI, starts) P(READ, RG32UI, terms) P(WRITE, RGBA32UI, facts) P(UINT, n) P(UINT, clusters)
#define HDBSCAN_ROWS(P)                                                                                \
    P(READ, RGBA32UI, leavers) P(READ, R32UI, of) P(READ, R32UI, size) P(READ, R32UI, firsts)          \
    P(READ, RG32UI, lambdas) P(WRITE, RG32UI, rows) P(WRITE, R32UI, holders)                           \
    P(UINT, n) P(UINT, count) P(UINT, row_count)
#define HDBSCAN_MEMBER(P)                                                                              \
    P(READ, R32UI, holders) P(READ, R32UI, of) P(READ, RG32UI, lambdas) P(READ, RGBA32UI, marks)       \
    P(UINT, n) P(UINT, until_low) P(UINT, until_high)
#define HDBSCAN_APPEAR(P) HDBSCAN_MEMBER(P) P(ATOMIC, R32UI, appears)
#define HDBSCAN_SCORE(P)                                                                               \
    HDBSCAN_MEMBER(P) P(READ, RGBA32UI, scales) P(WRITE, R32UI, labels) P(WRITE, RG32UI, scores)       \
    P(WRITE, RG32UI, outliers) P(WRITE, R32UI, exemplary)

/* Memberships (membership_by_passes.c). quads, pairs: texels of a row. */
#define HDBSCAN_CLOSEST(P)                                                                             \
    P(READ, RGBA32F, points) P(READ, RGBA32F, exemplars) P(READ, RG32UI, pieces) P(READ, R32UI, spans) \
    P(WRITE, R32UI, closest) P(UINT, rows) P(UINT, row_groups) P(UINT, quads)                          \
    P(FLOAT, constant) P(FLOAT, linear) P(FLOAT, relative)
#define HDBSCAN_APART(P)                                                                               \
    P(READ, RGBA32UI, points) P(READ, RGBA32UI, exemplars) P(READ, RG32UI, pieces) P(READ, R32UI, first) \
    P(READ, R32UI, closest) P(WRITE, RG32UI, apart) P(WRITE, R32UI, troubles)                          \
    P(UINT, rows) P(UINT, row_groups) P(UINT, pairs) P(UINT, most_turns) P(UINT, angular) P(UINT, unit_low) P(UINT, unit_high)
#define HDBSCAN_STRONGEST(P)                                                                           \
    P(SIZE, TOP, 1, 5) P(UPDATE, RG32UI, apart) P(READ, RGBA32UI, facts) P(READ, RG32UI, weights)      \
    P(READ, R32UI, troubles) P(WRITE, RGBA32UI, strongest) P(UINT, rows) P(UINT, clusters)

#define HDBSCAN_PASSES(PASS)                                                     \
    PASS(hdbscan_hang, "hdbscan/hang", GPU_GROUPS_OF(256), HDBSCAN_HANG)             \
    PASS(hdbscan_mark, "hdbscan/mark", GPU_GROUPS_OF(256), HDBSCAN_MARK)             \
    PASS(hdbscan_jump, "hdbscan/jump", GPU_GROUPS_OF(256), HDBSCAN_JUMP)             \
    PASS(hdbscan_number, "hdbscan/number", GPU_GROUPS_OF(256), HDBSCAN_NUMBER)       \
    PASS(hdbscan_terms, "hdbscan/terms", GPU_GROUPS_OF(256), HDBSCAN_TERMS)          \
    PASS(hdbscan_sums, "hdbscan/sum", GPU_GROUPS_OF(256), HDBSCAN_SUM)               \
    PASS(hdbscan_clusters, "hdbscan/clusters", GPU_GROUPS_OF(256), HDBSCAN_CLUSTERS) \
    PASS(hdbscan_rows, "hdbscan/rows", GPU_GROUPS_OF(256), HDBSCAN_ROWS)             \
    PASS(hdbscan_appear, "hdbscan/appear", GPU_GROUPS_OF(256), HDBSCAN_APPEAR)       \
    PASS(hdbscan_score, "hdbscan/score", GPU_GROUPS_OF(256), HDBSCAN_SCORE)          \
    PASS(hdbscan_closest, "hdbscan/closest", GPU_GROUPS_OF(256), HDBSCAN_CLOSEST)    \
    PASS(hdbscan_apart, "hdbscan/apart", GPU_GROUPS_OF(256) GPU_WITH("POWER=2"), HDBSCAN_APART) \
    PASS(hdbscan_strongest, "hdbscan/strongest", GPU_GROUPS_OF(256), HDBSCAN_STRONGEST)
/* clang-format on */
GPU_DECLARE_PASSES(HDBSCAN_PASSES, hdbscan_passes)

/* Invocations of a group; each takes one element. */
#define HDBSCAN_LOCAL 256u
static inline uint32_t hdbscan_groups(uint32_t n) { return (n - 1) / HDBSCAN_LOCAL + 1; }

/* *why stays, if it is for the device, where the driver runs the programs of clusters_by_passes.c rightly.
 * (check.c) */
glshape_status hdbscan_trusts(gpu *g, run_why *why);

#endif
