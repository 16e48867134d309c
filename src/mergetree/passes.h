/* The passes of this folder. */
#ifndef GLSHAPE_MERGETREE_PASSES_H
#define GLSHAPE_MERGETREE_PASSES_H

#include "field/passes.h"

/* clang-format off */
#define MERGETREE_COMPONENTS(P)                                                                            \
    P(WRITE, R32UI, label) P(WRITE, R32UI, best_key) P(WRITE, R32UI, best_at) P(WRITE, R32UI, depth) \
    P(UINT, n)

#define MERGETREE_OUTSIDE(P) P(AXIS, BACK, 0, 1) P(UPDATE, RGBA32UI, edges) P(UINT, count) P(UINT, minima)

#define MERGETREE_SEEN(P)                                \
    P(READ, R32UI, basin) P(WRITE, R32UI, depth)         \
    P(UINT, plane) P(UINT, first) P(UINT, last) P(UINT, minima)

#define MERGETREE_LOWEST_EDGE_KEY(P)                                                     \
    P(READ, RGBA32UI, edges) P(ATOMIC, R32UI, best_key) P(ATOMIC, R32UI, parallel_key) \
    P(UINT, count) P(UINT, mask)

#define MERGETREE_LOWEST_EDGE_AT(P)                                                                            \
    P(READ, RGBA32UI, edges) P(READ, R32UI, best_key) P(ATOMIC, R32UI, best_at) P(READ, R32UI, parallel_key) \
    P(WRITE, R32UI, parallel)                                                                                \
    P(UINT, count) P(UINT, mask)

#define MERGETREE_HOOK(P)                                                                         \
    P(READ, RGBA32UI, edges) P(READ, R32UI, key) P(READ, R32UI, minimum) P(READ, R32UI, best_key) \
    P(READ, R32UI, best_at) P(WRITE, R32UI, label) P(UPDATE, R32UI, depth)                        \
    P(UINT, count) P(UINT, round) P(UINT, minima)

#define MERGETREE_ARRIVE(P)                                                          \
    P(UPDATE, R32UI, label) P(READ, R32UI, depth) P(ATOMIC, R32UI, state) \
    P(UINT, n) P(UINT, round)

#define MERGETREE_RELABEL(P)                                                                        \
    P(READ, RGBA32UI, edges) P(READ, R32UI, parallel) P(READ, R32UI, label) P(WRITE, R32UI, best_key) \
    P(WRITE, R32UI, best_at) P(WRITE, RGBA32UI, rest) P(ATOMIC, R32UI, state)                       \
    P(UINT, first) P(UINT, count) P(UINT, mask)

#define MERGETREE_MOVE(P) P(READ, RGBA32UI, rest) P(WRITE, RGBA32UI, edges) P(UINT, first) P(UINT, count)

#define MERGETREE_BIRTHS(P) P(READ, R32UI, minimum) P(READ, R32UI, key) P(WRITE, RG32UI, birth) P(UINT, n)

#define MERGETREE_ENDED(P) \
    P(READ, RGBA32UI, ends) P(READ, R32UI, parent) P(UINT, n) P(UINT, essential)

#define MERGETREE_RECORDS(P)                                                                       \
    MERGETREE_ENDED(P) P(READ, RG32UI, birth) P(WRITE, RGBA32UI, records) P(UINT, kind) P(UINT, flip)

#define MERGETREE_ITEMS(P) P(READ, RGBA32UI, ends) P(WRITE, RGBA32UI, items) P(UINT, n)

#define MERGETREE_SPANS(P)                                                             \
    P(READ, RGBA32UI, ends) P(WRITE, RG32UI, span) P(UINT, n) P(UINT, essential) P(UINT, vertices) \
    P(UINT, split)

#define MERGETREE_PLACES(P) \
    P(READ, RGBA32UI, ends) P(READ, R32UI, basin) P(WRITE, R32UI, place) P(WRITE, R32UI, minimum) P(UINT, n)

#define MERGETREE_RENAME(P) P(READ, R32UI, place) P(UPDATE, R32UI, basin) P(UINT, n)

#define MERGETREE_HANG(P) \
    MERGETREE_ENDED(P) P(READ, R32UI, place) P(WRITE, RGBA32UI, branch) P(WRITE, RG32UI, up)

#define MERGETREE_ANCESTORS(P)                                                                     \
    P(READ, RG32UI, up) P(READ, RG32UI, depth) P(WRITE, RG32UI, next) P(UPDATE, RGBA32UI, branch)  \
    P(ATOMIC, R32UI, state) P(UINT, n) P(UINT, jump)

