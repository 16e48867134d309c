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

#define TREE_OF_LISTS(P)                                                                            \
    P(READ, R32UI, starts) P(READ, R32UI, neighbors) P(READ, R32F, lengths) P(READ, R32UI, label) \
    P(UPDATE, R32UI, key) P(UPDATE, R32UI, to)                                                    \
    P(UINT, n)

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

/* The tree of points (points_by_passes.c). */
#define TREE_START(P)                                                                               \
    P(WRITE, R32UI, label) P(WRITE, R32UI, to) P(WRITE, RG32UI, sum) P(WRITE, R32UI, cursor)        \
    P(WRITE, RGBA32UI, edges) P(UINT, n)
#define TREE_CANDIDATES(P)                                                                          \
    P(READ, R32UI, label) P(READ, R32UI, lists) P(READ, RG32UI, list_sums) P(UPDATE, R32UI, to)     \
    P(UPDATE, RG32UI, sum) P(UPDATE, R32UI, cursor) P(ATOMIC, R32UI, best_high) P(UINT, n) P(UINT, k)
#define TREE_BRIDGES(P)                                                                             \
    P(SIZE, POWER, 0, 1, 2, 3) P(READ, RGBA32UI, rows) P(READ, R32UI, label)                        \
    P(AXIS, CORES, 0, 1) P(READ_BY, CORES, cores, GPU_NONE, GPU_RG32UI)                             \
    P(ATOMIC, R32UI, best_high) P(UINT, columns) P(UINT, n)
#define TREE_CORES(P)                                                                               \
    P(AXIS, ROOT, 0, 1) P(READ, RGBA32UI, rows) P(READ, RG32UI, list_sums) P(WRITE, RG32UI, core)   \
    P(WRITE, RG32UI, sum) P(WRITE, RG32UI, distance) P(UINT, within) P(UINT, factor_low)            \
    P(UINT, factor_high) P(UINT, columns) P(UINT, n)
#define TREE_CHOOSE(P)                                                                              \
    P(READ, R32UI, label) P(READ, R32UI, to) P(READ, RG32UI, sum) P(READ, R32UI, best_high)         \
    P(WRITE, R32UI, list) P(ATOMIC, R32UI, counts) P(UINT, n)
#define TREE_ANSWERS(P)                                                                             \
    P(READ, R32UI, asked) P(READ, R32UI, found) P(READ, RG32UI, sums) P(WRITE, R32UI, to)           \
    P(WRITE, RG32UI, sum) P(UINT, first) P(UINT, count)
#define TREE_LEADERS(P)                                                                             \
    P(READ, R32UI, label) P(READ, R32UI, to) P(READ, RG32UI, sum) P(READ, R32UI, best_high)         \
    P(ATOMIC, R32UI, best_low) P(WRITE, R32UI, list) P(ATOMIC, R32UI, counts) P(UINT, n)
#define TREE_LISTED(P)                                                                              \
    P(READ, RGBA32UI, rows) P(READ, R32UI, list) P(READ, R32UI, label) P(READ, R32UI, to)           \
    P(READ, RG32UI, sum) P(READ, R32UI, best_low) P(UINT, columns) P(UINT, count)
#define TREE_LEADERS_A(P) TREE_LISTED(P) P(ATOMIC, R32UI, best_a)
#define TREE_LEADERS_B(P) TREE_LISTED(P) P(READ, R32UI, best_a) P(ATOMIC, R32UI, best_b)
#define TREE_JOIN(P)                                                                                \
    TREE_LISTED(P) P(READ, R32UI, best_high) P(READ, R32UI, best_a) P(READ, R32UI, best_b)          \
    P(WRITE, R32UI, parent) P(WRITE, RGBA32UI, edges)
#define TREE_JUMP(P)                                                                                \
    P(READ, R32UI, label) P(READ, R32UI, parent) P(WRITE, R32UI, next) P(ATOMIC, R32UI, counts)     \
    P(UINT, n)
#define TREE_RELABEL(P)                                                                             \
    P(READ, R32UI, parent) P(UPDATE, R32UI, label) P(WRITE, R32UI, best_high)                       \
    P(WRITE, R32UI, best_low) P(WRITE, R32UI, best_a) P(WRITE, R32UI, best_b)                       \
    P(ATOMIC, R32UI, counts) P(UINT, n)

/* The dendrogram (dendrogram_by_passes.c). */
#define TREE_HEIGHTS(P)                                                                             \
    P(AXIS, ROOT, 0, 1) P(READ, RGBA32UI, edges) P(WRITE, RGBA32UI, keyed)                          \
    P(UINT, factor_low) P(UINT, factor_high) P(UINT, count)
