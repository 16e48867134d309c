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

/* Components of nodes. */
#define INDEX_LABELS(P)                                                                            \
    P(READ, R32UI, labels) P(UPDATE, R32UI, node_label) P(UINT, first) P(UINT, count)
#define INDEX_LEAF_LABELS(P) INDEX_LABELS(P) P(READ, R32UI, firsts) P(UINT, each)

#define INDEX_WITHIN(P)                                                                            \
    INDEX_WALK(P) P(UPDATE, R32UI, taken) P(UINT, reach_low) P(UINT, reach_high) P(UINT, same)
#define INDEX_WITHIN_FILL(P)                                                                       \
    INDEX_WITHIN(P) P(READ, R32UI, starts) P(WRITE, R32UI, found) P(WRITE, RG32UI, sums) P(UINT, with_sums)
#define INDEX_SORT(P) P(READ, R32UI, starts) P(UPDATE, R32UI, found)

/* Candidates in single precision (near.c). */
#define INDEX_NEAR_ROWS(P) P(AXIS, PAIRS, 0, 1) P(READ, RGBA32UI, rows) P(WRITE, RGBA32F, halved) P(UINT, columns) P(UINT, texels) P(UINT, count)
#define INDEX_NEAR_BOXES(P) P(AXIS, PAIRS, 0, 1) P(READ, RGBA32UI, boxes) P(WRITE, RGBA32F, halved) P(UINT, columns) P(UINT, texels) P(UINT, count)
#define INDEX_NEAR(P)                                                                              \
    P(SIZE, COLUMNS, 1, 2, 3, 16) P(AXIS, PAIRS, 0, 1) P(AXIS, KEEP, 2, 6, 12, 16, 32)             \
    P(READ, RGBA32F, near_rows) P(READ, RGBA32F, near_boxes) P(READ, RGBA32F, near_queries)        \
    P(READ, R32UI, firsts) P(UPDATE, RG32UI, places) P(ATOMIC, R32UI, unfinished)                  \
    P(UPDATE, R32UI, found) P(UPDATE, R32F, near_sums)                                             \
    P(UINT, leaves) P(UINT, each) P(UINT, first) P(UINT, count) P(UINT, begin) P(UINT, turns)      \
    P(UINT, keep) P(UINT, same)
#define INDEX_DECIDE(P)                                                                            \
    P(AXIS, KEEP, 2, 6, 12, 16, 32) P(AXIS, ROOT, 0, 1) P(AXIS, WHOLE, 0, 1)                       \
    P(READ, RGBA32UI, rows)                                                                        \
    P(READ, RGBA32UI, queries) P(READ, R32UI, found) P(READ, R32F, near_sums)                      \
    P(WRITE, R32UI, index) P(WRITE, RG32UI, distances) P(WRITE, R32UI, uncertain_list)             \
    P(ATOMIC, R32UI, uncertain) P(UINT, columns) P(UINT, first) P(UINT, count) P(UINT, keep)       \
    P(UINT, nearest) P(FLOAT, relative) P(FLOAT, absolute) P(UINT, factor_low) P(UINT, factor_high)
#define INDEX_PICK(P) P(READ, RGBA32UI, queries) P(READ, R32UI, list) P(WRITE, RGBA32UI, picked) P(UINT, texels) P(UINT, count)

/* What makes the index (build.c). values: of the points, as the input has them. */
#define INDEX_VALUES(P) \
    P(AXIS, FLOATS, 0, 1) P(READ_BY, FLOATS, values, GPU_RG32UI, GPU_R32UI) P(INT, exponent)
#define INDEX_DESCEND(P)                                                                           \
    INDEX_VALUES(P) P(READ, RGBA32UI, cuts) P(WRITE, RGBA32UI, items)                              \
    P(UINT, of) P(UINT, parts) P(UINT, all) P(UINT, depth) P(UINT, count)
#define INDEX_FIRSTS(P) P(READ, RGBA32UI, items) P(WRITE, R32UI, firsts) P(UINT, count) P(UINT, buckets)
#define INDEX_CUT(P)                                                                               \
    INDEX_VALUES(P) P(READ, RGBA32UI, items) P(READ, R32UI, firsts)                                \
    P(WRITE, RGBA32UI, cuts) P(WRITE, R32UI, order)                                                \
    P(UINT, columns) P(UINT, levels) P(UINT, buckets) P(UINT, last)
