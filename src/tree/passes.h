/* The passes of this folder. */
#ifndef GLSHAPE_TREE_PASSES_H
#define GLSHAPE_TREE_PASSES_H

#include "gpu/pass.h"
#include "tree/tree.h"

/* clang-format off */
#define TREE_NEAREST_KEY(P) P(READ, RGBA32UI, edges) P(ATOMIC, R32UI, key) P(UINT, count)

#define TREE_NEAREST_TO(P) P(READ, RGBA32UI, edges) P(READ, R32UI, key) P(ATOMIC, R32UI, to) P(UINT, count)

#define TREE_ALIVE(P) P(READ, RGBA32UI, edges) P(READ, R32UI, label) P(WRITE, R32UI, alive)

#define TREE_GATHER(P) P(READ, RGBA32UI, edges) P(READ, R32UI, kept) P(WRITE, RGBA32UI, gathered)

#define TREE_DENSE(P)                                                                             \
    P(AXIS, PACKED, 0, 1)                                                                         \
    P(READ_BY, PACKED, matrix, GPU_R32F, GPU_RGBA32F) P(READ, R32UI, label) P(UPDATE, R32UI, key) \
    P(UPDATE, R32UI, to)                                                                          \
    P(UINT, n) P(UINT, maximum)

#define TREE_LEAST_KEY(P) P(READ, R32UI, key) P(READ, R32UI, label) P(ATOMIC, R32UI, best_key) P(UINT, n)

#define TREE_LEAST_LO(P)                                                                  \
    P(READ, R32UI, key) P(READ, R32UI, to) P(READ, R32UI, label) P(READ, R32UI, best_key) \
    P(ATOMIC, R32UI, best_lo)                                                             \
    P(UINT, n)

#define TREE_LEAST_HI(P)                                                                  \
    P(READ, R32UI, key) P(READ, R32UI, to) P(READ, R32UI, label) P(READ, R32UI, best_key) \
    P(READ, R32UI, best_lo) P(ATOMIC, R32UI, best_hi)                                     \
    P(UINT, n)

#define TREE_HOOK(P)                                                                               \
    P(READ, R32UI, label) P(READ, R32UI, best_key) P(READ, R32UI, best_lo) P(READ, R32UI, best_hi) \
    P(WRITE, R32UI, parent) P(ATOMIC, R32UI, state)                                                \
    P(UINT, n)

#define TREE_COMPRESS(P)                                                                             \
    P(READ, R32UI, parent) P(WRITE, R32UI, label) P(WRITE, R32UI, best_key) P(WRITE, R32UI, best_lo) \
    P(WRITE, R32UI, best_hi) P(ATOMIC, R32UI, state)                                                 \
    P(UINT, n)

#define TREE_PASSES(PASS)                                                                           \
    PASS(tree_nearest_key, "tree/nearest", GPU_GROUPS_OF(256) GPU_WITH("STEP=0"), TREE_NEAREST_KEY) \
    PASS(tree_nearest_to, "tree/nearest", GPU_GROUPS_OF(256) GPU_WITH("STEP=1"), TREE_NEAREST_TO)   \
    PASS(tree_alive, "tree/alive", GPU_EACH_ELEMENT, TREE_ALIVE)                                    \
    PASS(tree_gather, "tree/gather", GPU_EACH_ELEMENT, TREE_GATHER)                                 \
    PASS(tree_dense, "tree/dense", GPU_GROUPS_OF(256), TREE_DENSE)                                  \
    PASS(tree_least_key, "tree/least", GPU_GROUPS_OF(256) GPU_WITH("STEP=0"), TREE_LEAST_KEY)       \
    PASS(tree_least_lo, "tree/least", GPU_GROUPS_OF(256) GPU_WITH("STEP=1"), TREE_LEAST_LO)         \
    PASS(tree_least_hi, "tree/least", GPU_GROUPS_OF(256) GPU_WITH("STEP=2"), TREE_LEAST_HI)         \
    PASS(tree_hook, "tree/hook", GPU_GROUPS_OF(256), TREE_HOOK)                                     \
    PASS(tree_compress, "tree/compress", GPU_GROUPS_OF(256), TREE_COMPRESS)
/* clang-format on */
GPU_DECLARE_PASSES(TREE_PASSES, tree_passes)

/* Invocations of a group; each takes one element. */
#define TREE_LOCAL 256u
static inline uint32_t tree_groups(uint32_t n) { return n / TREE_LOCAL + (n % TREE_LOCAL != 0); }

/* The forest of edges by passes, however few they are. (forest.c) */
glshape_status tree_forest_by_passes(gpu *g, const tree_graph *graph, tree_forest *out);
/* *why stays, if it is for the device, where the driver runs their programs rightly. (check.c) */
glshape_status tree_trusts_edges(gpu *g, gpu_why *why);

#endif
