/* All points within a distance of each query, by walks on the CPU. */
#include <stdlib.h>

#include "base/memory.h"
#include "base/owned.h"
#include "base/threads.h"
#include "index/walk.h"

#define BLOCK 256u /* queries of a block of work */

/* What a query has found. Only counted if items is NULL. */
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
    if (b->items) b->items[b->count] = (walk_reach){sum, b->x->point[position]};
    b->count++;
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

static uint64_t search_ball(const job *j, uint32_t position, walk_reach *items) {
    const spatial_index *x = j->task->x, *q = j->task->queries;
    ball b = {x, q == x ? q->point[position] : INDEX_NONE, 0, items};
    walk_reach reach = {j->most, INDEX_NONE};
    uint64_t seen = 0;
    walk(x, q->row + (size_t)position * q->columns, &reach, NULL, take, &b, &seen);
    return b.count;
}

static glshape_status count_block(error *err, void *user, uint64_t block, void *scratch) {
    const job *j = user;
    const spatial_index *q = j->task->queries;
    (void)err, (void)scratch;
    for (uint32_t i = (uint32_t)block * BLOCK; i < q->n && i / BLOCK == block; i++)
        j->counts[q->point[i]] = search_ball(j, i, NULL);
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
        qsort(items, count, sizeof *items, by_sum);
        for (uint64_t a = 0; a < count; a++) {
            j->index[from + a] = items[a].point;
            j->sum[from + a] = items[a].sum;
        }
    }
    return GLSHAPE_OK;
}

static glshape_status run(gpu *g, job *j, bool fill) {
    threads_job work = {.work = fill ? fill_block : count_block,
                        .user = j,
                        .blocks = (j->task->queries->n - 1) / BLOCK + 1,
                        .name = "neighbors of a point",
                        .progress = gpu_go_on,
                        .progress_user = g,
                        .from = fill ? 0.5 : 0,
                        .to = fill ? 1 : 0.5};
    return threads_do(gpu_error(g), &work);
}

glshape_status index_within_count(gpu *g, const index_task *task, double most, uint64_t *start) {
    job j = {.task = task, .most = most, .counts = start + 1};
    start[0] = 0;
    TRY(run(g, &j, false));
    for (uint32_t i = 0; i < task->queries->n; i++) start[i + 1] += start[i];
    return GLSHAPE_OK;
}

glshape_status index_within(gpu *g, const index_task *task, double most, const uint64_t *start,
                            uint32_t *index, double *sum) {
    job j = {.task = task, .most = most, .start = start, .index = index, .sum = sum};
    return run(g, &j, true);
}