#define TREE_TIES(P)                                                                                \
    P(AXIS, BY, 0, 1, 2) P(READ, RGBA32UI, items) P(WRITE, RGBA32UI, sorted) P(ATOMIC, R32UI, counts) P(UINT, count)
#define TREE_TURN(P) P(READ, RGBA32UI, items) P(WRITE, RGBA32UI, turned) P(UINT, count)
#define TREE_LIGHTEST(P)                                                                            \
    P(READ, RGBA32UI, items) P(READ, R32UI, alive) P(READ, R32UI, label) P(ATOMIC, R32UI, best)     \
    P(UINT, all) P(UINT, count)
#define TREE_PLACE(P)                                                                               \
    P(READ, RGBA32UI, items) P(READ, R32UI, waiting) P(READ, R32UI, label) P(READ, R32UI, best)     \
    P(WRITE, R32UI, next_waiting) P(WRITE, RGBA32UI, chains) P(ATOMIC, R32UI, counts)               \
    P(UINT, round) P(UINT, count)
#define TREE_CONTRACT(P)                                                                            \
    P(READ, RGBA32UI, items) P(READ, R32UI, alive) P(READ, R32UI, label) P(READ, R32UI, best)       \
    P(WRITE, R32UI, next_alive) P(WRITE, R32UI, next_waiting) P(WRITE, R32UI, parent)               \
    P(WRITE, R32UI, picked) P(WRITE, R32UI, child) P(ATOMIC, R32UI, counts)                         \
    P(UINT, first) P(UINT, count)
#define TREE_RELABEL_RANKS(P)                                                                       \
    P(READ, R32UI, parent) P(UPDATE, R32UI, label) P(WRITE, R32UI, best) P(ATOMIC, R32UI, counts)   \
    P(UINT, n)
#define TREE_SINGLETONS(P)                                                                          \
    P(WRITE, R32UI, label) P(WRITE, R32UI, parent) P(WRITE, R32UI, best) P(UINT, n)
#define TREE_OFFER(P)                                                                               \
    P(READ, RGBA32UI, items) P(READ, R32UI, label) P(UPDATE, RGBA32UI, alive) P(ATOMIC, R32UI, best) \
    P(UINT, first) P(UINT, count)
#define TREE_PICK(P)                                                                                \
    P(READ, RGBA32UI, alive) P(READ, R32UI, best) P(WRITE, RGBA32UI, next_alive)                    \
    P(WRITE, R32UI, parent) P(WRITE, R32UI, picked) P(ATOMIC, R32UI, counts) P(UINT, count)
#define TREE_LINK(P)                                                                                \
    P(READ, RGBA32UI, chains) P(READ, R32UI, picked) P(WRITE, R32UI, child) P(UINT, n) P(UINT, count)
#define TREE_WEIGHTS(P)                                                                             \
    P(READ, RGBA32UI, chains) P(READ, R32UI, picked) P(READ, R32UI, child) P(READ, R32UI, size)     \
    P(WRITE, R32UI, weights) P(UINT, n) P(UINT, first) P(UINT, count)
#define TREE_SUMMED(P) P(READ, RGBA32UI, chains) P(READ, R32UI, sums) P(UINT, first) P(UINT, count)
#define TREE_BASES(P) TREE_SUMMED(P) P(WRITE, R32UI, base)
#define TREE_SIZES(P) TREE_SUMMED(P) P(READ, R32UI, weights) P(READ, R32UI, base) P(WRITE, R32UI, size)
#define TREE_ROWS(P)                                                                                \
    P(READ, RGBA32UI, items) P(READ, R32UI, child) P(READ, R32UI, size) P(WRITE, RGBA32UI, rows)    \
    P(WRITE, RG32UI, ends) P(ATOMIC, R32UI, counts) P(UINT, n) P(UINT, count)

/* The elder rule (elders_by_passes.c). */
#define TREE_SIDES(P)                                                                               \
    P(READ, RGBA32UI, chains) P(READ, R32UI, picked) P(READ, R32UI, child) P(READ, RG32UI, birth)   \
    P(READ, RGBA32UI, elder) P(WRITE, RGBA32UI, brought) P(UINT, n) P(UINT, first) P(UINT, count)
#define TREE_ALONG_BLOCKS(P) P(READ, RGBA32UI, brought) P(WRITE, RGBA32UI, blocks) P(UINT, count)
#define TREE_ALONG_CHAINS(P)                                                                        \
    P(READ, RGBA32UI, brought) P(READ, RGBA32UI, before) P(WRITE, RGBA32UI, along) P(UINT, count)
