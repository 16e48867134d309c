/* All points within a distance of each query: by walks on the CPU, or by passes (within_by_passes.c). */
#include <stdlib.h>

#include "base/memory.h"
#include "base/owned.h"
#include "base/threads.h"
#include "index/passes.h"
#include "index/points.h"
#include "index/walk.h"

#define BLOCK 256u /* queries of a block of work */

/* ---- counting ---------------------------------------------------------------------------------- */

/* No less than the sum of q and any point in a box: as walk_bound, from the farther side in each column. */
static double farthest(const spatial_index *x, const double *box, const double *q) {
    double sum = 0;
    for (uint32_t c = 0; c < x->columns; c++) {
        double below = q[c] - box[2 * c], above = box[2 * c + 1] - q[c];
        sum = norm_add(&x->norm, x->norm.power, sum, below < above ? above : below);
    }
    return norm_is_whole(&x->norm) ? sum : sum * (1 + 0x1p-40) + 0x1p-960;
}

static uint32_t points_below(const spatial_index *x, uint32_t node) {
    uint32_t shift = (uint32_t)(__builtin_clz(node) - __builtin_clz(x->leaves));
    return index_leaf_start(x, ((node + 1) << shift) - x->leaves) -
           index_leaf_start(x, (node << shift) - x->leaves);
}

static uint64_t count_in_leaf(const spatial_index *x, uint32_t leaf, const double *q, double most) {
    uint64_t count = 0;
    for (uint32_t i = index_leaf_start(x, leaf); i < index_leaf_start(x, leaf + 1); i++)
        count += walk_sum(x, q, x->row + (size_t)i * x->columns, x->columns, x->norm.power) <= most;
    return count;
}

/* How many points are within `most` of q. A node that is within as a whole is not entered: so a count of very
 * many takes no time in proportion to them. */
static uint64_t count_within(const spatial_index *x, const double *q, double most) {
    uint32_t stack[64], top = 0;
    uint64_t count = 0;
    stack[top++] = 1;
    while (top) {
        uint32_t node = stack[--top];
        const double *box = x->box + (size_t)node * 2 * x->columns;
        if (walk_bound(x, box, q, x->columns, x->norm.power) > most) continue;
        if (node >= x->leaves) count += count_in_leaf(x, node - x->leaves, q, most);
        else if (farthest(x, box, q) <= most) count += points_below(x, node);
        else {
            stack[top++] = 2 * node;
            stack[top++] = 2 * node + 1;
        }
    }
    return count;
}

/* ---- finding ----------------------------------------------------------------------------------- */

/* What a query has found. */
typedef struct ball {
    const spatial_index *x;
    uint32_t own;
    uint64_t count;
    walk_reach *items;
} ball;

static void take(void *user, double sum, uint32_t position, walk_reach *reach) {
    ball *b = user;
    (void)reach;
    if (b->x->point[position] == b->own) return;
    b->items[b->count++] = (walk_reach){sum, b->x->point[position]};
}

static int by_sum(const void *a, const void *b) {
    const walk_reach *x = a, *y = b;
    return walk_before(x->sum, x->point, y) ? -1 : walk_before(y->sum, y->point, x);
}

typedef struct job {
    const index_task *task;
    double most;
    uint64_t *counts;
    const uint64_t *start;
    uint32_t *index;
    double *sum;
} job;

static void search_ball(const job *j, uint32_t position, walk_reach *items) {
    const spatial_index *x = j->task->x, *q = j->task->queries;
    ball b = {x, q == x ? q->point[position] : INDEX_NONE, 0, items};
    walk_reach reach = {j->most, INDEX_NONE};
    uint64_t seen = 0;
    walk(x, q->row + (size_t)position * q->columns, &reach, NULL, take, &b, &seen);
}

