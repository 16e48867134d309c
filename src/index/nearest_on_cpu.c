/* The k nearest points of each query, by a walk on the CPU. */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/owned.h"
#include "base/random.h"
#include "base/threads.h"
#include "index/walk.h"

#define BLOCK 1024u /* queries of a block of work */
#define SAMPLE 64u  /* queries that tell the cost */

/* A list of the nearest so far, in order; INDEX_NONE at INFINITY where there is none yet. */
typedef struct neighbor {
    double sum;
    uint32_t point, position;
} neighbor;

typedef struct list {
    const spatial_index *x;
    uint32_t k, own; /* own: the query's own index, or INDEX_NONE */
    neighbor *best;
} list;

static void list_take(void *user, double sum, uint32_t position, walk_reach *reach) {
    const list *l = user;
    uint32_t point = l->x->point[position];
    neighbor *at = l->best + l->k - 1, *last = at;
    if (point == l->own) return;
    for (; at > l->best && walk_before(sum, point, &(walk_reach){at[-1].sum, at[-1].point}); at--)
        *at = at[-1];
    *at = (neighbor){sum, point, position};
    *reach = (walk_reach){last->sum, last->point};
}

static void find_nearest(list *l, const double *row, uint64_t *seen) {
    walk_reach reach = {INFINITY, INDEX_NONE};
    for (uint32_t a = 0; a < l->k; a++) l->best[a] = (neighbor){INFINITY, INDEX_NONE, INDEX_NONE};
    walk(l->x, row, &reach, NULL, list_take, l, seen);
}

typedef struct job {
    const index_task *task;
    uint32_t *index;
    double *sum;
} job;

static glshape_status search_block(error *err, void *user, uint64_t block, void *scratch) {
    const job *j = user;
    const spatial_index *q = j->task->queries;
    list l = {.x = j->task->x, .k = j->task->k, .best = scratch};
    uint64_t seen = 0;
    (void)err;
    for (uint32_t i = (uint32_t)block * BLOCK; i < q->n && i / BLOCK == block; i++) {
        size_t to = (size_t)(j->sum ? q->point[i] : i) * l.k;
        l.own = q == l.x ? q->point[i] : INDEX_NONE;
        find_nearest(&l, q->row + (size_t)i * q->columns, &seen);
        for (uint32_t a = 0; a < l.k; a++) {
            j->index[to + a] = j->sum ? l.best[a].point : l.best[a].position;
            if (j->sum) j->sum[to + a] = l.best[a].sum;
        }
    }
    return GLSHAPE_OK;
}

double index_cost(const spatial_index *x, uint32_t k) {
    neighbor best[GLSHAPE_KNN_MOST];
    list l = {.x = x, .k = k, .own = INDEX_NONE, .best = best};
    random_state r = {0};
    uint64_t seen = 0;
    for (uint32_t i = 0; i < SAMPLE; i++)
        find_nearest(&l, x->row + (size_t)random_below(&r, x->n) * x->columns, &seen);
    return (double)seen / SAMPLE;
}

glshape_status index_nearest_on_cpu(run *r, const index_task *task, uint32_t *index, double *sum) {
    job j = {task, index, sum};
    threads_job work = {.work = search_block,
                        .user = &j,
                        .blocks = (task->queries->n - 1) / BLOCK + 1,
                        .scratch_bytes = task->k * sizeof(neighbor),
                        .name = "neighbors of a point",
                        .progress = run_go_on,
                        .progress_user = r,
                        .to = 1};
    return threads_do(run_error(r), &work);
}