#define TREE_FALLS(P)                                                                               \
    P(READ, RGBA32UI, chains) P(READ, RGBA32UI, brought) P(READ, RGBA32UI, along)                   \
    P(WRITE, RGBA32UI, elder) P(WRITE, R32UI, fallen) P(WRITE, R32UI, end) P(WRITE, R32UI, parent)  \
    P(UINT, first) P(UINT, count)
#define TREE_OLDEST(P)                                                                              \
    P(READ, RGBA32UI, items) P(READ, R32UI, end) P(UPDATE, R32UI, parent) P(ATOMIC, R32UI, counts)  \
    P(UINT, count)
#define TREE_ENDLESS(P) P(READ, R32UI, end) P(WRITE, R32UI, flags)
#define TREE_ENDS(P)                                                                                \
    P(READ, RGBA32UI, items) P(READ, R32UI, fallen) P(READ, R32UI, left) P(READ, RG32UI, birth)     \
    P(WRITE, RGBA32UI, ends) P(UINT, n) P(UINT, count)

#define TREE_PASSES(PASS)                                                                           \
    PASS(tree_nearest_key, "tree/nearest", GPU_GROUPS_OF(256) GPU_WITH("STEP=0"), TREE_NEAREST_KEY) \
    PASS(tree_nearest_to, "tree/nearest", GPU_GROUPS_OF(256) GPU_WITH("STEP=1"), TREE_NEAREST_TO)   \
    PASS(tree_alive, "tree/alive", GPU_EACH_ELEMENT, TREE_ALIVE)                                    \
    PASS(tree_gather, "tree/gather", GPU_EACH_ELEMENT, TREE_GATHER)                                 \
    PASS(tree_dense, "tree/dense", GPU_GROUPS_OF(256), TREE_DENSE)                                  \
    PASS(tree_of_lists, "tree/dense", GPU_GROUPS_OF(32) GPU_WITH("PACKED=2"), TREE_OF_LISTS)            \
    PASS(tree_least_key, "tree/least", GPU_GROUPS_OF(256) GPU_WITH("STEP=0"), TREE_LEAST_KEY)       \
    PASS(tree_least_lo, "tree/least", GPU_GROUPS_OF(256) GPU_WITH("STEP=1"), TREE_LEAST_LO)         \
    PASS(tree_least_hi, "tree/least", GPU_GROUPS_OF(256) GPU_WITH("STEP=2"), TREE_LEAST_HI)         \
    PASS(tree_hook, "tree/hook", GPU_GROUPS_OF(256), TREE_HOOK)                                     \
    PASS(tree_compress, "tree/compress", GPU_GROUPS_OF(256), TREE_COMPRESS)                              \
    PASS(tree_start, "tree/start", GPU_GROUPS_OF(256), TREE_START)                                  \
    PASS(tree_candidates, "tree/candidates", GPU_GROUPS_OF(256), TREE_CANDIDATES)                   \
    PASS(tree_bridges, "tree/bridges", GPU_GROUPS_OF(256), TREE_BRIDGES)                            \
    PASS(tree_cores, "tree/cores", GPU_GROUPS_OF(256), TREE_CORES)                                  \
    PASS(tree_choose, "tree/choose", GPU_GROUPS_OF(256), TREE_CHOOSE)                               \
    PASS(tree_answers, "tree/answers", GPU_GROUPS_OF(256), TREE_ANSWERS)                            \
    PASS(tree_leaders, "tree/leaders", GPU_GROUPS_OF(256) GPU_WITH("STEP=0"), TREE_LEADERS)         \
    PASS(tree_leaders_a, "tree/leaders", GPU_GROUPS_OF(256) GPU_WITH("STEP=1"), TREE_LEADERS_A)     \
    PASS(tree_leaders_b, "tree/leaders", GPU_GROUPS_OF(256) GPU_WITH("STEP=2"), TREE_LEADERS_B)     \
    PASS(tree_join, "tree/join", GPU_GROUPS_OF(256), TREE_JOIN)                                     \
    PASS(tree_jump, "tree/jump", GPU_GROUPS_OF(256), TREE_JUMP)                                     \
    PASS(tree_relabel, "tree/relabel", GPU_GROUPS_OF(256) GPU_WITH("RANKS=0"), TREE_RELABEL)        \
    PASS(tree_heights, "tree/heights", GPU_GROUPS_OF(256), TREE_HEIGHTS)                            \
    PASS(tree_ties, "tree/ties", GPU_GROUPS_OF(256), TREE_TIES)                                     \
    PASS(tree_turn, "tree/turn", GPU_GROUPS_OF(256), TREE_TURN)                                     \
    PASS(tree_lightest, "tree/lightest", GPU_GROUPS_OF(256), TREE_LIGHTEST)                         \
    PASS(tree_place, "tree/place", GPU_GROUPS_OF(256), TREE_PLACE)                                  \
    PASS(tree_contract, "tree/contract", GPU_GROUPS_OF(256), TREE_CONTRACT)                         \
    PASS(tree_relabel_ranks, "tree/relabel", GPU_GROUPS_OF(256) GPU_WITH("RANKS=1"), TREE_RELABEL_RANKS) \
    PASS(tree_link, "tree/link", GPU_GROUPS_OF(256), TREE_LINK)                                     \
    PASS(tree_weights, "tree/weights", GPU_GROUPS_OF(256), TREE_WEIGHTS)                            \
    PASS(tree_bases, "tree/sizes", GPU_GROUPS_OF(256) GPU_WITH("STEP=0"), TREE_BASES)               \
    PASS(tree_sizes, "tree/sizes", GPU_GROUPS_OF(256) GPU_WITH("STEP=1"), TREE_SIZES)               \
    PASS(tree_rows, "tree/rows", GPU_GROUPS_OF(256), TREE_ROWS)                                     \
    PASS(tree_singletons, "tree/singletons", GPU_GROUPS_OF(256), TREE_SINGLETONS)                   \
    PASS(tree_offer, "tree/offer", GPU_GROUPS_OF(256), TREE_OFFER)                                  \
    PASS(tree_pick, "tree/pick", GPU_GROUPS_OF(256), TREE_PICK)                                     \
    PASS(tree_sides, "tree/sides", GPU_GROUPS_OF(256), TREE_SIDES)                                  \
    PASS(tree_along_blocks, "tree/along", GPU_GROUPS_OF(256) GPU_WITH("STEP=0"), TREE_ALONG_BLOCKS) \
    PASS(tree_along, "tree/along", GPU_GROUPS_OF(256) GPU_WITH("STEP=1"), TREE_ALONG_CHAINS)        \
    PASS(tree_falls, "tree/falls", GPU_GROUPS_OF(256), TREE_FALLS)                                  \
    PASS(tree_oldest, "tree/oldest", GPU_GROUPS_OF(256), TREE_OLDEST)                               \
    PASS(tree_endless, "tree/endless", GPU_EACH_ELEMENT, TREE_ENDLESS)                              \
    PASS(tree_ends, "tree/ends", GPU_GROUPS_OF(256), TREE_ENDS)
