/* The passes of this folder. */
#ifndef GLSHAPE_RIPS_PASSES_H
#define GLSHAPE_RIPS_PASSES_H

#include "gpu/pass.h"

#define RIPS_LOCAL 64u /* invocations a group */
#define RIPS_SHORT_LOCAL 128u
#define RIPS_COLLAPSE_LOCAL 32u
#define RIPS_MOST_ROOM 6144 /* points of a lune that a group has room for in shared memory */
#define RIPS_MOST_LUNE 2048 /* the same where distances are lists */

/* clang-format off */
#define RIPS_LISTS(P) P(READ, R32UI, start) P(READ, R32UI, neighbors) P(READ, R32F, lengths)
#define RIPS_MATRIX(P) P(READ, RGBA32F, dist)

#define RIPS_EDGES_OF(P)                                \
    P(WRITE, RGBA32UI, columns) P(ATOMIC, R32UI, found) \
    P(UINT, n) P(FLOAT, threshold) P(UINT, first) P(UINT, count) P(UINT, room)
#define RIPS_EDGES(P) RIPS_MATRIX(P) RIPS_EDGES_OF(P)
#define RIPS_LIST_EDGES(P) RIPS_LISTS(P) RIPS_EDGES_OF(P)

#define RIPS_LUNES(P) P(SIZE, WORDS, 8, 256) P(SIZE, ROOM, 256, 6144)
#define RIPS_LIST_LUNES(P) P(SIZE, WORDS, 2, 64) P(SIZE, ROOM, 64, 2048)

#define RIPS_CANDIDATES(P) RIPS_LUNES(P) RIPS_MATRIX(P) RIPS_EDGES_OF(P) P(UINT, span)
#define RIPS_LIST_CANDIDATES(P) RIPS_LIST_LUNES(P) RIPS_LISTS(P) RIPS_EDGES_OF(P) P(UINT, span)

#define RIPS_COLUMNS_OF(P)                                                        \
    P(SIZE, EXTRA, 1, 2, 3, 4, 7)                                                 \
    P(READ, RG32UI, binomial) P(READ, RGBA32UI, work) P(WRITE, RGBA32UI, columns) \
    P(ATOMIC, R32UI, found)                                                       \
    P(UINT, n) P(UINT, span) P(UINT, room)
#define RIPS_COLUMNS(P) RIPS_LUNES(P) RIPS_MATRIX(P) RIPS_COLUMNS_OF(P)
#define RIPS_LIST_COLUMNS(P) RIPS_LIST_LUNES(P) RIPS_LISTS(P) RIPS_COLUMNS_OF(P)

/* LISTS: as in lists.h. */
#define RIPS_AROUND(P)                                                           \
    P(AXIS, LISTS, 0, 1, 2)                                                      \
    P(READ_BY, LISTS, dist, GPU_RGBA32F, GPU_RGBA32F, GPU_NONE)                  \
    P(READ_BY, LISTS, start, GPU_NONE, GPU_R32UI, GPU_R32UI)                     \
    P(READ_BY, LISTS, neighbors, GPU_NONE, GPU_R32UI, GPU_R32UI)                 \
    P(READ_BY, LISTS, lengths, GPU_NONE, GPU_NONE, GPU_R32F)
#define RIPS_FIRST(P)                                                            \
    P(AXIS, KEPT, 0, 1)                                                          \
    RIPS_AROUND(P) P(READ, RG32UI, binomial) P(UPDATE, RGBA32UI, columns)        \
    P(WRITE_BY, KEPT, records, GPU_NONE, GPU_RGBA32UI)                           \
    P(WRITE_BY, KEPT, terms, GPU_NONE, GPU_RGBA32UI)                             \
    P(UINT, n) P(UINT, vertices) P(UINT, vertex_bits) P(FLOAT, threshold) P(UINT, modulus)

#define RIPS_SHORT_OF(P)                                                                \
    P(UPDATE, RGBA32UI, records) P(UPDATE, RGBA32UI, terms)                             \
    P(UPDATE, R32UI, last) P(ATOMIC, R32UI, slots) P(ATOMIC, R32UI, state)              \
    P(UINT, n) P(UINT, vertices) P(UINT, vertex_bits) P(FLOAT, threshold) P(UINT, modulus)                   \
    P(UINT, room) P(UINT, room_of_terms) P(UINT, most_records) P(UINT, most_terms)      \
    P(UINT, slot_bits) P(UINT, most_turns)