#define INDEX_ROWS(P) INDEX_VALUES(P) P(READ, R32UI, order) P(WRITE, RGBA32UI, rows) P(UINT, columns) P(UINT, count)
#define INDEX_NODES(P)                                                                             \
    P(UPDATE, RGBA32UI, boxes) P(UPDATE, R32UI, leasts) P(UINT, columns) P(UINT, first) P(UINT, count)
#define INDEX_LEAVES(P) INDEX_NODES(P) P(READ, RGBA32UI, rows) P(READ, R32UI, firsts) P(UINT, each)

#define INDEX_FINISH(P)                                                                            \
    P(AXIS, ROOT, 0, 1) P(READ, RGBA32UI, rows) P(READ, RGBA32UI, queries) P(READ, R32UI, found)   \
    P(READ, RG32UI, sums) P(WRITE, R32UI, index) P(WRITE, RG32UI, distances) P(UINT, columns)      \
    P(UINT, first) P(UINT, count) P(UINT, keep) P(UINT, factor_low) P(UINT, factor_high)

#define INDEX_PASSES(PASS)                                               \
    PASS(index_nearest, "index/nearest", GPU_GROUPS_OF(64), INDEX_NEAREST) \
    PASS(index_across, "index/across", GPU_GROUPS_OF(64), INDEX_ACROSS) \
    PASS(index_leaf_labels, "index/labels", GPU_GROUPS_OF(64) GPU_WITH("LEAVES=1"), INDEX_LEAF_LABELS) \
    PASS(index_node_labels, "index/labels", GPU_GROUPS_OF(64) GPU_WITH("LEAVES=0"), INDEX_LABELS) \
    PASS(index_within_count, "index/within", GPU_GROUPS_OF(64) GPU_WITH("FILL=0"), INDEX_WITHIN) \
    PASS(index_within_fill, "index/within", GPU_GROUPS_OF(64) GPU_WITH("FILL=1"), INDEX_WITHIN_FILL) \
    PASS(index_sort, "index/sort", GPU_GROUPS_OF(64), INDEX_SORT) \
    PASS(index_descend, "index/descend", GPU_GROUPS_OF(64), INDEX_DESCEND) \
    PASS(index_firsts, "index/firsts", GPU_GROUPS_OF(64), INDEX_FIRSTS) \
    PASS(index_cut, "index/cut", GPU_GROUPS_OF(256), INDEX_CUT) \
    PASS(index_rows, "index/rows", GPU_GROUPS_OF(64), INDEX_ROWS) \
    PASS(index_leaves, "index/boxes", GPU_GROUPS_OF(64) GPU_WITH("LEAVES=1"), INDEX_LEAVES) \
    PASS(index_nodes, "index/boxes", GPU_GROUPS_OF(64) GPU_WITH("LEAVES=0"), INDEX_NODES) \
    PASS(index_near_rows, "index/halve", GPU_GROUPS_OF(64) GPU_WITH("BOXES=0"), INDEX_NEAR_ROWS) \
    PASS(index_near_boxes, "index/halve", GPU_GROUPS_OF(64) GPU_WITH("BOXES=1"), INDEX_NEAR_BOXES) \
    PASS(index_near, "index/near", GPU_GROUPS_OF(64), INDEX_NEAR) \
    PASS(index_decide, "index/decide", GPU_GROUPS_OF(64), INDEX_DECIDE) \
    PASS(index_pick, "index/pick", GPU_GROUPS_OF(64), INDEX_PICK) \
    PASS(index_finish, "index/finish", GPU_GROUPS_OF(64), INDEX_FINISH)
/* clang-format on */
GPU_DECLARE_PASSES(INDEX_PASSES, index_passes)

/* ---- walks in several dispatches --------------------------------------------------------------- */

#define INDEX_LOCAL 64u