/* clang-format on */
GPU_DECLARE_PASSES(TREE_PASSES, tree_passes)

/* Edges that a group of tree_along takes: RUN of along.glsl for each invocation. */
#define TREE_ALONG 2048u
/* Invocations of a group; each takes one element. */
#define TREE_LOCAL 256u
static inline uint32_t tree_groups(uint32_t n) { return n / TREE_LOCAL + (n % TREE_LOCAL != 0); }

/* The forest of edges by passes, however few they are. (forest.c) */
glshape_status tree_forest_by_passes(gpu *g, const tree_graph *graph, tree_forest *out);
/* *why stays, if it is for the device, where the driver runs their programs rightly. (check.c) */
glshape_status tree_trusts_edges(gpu *g, run_why *why);

/* *why stays, if it is for the device, where the driver runs the programs of the rounds rightly. (check.c) */
glshape_status tree_trusts_points(gpu *g, const spatial_index *x, run_why *why);
/* The same of those that make core distances and raise sums to them, besides. */
glshape_status tree_trusts_raised(gpu *g, const spatial_index *x, bool root, run_why *why);
/* The same of the dendrogram's programs, and of those that make heights of sums, roots of them or not. */
glshape_status tree_trusts_dendrogram(gpu *g, run_why *why);
glshape_status tree_trusts_heights(gpu *g, bool root, run_why *why);
/* Has the programs of tree_dendrogram_kept compiled, or ready (gpu_expect, gpu_get_ready). */
void tree_expect_dendrogram(gpu *g, bool root);
void tree_load_dendrogram(gpu *g, bool root);
/* What tree_dendrogram_kept makes of sums. (dendrogram_by_passes.c) */
glshape_status tree_make_heights(gpu *g, gpu_texture *edges, const tree_scale *scale, gpu_texture *keyed);

#endif