#define RIPS_SHORT(P) RIPS_AROUND(P) RIPS_SHORT_OF(P)
#define RIPS_SHORT_LARGE(P) RIPS_LISTS(P) RIPS_SHORT_OF(P)
#define RIPS_SHORT_ENDS(P)                                                              \
    P(READ, RG32UI, binomial) P(READ, RGBA32UI, records) P(READ, R32UI, last)           \
    P(WRITE, RGBA32UI, columns)                                                         \
    P(UINT, n) P(UINT, vertices) P(UINT, vertex_bits) P(UINT, modulus) P(UINT, count) P(UINT, most_records)

#define RIPS_COLLAPSE_LIST(P)                                       \
    RIPS_LISTS(P) P(WRITE, RGBA32UI, edges) P(ATOMIC, R32UI, found) \
    P(UINT, n) P(UINT, count)
#define RIPS_ROWS(P) RIPS_LISTS(P) P(WRITE, RGBA32F, dist) P(UINT, n)
#define RIPS_COLLAPSE_ROWS(P) \
    RIPS_LISTS(P) P(WRITE, R32F, own) P(WRITE, R32F, now) P(UINT, n)
#define RIPS_COLLAPSE(P)                                                                     \
    P(SIZE, ROOM, 64, 2048)                                                                  \
    RIPS_LISTS(P) P(READ, RGBA32UI, edges) P(UPDATE, R32F, values) P(ATOMIC, R32UI, touched) \
    P(ATOMIC, R32UI, changed)                                                                \
    P(UINT, n) P(FLOAT, threshold) P(UINT, was) P(UINT, is)
#define RIPS_COLLAPSE_MATRIX(P) P(READ, R32F, own) P(UPDATE, R32F, now) RIPS_COLLAPSE(P)

#define RIPS_WIDE(P) P(UINT, modulus) P(UINT, room) P(UINT, all_groups) P(UINT, round)
#define RIPS_WIDE_OF(P)                                                                               \
    RIPS_MATRIX(P) P(ATOMIC, R32UI, state) P(UINT, n) P(FLOAT, from) P(FLOAT, bound) RIPS_WIDE(P) \
    P(UINT, room_of_terms) P(UINT, vertices)
#define RIPS_WIDE_MAKE(P)                                              \
    P(AXIS, SUMMED, 0, 1)                                              \
    RIPS_WIDE_OF(P) P(READ_BY, SUMMED, added, GPU_RGBA32UI, GPU_NONE)  \
    P(READ_BY, SUMMED, term_sums, GPU_NONE, GPU_R32UI)                 \
    P(UPDATE, RGBA32UI, terms) P(WRITE, RGBA32UI, cells)               \
    P(WRITE, R32UI, sums) P(UINT, first) P(UINT, count)
#define RIPS_WIDE_CANCEL(P)                                                            \
    RIPS_WIDE_OF(P) P(READ, R32UI, touched) P(UPDATE, RGBA32UI, cells)                 \
    P(UPDATE, R32UI, sums) P(WRITE, RGBA32UI, terms) P(WRITE, R32UI, settled)
#define RIPS_WIDE_TABLE(P)                                                             \
    P(READ, RGBA32UI, cells) P(ATOMIC, R32UI, slots) P(ATOMIC, R32UI, sums)            \
    P(ATOMIC, R32UI, state) RIPS_WIDE(P) P(UINT, slot_bits) P(UINT, most)
#define RIPS_WIDE_INSERT(P) RIPS_WIDE_TABLE(P) P(WRITE, R32UI, touched)
#define RIPS_WIDE_TERMS(P) RIPS_WIDE_TABLE(P) P(UINT, first)
#define RIPS_WIDE_LEFT(P)                                                 \
    P(READ, R32UI, settled) P(READ, R32UI, sums) P(READ, RGBA32UI, cells) \
    P(ATOMIC, R32UI, state) P(WRITE, RGBA32UI, left) RIPS_WIDE(P)        \
    P(FLOAT, from) P(FLOAT, scale) P(UINT, end_part)

