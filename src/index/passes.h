/* The passes of this folder. */
#ifndef GLSHAPE_INDEX_PASSES_H
#define GLSHAPE_INDEX_PASSES_H

#include "gpu/pass.h"
#include "index/index.h"

/* clang-format off */
/* What a walk through the tree is given (glsl/index/walk.glsl). */
#define INDEX_WALK(P)                                                                           \
    P(SIZE, POWER, 0, 1, 2, 3) P(SIZE, COLUMNS, 1, 2, 3, 16)                                      \
    P(READ, RGBA32UI, rows) P(READ, RGBA32UI, boxes) P(READ, R32UI, leasts) P(READ, R32UI, firsts) \
    P(READ, RGBA32UI, queries) P(UPDATE, RG32UI, places) P(ATOMIC, R32UI, unfinished)           \
    P(UINT, leaves) P(UINT, each) P(UINT, first) P(UINT, count) P(UINT, begin) P(UINT, turns)

#define INDEX_NEAREST(P)                                                \
    INDEX_WALK(P) P(AXIS, KEEP, 1, 4, 8, 16, 32)                        \
    P(UPDATE, R32UI, found) P(UPDATE, RG32UI, sums) P(UINT, from) P(UINT, keep) P(UINT, same)

#define INDEX_ACROSS(P)                                                                        \
    INDEX_WALK(P) P(READ, R32UI, asked) P(READ, R32UI, labels) P(READ, R32UI, node_label)           \
    P(ATOMIC, R32UI, limits) P(UPDATE, R32UI, found) P(UPDATE, RG32UI, sums)                   \
    P(AXIS, CORES, 0, 1) P(READ_BY, CORES, cores, GPU_NONE, GPU_RG32UI)

#define INDEX_WITHIN(P)                                                                            \
    INDEX_WALK(P) P(UPDATE, R32UI, taken) P(UINT, reach_low) P(UINT, reach_high) P(UINT, same)
#define INDEX_WITHIN_FILL(P)                                                                       \
    INDEX_WITHIN(P) P(READ, R32UI, starts) P(WRITE, R32UI, found) P(WRITE, RG32UI, sums)

#define INDEX_PASSES(PASS)                                               \
    PASS(index_nearest, "index/nearest", GPU_GROUPS_OF(64), INDEX_NEAREST) \
    PASS(index_across, "index/across", GPU_GROUPS_OF(64), INDEX_ACROSS) \
    PASS(index_within_count, "index/within", GPU_GROUPS_OF(64) GPU_WITH("FILL=0"), INDEX_WITHIN) \
    PASS(index_within_fill, "index/within", GPU_GROUPS_OF(64) GPU_WITH("FILL=1"), INDEX_WITHIN_FILL)
/* clang-format on */
GPU_DECLARE_PASSES(INDEX_PASSES, index_passes)

/* ---- walks in several dispatches --------------------------------------------------------------- */

#define INDEX_LOCAL 64u

/* The places of walks, and how many of them are not done. (walks.c) */
typedef struct index_walks {
    gpu *g;
    gpu_texture places, count;
    uint32_t unfinished, dispatches;
} index_walks;

/* Room for `most` walks at a time. */
glshape_status index_walks_new(gpu *g, uint32_t most, index_walks *out);
void index_walks_free(index_walks *w);
/* Begins new walks. Then, while *unfinished is not 0: a dispatch between _before and _after.
 * GLSHAPE_GPU_ERROR if they do not end. */
void index_walks_begin(index_walks *w);
glshape_status index_walks_before(index_walks *w);
glshape_status index_walks_after(index_walks *w);
/* The turns of a walk in one dispatch. */
uint32_t index_turns(const index_walks *w, const spatial_index *x);

/* What all passes that walk are given. */
#define INDEX_WALKS(x, w)                                                                                  \
    .POWER = (int)(x)->norm.power, .COLUMNS = (int)(x)->columns, .rows = &(x)->rows, .boxes = &(x)->boxes, \
    .leasts = &(x)->leasts, .firsts = &(x)->firsts, .places = &(w)->places, .unfinished = &(w)->count,     \
    .leaves = (x)->leaves, .each = (x)->leaves / (x)->buckets, .begin = (w)->dispatches == 0,              \
    .turns = index_turns(w, x)

/* Where so many queries are answered: by passes, on a device whose doubles are right, or by the processors.
 */
glshape_status index_by_passes(gpu *g, const spatial_index *x, uint32_t queries, gpu_why *why);

/* The same for each search, by passes only if the driver is trusted with its programs. (check.c) */
glshape_status index_nearest_place(gpu *g, const index_task *task, gpu_why *why);
glshape_status index_within_place(gpu *g, const index_task *task, gpu_why *why);
glshape_status index_across_place(gpu *g, const index_crossing *task, gpu_why *why);
/* Neighbors that a walk keeps, at most; and the size of the list in registers for `left` of them. */
#define INDEX_KEEP 32u
int index_list_size(uint32_t left);

/* As many items of so many bytes as may take `room` bytes of textures; half of what is left under a limit of
 * memory. At least INDEX_LOCAL. */
uint32_t index_at_once(gpu *g, size_t each, size_t room, uint32_t most);

#endif
