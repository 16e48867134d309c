/* Neighbors from rows of bounds. A bound is at most its sum. So the k points of least bounds are compared
 * first; the greatest of their sums is at least that of the k-th neighbor, and of the others only those whose
 * bound is no greater can be neighbors. */
#include "neighbors/rows.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/owned.h"
#include "base/threads.h"

#define BLOCK 16u /* queries of a block of work */

typedef struct item {
    double sum;
    uint32_t index;
} item;

static bool before(item a, item b) { return a.sum < b.sum || (a.sum == b.sum && a.index < b.index); }

static int by_sum(const void *a, const void *b) {
    const item *x = a, *y = b;
    return before(*x, *y) ? -1 : before(*y, *x);
}

/* The k first items, the last of them at the root of a heap. */
typedef struct heap {
    item *items;
    uint32_t k, count;
} heap;

static void sift_down(heap *h) {
    item moved = h->items[0];
    uint32_t at = 0;
    for (uint32_t child = 1; child < h->count; child = 2 * at + 1) {
        if (child + 1 < h->count && before(h->items[child], h->items[child + 1])) child++;
        if (!before(moved, h->items[child])) break;
        h->items[at] = h->items[child];
        at = child;
    }
    h->items[at] = moved;
}

static void offer(heap *h, item x) {
    if (h->count < h->k) {
        uint32_t at = h->count++;
        for (; at && before(h->items[(at - 1) / 2], x); at = (at - 1) / 2)
            h->items[at] = h->items[(at - 1) / 2];
        h->items[at] = x;
    } else if (before(x, h->items[0])) {
        h->items[0] = x;
        sift_down(h);
    }
}

typedef struct job {
    const knn_rows *rows;
    uint32_t k;
    double most;
    uint64_t *counts;
    const uint64_t *start;
    uint32_t *index;
    double *sum;
} job;

/* What a thread works with; scratch of the rows' own lies behind. */
typedef struct bench {
    double *bound; /* n */
    heap least, nearest;
    void *scratch;
} bench;

static bench bench_of(const job *j, void *scratch) {
    bench b = {.bound = scratch};
    b.least = (heap){(item *)(b.bound + j->rows->n), j->k, 0};
    b.nearest = (heap){b.least.items + j->k, j->k, 0};
    b.scratch = b.nearest.items + j->k;
    return b;
}

/* Compares the points of least bounds, and then those whose bounds are no greater than what they show. */
static void compare(const job *j, bench *b, uint32_t i) {
    const knn_rows *r = j->rows;
    for (uint32_t a = 0; a < b->least.count; a++) {
        uint32_t p = b->least.items[a].index;
        b->bound[p] = INFINITY;
        offer(&b->nearest, (item){r->sum(r->user, i, p), p});
    }
    for (uint32_t p = 0; p < r->n; p++)
        if (b->bound[p] <= b->nearest.items[0].sum) offer(&b->nearest, (item){r->sum(r->user, i, p), p});
}

static glshape_status fill_bounds(error *err, const job *j, bench *b, uint32_t i) {
    TRY(j->rows->bounds(err, j->rows->user, i, b->scratch, b->bound));
    if (j->rows->own) b->bound[i] = NAN; /* nothing is before or after it */
    return GLSHAPE_OK;
}

/* A bound that is infinite tells nothing of a sum; a distance may be infinite, and is then after all others.
 */
static bool can_be_near(const job *j, double bound) {
    return bound < INFINITY || (!j->rows->sum && isinf(bound));
}