static glshape_status count_block(error *err, void *user, uint64_t block, void *scratch) {
    const job *j = user;
    const spatial_index *x = j->task->x, *q = j->task->queries;
    uint64_t own = q == x && j->most >= 0; /* a point is within any distance of itself */
    (void)err, (void)scratch;
    for (uint32_t i = (uint32_t)block * BLOCK; i < q->n && i / BLOCK == block; i++)
        j->counts[q->point[i]] = count_within(x, q->row + (size_t)i * q->columns, j->most) - own;
    return GLSHAPE_OK;
}

static glshape_status fill_block(error *err, void *user, uint64_t block, void *scratch) {
    const job *j = user;
    const spatial_index *q = j->task->queries;
    OWNED walk_reach *items = NULL;
    size_t room = 0;
    (void)scratch;
    for (uint32_t i = (uint32_t)block * BLOCK; i < q->n && i / BLOCK == block; i++) {
        uint64_t from = j->start[q->point[i]], count = j->start[q->point[i] + 1] - from;
        TRY(memory_reserve(err, &items, &room, count + 1, sizeof *items, "neighbors of a point"));
        search_ball(j, i, items);
        if (j->sum) qsort(items, count, sizeof *items, by_sum);
        for (uint64_t a = 0; a < count; a++) j->index[from + a] = items[a].point;
        for (uint64_t a = 0; a < count && j->sum; a++) j->sum[from + a] = items[a].sum;
        if (!j->sum) index_sort_points(j->index + from, count);
    }
    return GLSHAPE_OK;
}

static glshape_status do_queries(run *r, job *j, bool fill) {
    threads_job work = {.work = fill ? fill_block : count_block,
                        .user = j,
                        .blocks = (j->task->queries->n - 1) / BLOCK + 1,
                        .name = "neighbors of a point",
                        .progress = run_go_on,
                        .progress_user = r,
                        .from = fill ? 0.5 : 0,
                        .to = fill ? 1 : 0.5};
    return threads_do(run_error(r), &work);
}

glshape_status index_within_count_on_cpu(run *r, const index_task *task, double most, uint64_t *start) {
    job j = {.task = task, .most = most, .counts = start + 1};
    start[0] = 0;
    TRY(do_queries(r, &j, false));
    for (uint32_t i = 0; i < task->queries->n; i++) start[i + 1] += start[i];
    return GLSHAPE_OK;
}

glshape_status index_within_on_cpu(run *r, const index_task *task, double most, const uint64_t *start,
                                   uint32_t *index, double *sum) {
    job j = {.task = task, .most = most, .start = start, .index = index, .sum = sum};
    return do_queries(r, &j, true);
}

/* ---- either way -------------------------------------------------------------------------------- */

glshape_status index_within_count(gpu *g, const index_task *task, double most, uint64_t *start) {
    run_why why;
    TRY(index_within_place(g, task, &why));
    OWNED_BY(run_end_within) run_within stage = run_begin_within(run_of(g), "walks", why);
    return run_why_device(why) ? index_within_count_by_passes(g, task, most, start)
                               : index_within_count_on_cpu(run_of(g), task, most, start);
}

/* A list that takes a great part of the memory of a dispatch is sooner found by a thread. */
static bool is_short(const index_task *task, const uint64_t *start) {
    for (uint32_t q = 0; q < task->queries->n; q++)
        if (start[q + 1] - start[q] > INDEX_WITHIN_MOST) return false;
    return true;
}

glshape_status index_within(gpu *g, const index_task *task, double most, const uint64_t *start,
                            uint32_t *index, double *sum) {
    run_why why;
    TRY(index_within_place(g, task, &why));
    if (run_why_device(why) && !is_short(task, start)) why = RUN_NOT_LIMITS;
    OWNED_BY(run_end_within) run_within stage = run_begin_within(run_of(g), "walks", why);
    return run_why_device(why) ? index_within_by_passes(g, task, most, start, index, sum)
                               : index_within_on_cpu(run_of(g), task, most, start, index, sum);
}