#define MERGETREE_PARENTS(P)                                                                        \
    P(READ, R32UI, label) P(READ, R32UI, best_key) P(READ, R32UI, best_at) P(UPDATE, R32UI, depth) \
    P(UPDATE, RGBA32UI, branch)                                                                    \
    P(UINT, n) P(UINT, round)

#define MERGETREE_REGULAR(P)                                                                   \
    P(READ, R32UI, key) P(UPDATE, R32UI, basin) P(READ, RGBA32UI, branch) P(READ, R32UI, name) \
    P(UINT, n)

#define MERGETREE_DESCEND(P)                                                                   \
    P(AXIS, HOOD, 6, 14, 18, 26)                                                               \
    P(READ, R32UI, key) P(WRITE, R32UI, record) P(WRITE, R32UI, saddle) P(WRITE, R32UI, other) \
    P(UINT, n) P(UINT, nx) P(UINT, ny) P(UINT, nz) P(UINT, periodic)

#define MERGETREE_DESCEND_LINKS(P)                                            \
    P(UPDATE, R32UI, record) P(UPDATE, R32UI, saddle) P(UPDATE, R32UI, other) \
    P(UINT, n)

#define MERGETREE_MERGE_VERTICES(P)                                                                         \
    P(AXIS, HOOD, 6, 14, 18, 26) P(AXIS, IN_ORDER, 0, 1)                                           \
    P(READ, R32UI, key) P(ATOMIC, R32UI, record) P(ATOMIC, R32UI, saddle) P(ATOMIC, R32UI, other)  \
    P(WRITE, RGBA32UI, left) P(ATOMIC, R32UI, state)                                               \
    P(UINT, n) P(UINT, nx) P(UINT, ny) P(UINT, nz) P(UINT, periodic) P(UINT, first) P(UINT, count) \
    P(UINT, records) P(UINT, steps)

#define MERGETREE_MERGE_TASKS(P)                                                                         \
    P(AXIS, IN_ORDER, 0, 1)                                                                        \
    P(READ, R32UI, key) P(ATOMIC, R32UI, record) P(ATOMIC, R32UI, saddle) P(ATOMIC, R32UI, other)  \
    P(WRITE, RGBA32UI, left) P(ATOMIC, R32UI, state) P(READ, RGBA32UI, tasks)                      \
    P(UINT, n) P(UINT, nx) P(UINT, ny) P(UINT, nz) P(UINT, periodic) P(UINT, first) P(UINT, count) \
    P(UINT, records) P(UINT, steps)

#define MERGETREE_FREE_RECORDS(P) P(UPDATE, R32UI, record) P(UPDATE, R32UI, saddle) P(UPDATE, R32UI, other) P(UINT, n)

#define MERGETREE_REPAIR(P)                                                                    \
    P(READ, R32UI, key) P(READ, R32UI, saddle) P(UPDATE, R32UI, other) P(ATOMIC, R32UI, state) \
    P(UINT, n) P(UINT, steps)

/* The nodes of a contour tree (contour_by_passes.c). */
#define MERGETREE_CONTOUR_MARK(P) P(READ, RG32UI, branch) P(WRITE, R32UI, number) P(UINT, count)
#define MERGETREE_CONTOUR_ITEMS(P) P(READ, R32UI, listed) P(READ, R32UI, key) P(WRITE, RGBA32UI, items) P(UINT, count)
#define MERGETREE_CONTOUR_NUMBER(P) \
    P(READ, RGBA32UI, items) P(WRITE, R32UI, vertex) P(WRITE, R32UI, number) P(UINT, count)
#define MERGETREE_CONTOUR_BRANCH(P)                                                                         \
    P(READ, R32UI, vertex) P(READ, R32UI, key) P(READ, R32UI, number) P(READ, R32UI, place)                 \
    P(WRITE, RGBA32UI, items) P(UINT, count) P(UINT, n) P(UINT, split)
#define MERGETREE_CONTOUR_SLOTS(P)                                                                          \
    P(READ, RGBA32UI, items) P(WRITE, RG32UI, at) P(WRITE, R32UI, slot) P(WRITE, R32UI, low)                \
    P(WRITE, R32UI, high) P(UINT, count)
#define MERGETREE_CONTOUR_ENDS(P)                                                                           \
    P(READ, RG32UI, branch) P(READ, R32UI, number) P(WRITE, RG32UI, ends) P(WRITE, R32UI, row)              \
    P(WRITE, R32UI, next) P(ATOMIC, R32UI, head) P(ATOMIC, R32UI, ending) P(UINT, count) P(UINT, nodes)