/* The places of walks, and how many of them are not done. (walks.c) */
typedef struct index_walks {
    gpu *g;
    gpu_texture places, count;
    uint32_t unfinished, dispatches;
    uint32_t first_turns; /* of a walk in the first dispatch, at most; 0: as in the others */
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

/* Where so many queries are answered: by passes, on a device whose doubles are right unless they need none,
 * or by the processors. */
glshape_status index_by_passes(gpu *g, const spatial_index *x, uint32_t queries, bool doubles, run_why *why);

/* Whether the index is made by passes: as gpu_trusts_for. (check.c) */
glshape_status index_make_trusted(gpu *g, const index_source *s, run_why *why);
/* The same for each search, by passes only if the driver is trusted with its programs. (check.c) */
glshape_status index_nearest_place(gpu *g, const index_task *task, run_why *why);
glshape_status index_within_place(gpu *g, const index_task *task, run_why *why);
glshape_status index_across_place(gpu *g, const index_crossing *task, run_why *why);
/* Results that stay on the device, by the indices of queries. */
typedef struct index_results {
    gpu_texture index, distance;
    bool root;          /* distances are roots of sums … */
    uint32_t factor[2]; /* … times this double */
    bool whole;         /* by programs without doubles: uncertain queries are the processors' … */
    uint32_t *again;    /* … those at these positions */
    size_t again_count, again_room;
} index_results;
#define INDEX_RESULTS(r)                                                                                \
    .ROOT = (r)->root, .index = &(r)->index, .distances = &(r)->distance, .factor_low = (r)->factor[0], \
    .factor_high = (r)->factor[1]
/* ---- searches whose results stay on the device, for passes of other folders ---------------------- */

/* nearest.c: the k nearest of each point, positions and sums (n elements of k texels, R32UI and RG32UI), by
 * position, in order. The caller's textures. meanwhile(user) is called while the device works.
 * GLSHAPE_NO_GPU_MEMORY. */
glshape_status index_nearest_kept(gpu *g, spatial_index *x, uint32_t k, void (*meanwhile)(void *user),
                                  void *user, gpu_texture *found, gpu_texture *sums);

/* across.c: searches for the nearest points of other components. labels, limits, asked: as
 * glsl/index/across.glsl has them, of all points; the caller's. found, sums: room for at_once queries. */
typedef struct index_crossings {
    spatial_index *x;
    gpu_texture *labels, *limits, *asked;
    gpu_texture *cores;        /* as there; NULL: there are none */
    void (*meanwhile)(gpu *g); /* NULL, or called once while the device works */
    double most;               /* turns of walks that may be taken in all; 0: as many as they need */
    double taken;              /* about how many were, by walks that take several dispatches */
    uint32_t at_once;
    gpu_texture found, sums, node_label;
    index_walks walks;
} index_crossings;
/* x, labels, limits and asked are set. GLSHAPE_NO_GPU_MEMORY. */
glshape_status index_crossings_new(gpu *g, index_crossings *c);
void index_crossings_free(index_crossings *c);
/* Brings the labels of nodes up to date with those of points. */
glshape_status index_label_nodes_by_passes(gpu *g, index_crossings *c);
static inline bool index_gave_up(const index_crossings *c) { return c->most > 0 && c->taken > c->most; }
/* Answers `count` of the queries that are asked, at most c->at_once, from `first` on. Once c->taken is more
 * than c->most, it gives up, and the answers are none. */
glshape_status index_cross(gpu *g, index_crossings *c, uint32_t first, uint32_t count);
/* Has the programs of these searches compiled. */
void index_expect_kept(gpu *g, const spatial_index *x, uint32_t k, bool cores);

/* nearest.c: searches for the queries at positions from `first` on, in double. same: they are points of
 * task->x, and no neighbors of their own. */
glshape_status index_search_exactly(gpu *g, const index_task *task, bool same, uint32_t first,
                                    index_results *results);
/* near.c: searches for queries through candidates, as long as that pays: *searched of them. */
glshape_status index_search_near(gpu *g, const index_task *task, index_results *results, uint32_t *searched);
/* Whether coordinates are the sums of two floats; the size of its lists of candidates in registers, 0: there
 * are none. */
bool index_has_pairs(const index_task *task);
int index_near_size(const index_task *task);
/* The same of a norm and a number of neighbors. */
int index_near_size_of(const norm *n, uint32_t k);
/* build.c: expects the largest programs that make an index, in the order in which they are needed, and those
 * of a search for s->k neighbors. source: an index_source. */
void index_expect(gpu *g, const void *source);
/* nearest.c: expects the programs of a search for s->k neighbors. */
void index_expect_search(gpu *g, const index_source *s);
/* build.c: fails with GLSHAPE_GPU_ERROR: the device computed what cannot be. */
glshape_status index_is_wrong(gpu *g);
/* Whether the device makes distances of sums, rounded as on the CPU; root: of squares. (check.c) */
glshape_status index_finish_trusted(gpu *g, const index_task *task, bool root, bool *so);
/* Neighbors that a walk keeps, at most; and the size of the list in registers for `left` of them. */
#define INDEX_KEEP 32u
int index_list_size(uint32_t left);

/* As many items of so many bytes as may take `room` bytes of textures; half of what is left under a limit of
 * memory. At least INDEX_LOCAL. */
uint32_t index_at_once(gpu *g, size_t each, size_t room, uint32_t most);

#endif