static glshape_status nearest_block(error *err, void *user, uint64_t block, void *scratch) {
    const job *j = user;
    bench b = bench_of(j, scratch);
    for (uint32_t i = (uint32_t)block * BLOCK; i < j->rows->count && i / BLOCK == block; i++) {
        TRY(fill_bounds(err, j, &b, i));
        b.least.count = b.nearest.count = 0;
        for (uint32_t p = 0; p < j->rows->n; p++)
            if (can_be_near(j, b.bound[p]) && (b.least.count < j->k || b.bound[p] <= b.least.items[0].sum))
                offer(&b.least, (item){b.bound[p], p});
        if (j->rows->sum) compare(j, &b, i);
        item *found = j->rows->sum ? b.nearest.items : b.least.items;
        qsort(found, j->k, sizeof *found, by_sum);
        for (size_t a = 0; a < j->k; a++) {
            j->index[(size_t)i * j->k + a] = found[a].index;
            j->sum[(size_t)i * j->k + a] = found[a].sum;
        }
    }
    return GLSHAPE_OK;
}

/* Puts the points within reach, `room` at most, into items; returns how many they are. */
static uint64_t take_within(const job *j, const bench *b, uint32_t i, item *items, uint64_t room) {
    const knn_rows *r = j->rows;
    uint64_t count = 0;
    for (uint32_t p = 0; p < r->n; p++) {
        if (!(b->bound[p] <= j->most)) continue;
        double sum = r->sum ? r->sum(r->user, i, p) : b->bound[p];
        if (sum > j->most) continue;
        if (count < room) items[count] = (item){sum, p};
        count++;
    }
    return count;
}

static glshape_status within_block(error *err, void *user, uint64_t block, void *scratch) {
    const job *j = user;
    bench b = bench_of(j, scratch);
    OWNED item *items = NULL;
    size_t room = 0;
    for (uint32_t i = (uint32_t)block * BLOCK; i < j->rows->count && i / BLOCK == block; i++) {
        TRY(fill_bounds(err, j, &b, i));
        if (!j->start) {
            j->counts[i] = take_within(j, &b, i, NULL, 0);
            continue;
        }
        uint64_t from = j->start[i], count = j->start[i + 1] - from;
        TRY(memory_reserve(err, &items, &room, count + 1, sizeof *items, "neighbors of a point"));
        if (take_within(j, &b, i, items, count) != count)
            return fail(err, GLSHAPE_IO_ERROR, "row %u has changed while it was being read", i + 1);
        qsort(items, count, sizeof *items, by_sum);
        for (uint64_t a = 0; a < count; a++) {
            j->index[from + a] = items[a].index;
            j->sum[from + a] = items[a].sum;
        }
    }
    return GLSHAPE_OK;
}

static glshape_status do_blocks(run *r, job *j, glshape_status (*work)(error *, void *, uint64_t, void *),
                                double from, double to) {
    threads_job all = {.work = work,
                       .user = j,
                       .blocks = (j->rows->count - 1) / BLOCK + 1,
                       .scratch_bytes = j->rows->n * sizeof(double) + 2 * (size_t)j->k * sizeof(item) +
                                        j->rows->scratch_bytes,
                       .name = "rows being compared",
                       .progress = run_go_on,
                       .progress_user = r,
                       .from = from,
                       .to = to};
    return threads_do(run_error(r), &all);
}

glshape_status knn_rows_nearest(run *r, const knn_rows *rows, uint32_t k, uint32_t *index, double *sum) {
    return do_blocks(r, &(job){.rows = rows, .k = k, .index = index, .sum = sum}, nearest_block, 0, 1);
}

glshape_status knn_rows_within_count(run *r, const knn_rows *rows, double most, uint64_t *start) {
    start[0] = 0;
    TRY(do_blocks(r, &(job){.rows = rows, .most = most, .counts = start + 1}, within_block, 0, 0.5));
    for (uint32_t i = 0; i < rows->count; i++) start[i + 1] += start[i];
    return GLSHAPE_OK;
}

glshape_status knn_rows_within(run *r, const knn_rows *rows, double most, const uint64_t *start,
                               uint32_t *index, double *sum) {
    job j = {.rows = rows, .most = most, .start = start, .index = index, .sum = sum};
    return do_blocks(r, &j, within_block, 0.5, 1);
}