#define MERGETREE_CONTOUR_UP(P)                                                                             \
    P(READ, RGBA32UI, items) P(READ, RG32UI, ends) P(READ, R32UI, row) P(READ, R32UI, ending)               \
    P(WRITE, R32UI, parent) P(WRITE, R32UI, children) P(WRITE, R32UI, forks) P(UINT, count) P(UINT, split)
#define MERGETREE_CONTOUR_TOUR(P)                                                                           \
    P(READ, RGBA32UI, items) P(READ, RG32UI, ends) P(READ, R32UI, row) P(READ, R32UI, slot)                 \
    P(READ, R32UI, next) P(READ, R32UI, head) P(READ, R32UI, before) P(READ, R32UI, fork)                   \
    P(WRITE, RG32UI, tour) P(UINT, count) P(UINT, branches) P(UINT, forks) P(UINT, split)
#define MERGETREE_CONTOUR_JUMP(P) P(READ, RG32UI, tour) P(WRITE, RG32UI, further) P(UINT, count)
#define MERGETREE_CONTOUR_REACH(P)                                                                          \
    P(READ, RGBA32UI, items) P(READ, R32UI, row) P(READ, R32UI, before) P(READ, R32UI, forks)               \
    P(READ, R32UI, fork) P(READ, RG32UI, tour) P(WRITE, RG32UI, reach)                                      \
    P(UINT, count) P(UINT, branches) P(UINT, split)
/* Its leaves (contour_leaves.c). */
#define MERGETREE_CONTOUR_CHILDREN(P) \
    P(READ, R32UI, list) P(READ, R32UI, parent) P(READ, R32UI, other_parent) P(WRITE, R32UI, child) P(WRITE, R32UI, other_child) P(UINT, count)
#define MERGETREE_CONTOUR_CHAINS(P) \
    P(READ, R32UI, list) P(READ, R32UI, parent) P(READ, R32UI, children) P(READ, R32UI, others) P(READ, R32UI, child) P(WRITE, R32UI, leaf) P(UINT, count)
#define MERGETREE_CONTOUR_FOLLOW(P) P(READ, R32UI, list) P(UPDATE, R32UI, to) P(ATOMIC, R32UI, state) P(UINT, count) P(UINT, every)
#define MERGETREE_CONTOUR_TAKE(P) \
    P(READ, R32UI, list) P(READ, R32UI, leaf) P(READ, R32UI, parent) P(READ, R32UI, other_child) P(WRITE, R32UI, keep) P(WRITE, R32UI, toward) P(WRITE, R32UI, edge) P(WRITE, R32UI, other_edge) P(ATOMIC, R32UI, children) P(UINT, count)
#define MERGETREE_CONTOUR_SPLICE(P) P(READ, R32UI, list) P(READ, R32UI, leaf) P(UPDATE, R32UI, parent) P(ATOMIC, R32UI, state) P(UINT, count)
#define MERGETREE_CONTOUR_PLACE(P) P(READ, R32UI, list) P(WRITE, R32UI, place) P(UINT, count)
#define MERGETREE_CONTOUR_RECORD(P) \
    P(READ, R32UI, list) P(READ, R32UI, place) P(READ, R32UI, low_parent) P(READ, R32UI, high_parent) P(READ, R32UI, low_children) P(READ, R32UI, high_children) P(WRITE, RGBA32UI, node) P(UINT, count)
#define MERGETREE_CONTOUR_APPLY(P) \
    P(READ, R32UI, list) P(READ, RGBA32UI, node) P(WRITE, R32UI, low_edge) P(WRITE, R32UI, high_edge) P(WRITE, R32UI, toward) P(UINT, count)

/* Its arcs. */
#define MERGETREE_CONTOUR_ARCS(P)                                                             \
    P(READ, R32UI, toward) P(READ, R32UI, vertex) P(READ, RG32UI, below) P(READ, RG32UI, above) \
    P(WRITE, RGBA32UI, items) P(ATOMIC, R32UI, state) P(UINT, count)
#define MERGETREE_CONTOUR_WAYS(P)                                                              \
    P(READ, RGBA32UI, items) P(READ, RG32UI, below) P(READ, RG32UI, above) P(WRITE, RG32UI, arc) \
    P(UINT, count)
#define MERGETREE_CONTOUR_GUIDE(P)                                                               \
    P(READ, R32UI, low_edge) P(READ, R32UI, high_edge) P(READ, RG32UI, arc) P(READ, RG32UI, below) P(READ, RG32UI, above)   \
    P(WRITE, RGBA32UI, guide) P(UINT, count)