#define RIPS_PASSES(PASS)                                                                           \
    PASS(rips_edges, "rips/edges", GPU_GROUPS_OF(RIPS_LOCAL), RIPS_EDGES)                           \
    PASS(rips_candidates, "rips/candidates",                                                        \
         GPU_GROUPS_OF(RIPS_LOCAL) GPU_WITH("LISTS=0"), RIPS_CANDIDATES)                            \
    PASS(rips_columns, "rips/columns", GPU_GROUPS_OF(RIPS_LOCAL) GPU_WITH("LISTS=0"), RIPS_COLUMNS) \
    PASS(rips_first, "rips/first", GPU_GROUPS_OF(RIPS_LOCAL), RIPS_FIRST)                           \
    PASS(rips_short, "rips/short", GPU_GROUPS_OF(RIPS_SHORT_LOCAL) GPU_WITH("LARGE=0"), RIPS_SHORT) \
    PASS(rips_short_large, "rips/short", \
         GPU_GROUPS_OF(RIPS_SHORT_LOCAL) GPU_WITH("LARGE=1 LISTS=2"), RIPS_SHORT_LARGE) \
    PASS(rips_short_ends, "rips/short_ends", GPU_GROUPS_OF(RIPS_LOCAL), RIPS_SHORT_ENDS) \
    PASS(rips_list_edges, "rips/list_edges", GPU_GROUPS_OF(RIPS_LOCAL), RIPS_LIST_EDGES)            \
    PASS(rips_list_candidates, "rips/candidates",                                                   \
         GPU_GROUPS_OF(RIPS_LOCAL) GPU_WITH("LISTS=1"), RIPS_LIST_CANDIDATES)                       \
    PASS(rips_list_columns, "rips/columns",                                                         \
         GPU_GROUPS_OF(RIPS_LOCAL) GPU_WITH("LISTS=1"), RIPS_LIST_COLUMNS)                          \
    PASS(rips_collapse_list, "rips/collapse_list", GPU_GROUPS_OF(RIPS_LOCAL), RIPS_COLLAPSE_LIST)   \
    PASS(rips_rows, "rips/rows", GPU_GROUPS_OF(RIPS_LOCAL), RIPS_ROWS)                              \
    PASS(rips_collapse_rows, "rips/collapse_rows", GPU_GROUPS_OF(RIPS_LOCAL), RIPS_COLLAPSE_ROWS)   \
    PASS(rips_collapse, "rips/collapse",                                                            \
         GPU_GROUPS_OF(RIPS_COLLAPSE_LOCAL) GPU_WITH("MATRIX=0"), RIPS_COLLAPSE)                    \
    PASS(rips_collapse_matrix, "rips/collapse",                                                     \
         GPU_GROUPS_OF(RIPS_COLLAPSE_LOCAL) GPU_WITH("MATRIX=1"), RIPS_COLLAPSE_MATRIX) \
    PASS(rips_wide_make, "rips/wide_make", GPU_GROUPS_OF(RIPS_LOCAL), RIPS_WIDE_MAKE) \
    PASS(rips_wide_cancel, "rips/wide_cancel", GPU_GROUPS_OF(RIPS_LOCAL), RIPS_WIDE_CANCEL) \
    PASS(rips_wide_insert, "rips/wide_insert", GPU_GROUPS_OF(256) GPU_WITH("OF_TERMS=0"), RIPS_WIDE_INSERT) \
    PASS(rips_wide_terms, "rips/wide_insert", GPU_GROUPS_OF(256) GPU_WITH("OF_TERMS=1"), RIPS_WIDE_TERMS) \
    PASS(rips_wide_left, "rips/wide_left", GPU_GROUPS_OF(256), RIPS_WIDE_LEFT)
/* clang-format on */
GPU_DECLARE_PASSES(RIPS_PASSES, rips_passes)

/* WORDS of the passes for n points of a matrix, and their ROOM. */
static inline int rips_words(uint32_t n) {
    int words = 8;
    while (32 * (uint32_t)words < n) words *= 2;
    return words;
}
static inline int rips_room(int words) { return 32 * words < RIPS_MOST_ROOM ? 32 * words : RIPS_MOST_ROOM; }

/* ROOM of the passes for lists of at most so many points; WORDS is a thirty-second of it. */
static inline int rips_list_room(size_t longest) {
    int room = 64;
    while (room < RIPS_MOST_LUNE && (size_t)room < longest) room *= 2;
    return room;
}

#endif