#define MERGETREE_CONTOUR_LIST(P)                                                                \
    P(READ, RGBA32UI, items) P(READ, R32UI, key) P(READ, R32UI, regular) P(WRITE, RGBA32UI, records) \
    P(UINT, count) P(UINT, kind) P(UINT, flip)

#define MERGETREE_BESIDE(P)                                                                                 \
    P(READ, R32UI, key) P(READ, R32UI, number) P(READ, RG32UI, at) P(READ, R32UI, low) P(READ, R32UI, high) \
    P(UPDATE, R32UI, place)                                                                                 \
    P(UINT, n) P(UINT, split)

#define MERGETREE_ROWS(P)                                                                                   \
    P(READ, R32UI, number) P(READ, RGBA32UI, guide) P(READ, R32UI, above) P(UPDATE, R32UI, below)           \
    P(ATOMIC, R32UI, regular) P(ATOMIC, R32UI, state)                                                       \
    P(UINT, n)

#define MERGETREE_PASSES(PASS)                                                                                         \
    PASS(mergetree_components, "mergetree/components", GPU_GROUPS_OF(256), MERGETREE_COMPONENTS)                                         \
    PASS(mergetree_outside, "mergetree/outside", GPU_GROUPS_OF(256), MERGETREE_OUTSIDE)                                         \
    PASS(mergetree_seen, "mergetree/seen", GPU_GROUPS_OF(256), MERGETREE_SEEN)                                         \
    PASS(mergetree_lowest_edge_key, "mergetree/lowest_edge", GPU_GROUPS_OF(256) GPU_WITH("STEP=0"), MERGETREE_LOWEST_EDGE_KEY)           \
    PASS(mergetree_lowest_edge_at, "mergetree/lowest_edge", GPU_GROUPS_OF(256) GPU_WITH("STEP=1"), MERGETREE_LOWEST_EDGE_AT)             \
    PASS(mergetree_hook, "mergetree/hook", GPU_GROUPS_OF(256), MERGETREE_HOOK)                                         \
    PASS(mergetree_arrive, "mergetree/arrive", GPU_GROUPS_OF(256), MERGETREE_ARRIVE)                                   \
    PASS(mergetree_relabel, "mergetree/relabel", GPU_GROUPS_OF(256), MERGETREE_RELABEL)                                \
    PASS(mergetree_move, "mergetree/move", GPU_GROUPS_OF(256), MERGETREE_MOVE)                                         \
    PASS(mergetree_births, "mergetree/births", GPU_GROUPS_OF(256), MERGETREE_BIRTHS)                                   \
    PASS(mergetree_records, "mergetree/records", GPU_GROUPS_OF(256), MERGETREE_RECORDS)                                \
    PASS(mergetree_items, "mergetree/items", GPU_GROUPS_OF(256), MERGETREE_ITEMS)                                      \
    PASS(mergetree_spans, "mergetree/spans", GPU_GROUPS_OF(256), MERGETREE_SPANS)                                      \
    PASS(mergetree_places, "mergetree/places", GPU_GROUPS_OF(256), MERGETREE_PLACES)                                   \
    PASS(mergetree_rename, "mergetree/rename", GPU_GROUPS_OF(256), MERGETREE_RENAME)                                   \
    PASS(mergetree_hang, "mergetree/hang", GPU_GROUPS_OF(256), MERGETREE_HANG)                                         \
    PASS(mergetree_ancestors, "mergetree/ancestors", GPU_GROUPS_OF(256), MERGETREE_ANCESTORS)                          \
    PASS(mergetree_parents, "mergetree/parents", GPU_GROUPS_OF(256), MERGETREE_PARENTS)                                   \
    PASS(mergetree_regular, "mergetree/regular", GPU_GROUPS_OF(256), MERGETREE_REGULAR)                                \
    PASS(mergetree_descend, "mergetree/descend", GPU_GROUPS_OF(256), MERGETREE_DESCEND)                                \
    PASS(mergetree_descend_links, "mergetree/descend", GPU_GROUPS_OF(256) GPU_WITH("HOOD=0"), MERGETREE_DESCEND_LINKS) \
    PASS(mergetree_merge_vertices, "mergetree/merge", GPU_GROUPS_OF(256) GPU_WITH("BEGIN=1"), MERGETREE_MERGE_VERTICES)                  \
    PASS(mergetree_merge_tasks, "mergetree/merge", GPU_GROUPS_OF(256) GPU_WITH("BEGIN=0 HOOD=6"), MERGETREE_MERGE_TASKS)           \
    PASS(mergetree_free_records, "mergetree/free_records", GPU_GROUPS_OF(256), MERGETREE_FREE_RECORDS)                                         \
    PASS(mergetree_repair, "mergetree/repair", GPU_GROUPS_OF(256), MERGETREE_REPAIR) \
    PASS(mergetree_contour_mark, "mergetree/contour_mark", GPU_GROUPS_OF(256), MERGETREE_CONTOUR_MARK) \
    PASS(mergetree_contour_items, "mergetree/contour_items", GPU_GROUPS_OF(256), MERGETREE_CONTOUR_ITEMS) \
    PASS(mergetree_contour_number, "mergetree/contour_number", GPU_GROUPS_OF(256), MERGETREE_CONTOUR_NUMBER) \
    PASS(mergetree_contour_branch, "mergetree/contour_branch", GPU_GROUPS_OF(256), MERGETREE_CONTOUR_BRANCH) \
    PASS(mergetree_contour_slots, "mergetree/contour_slots", GPU_GROUPS_OF(256), MERGETREE_CONTOUR_SLOTS) \
    PASS(mergetree_contour_ends, "mergetree/contour_ends", GPU_GROUPS_OF(256), MERGETREE_CONTOUR_ENDS) \
    PASS(mergetree_contour_up, "mergetree/contour_up", GPU_GROUPS_OF(256), MERGETREE_CONTOUR_UP) \
    PASS(mergetree_contour_tour, "mergetree/contour_tour", GPU_GROUPS_OF(256), MERGETREE_CONTOUR_TOUR) \
    PASS(mergetree_contour_jump, "mergetree/contour_jump", GPU_GROUPS_OF(256), MERGETREE_CONTOUR_JUMP) \
    PASS(mergetree_contour_reach, "mergetree/contour_reach", GPU_GROUPS_OF(256), MERGETREE_CONTOUR_REACH) \
    PASS(mergetree_contour_children, "mergetree/contour_chains", GPU_GROUPS_OF(256) GPU_WITH("STEP=0"), MERGETREE_CONTOUR_CHILDREN) \
    PASS(mergetree_contour_chains, "mergetree/contour_chains", GPU_GROUPS_OF(256) GPU_WITH("STEP=1"), MERGETREE_CONTOUR_CHAINS) \
    PASS(mergetree_contour_follow, "mergetree/contour_follow", GPU_GROUPS_OF(256), MERGETREE_CONTOUR_FOLLOW) \
    PASS(mergetree_contour_take, "mergetree/contour_take", GPU_GROUPS_OF(256), MERGETREE_CONTOUR_TAKE) \
    PASS(mergetree_contour_splice, "mergetree/contour_splice", GPU_GROUPS_OF(256), MERGETREE_CONTOUR_SPLICE) \
    PASS(mergetree_contour_place, "mergetree/contour_record", GPU_GROUPS_OF(256) GPU_WITH("STEP=0"), MERGETREE_CONTOUR_PLACE) \
    PASS(mergetree_contour_record, "mergetree/contour_record", GPU_GROUPS_OF(256) GPU_WITH("STEP=1"), MERGETREE_CONTOUR_RECORD) \
    PASS(mergetree_contour_apply, "mergetree/contour_apply", GPU_GROUPS_OF(256), MERGETREE_CONTOUR_APPLY) \
    PASS(mergetree_contour_arcs, "mergetree/contour_arcs", GPU_GROUPS_OF(256), MERGETREE_CONTOUR_ARCS) \
    PASS(mergetree_contour_ways, "mergetree/contour_ways", GPU_GROUPS_OF(256), MERGETREE_CONTOUR_WAYS) \
    PASS(mergetree_contour_guide, "mergetree/contour_guide", GPU_GROUPS_OF(256), MERGETREE_CONTOUR_GUIDE) \
    PASS(mergetree_contour_list, "mergetree/contour_list", GPU_GROUPS_OF(256), MERGETREE_CONTOUR_LIST) \
    PASS(mergetree_beside, "mergetree/beside", GPU_GROUPS_OF(256), MERGETREE_BESIDE) \
    PASS(mergetree_rows, "mergetree/rows", GPU_GROUPS_OF(256), MERGETREE_ROWS)
/* clang-format on */
GPU_DECLARE_PASSES(MERGETREE_PASSES, mergetree_passes)

/* Vertices that an invocation of mergetree_rows takes: RUN of rows.glsl. */
#define MERGETREE_ROW_RUN 8u

#endif
