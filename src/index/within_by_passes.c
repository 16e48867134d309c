/* All points within a distance of each query, by passes: one counts, one writes what it finds where the
 * counts say. Where sums are asked for, the CPU brings each list into order; else a pass does, once all lists
 * are where they belong. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/owned.h"
#include "base/threads.h"
#include "index/passes.h"
#include "index/points.h"

#define RESULT_BYTES ((size_t)256 << 20) /* of neighbors that are found at a time */
#define ALL_BYTES ((size_t)1 << 30)      /* of neighbors that are sorted on the device, all at once */
#define AT_ONCE (1u << 22)               /* queries, at most */
#define CHUNK 1024u

typedef struct search {
    gpu *g;
    const index_task *task;
    index_walks walks;
    gpu_texture taken, starts, found, sums;
    uint32_t words[2]; /* of the limit */
    uint32_t first, count;
    uint32_t *counts, *from; /* of the queries of a dispatch: how many, and from where on */
    uint32_t *points;        /* results on their way */
    double *values;          /* NULL: no sums are asked for */
    const uint64_t *start;   /* the caller's */
    uint32_t *index;
    double *sum;
} search;

static void search_free(search *s) {
    gpu_texture *const all[] = {&s->taken, &s->starts, &s->found, &s->sums};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) gpu_texture_free(all[i]);
    index_walks_free(&s->walks);
    free(s->counts);
    free(s->from);
    free(s->points);
    free(s->values);
}

static glshape_status search_new(gpu *g, const index_task *task, double most, uint32_t at_once, search *s) {
    s->g = g;
    s->task = task;
    memcpy(s->words, &most, sizeof most);
    TRY(index_upload(g, task->x));
    TRY(index_upload(g, (spatial_index *)task->queries));
    TRY(index_walks_new(g, at_once, &s->walks));
    TRY(gpu_texture_new(g, &s->taken, "numbers of neighbors", GPU_R32UI, at_once, 1));
    return allocate(run_error(run_of(g)), &s->counts, at_once, sizeof *s->counts, "numbers of neighbors");
}

#define WITHIN(s)                                                                                            \
    INDEX_WALKS((s)->task->x, &(s)->walks),                                                                  \
        .queries = (gpu_texture *)&(s)->task->queries->rows, .taken = &(s)->taken,                           \
        .reach_low = (s)->words[0], .reach_high = (s)->words[1], .same = (s)->task->queries == (s)->task->x, \
        .first = (s)->first, .count = (s)->count, .groups = ((s)->count - 1) / INDEX_LOCAL + 1

glshape_status index_within_count_by_passes(gpu *g, const index_task *task, double most, uint64_t *start) {
    OWNED_BY(search_free) search s = {0};
    const spatial_index *q = task->queries;
    uint32_t at_once = index_at_once(g, 16, RESULT_BYTES, q->n < AT_ONCE ? q->n : AT_ONCE);
    uint64_t own = q == task->x; /* a point is within any distance of itself */
    memset(start, 0, ((size_t)q->n + 1) * sizeof *start);
    if (!(most >= 0)) return GLSHAPE_OK;
    TRY(search_new(g, task, most, at_once, &s));
    for (; s.first < q->n; s.first += s.count) {
        s.count = q->n - s.first < at_once ? q->n - s.first : at_once;
        for (index_walks_begin(&s.walks); s.walks.unfinished;) {
            TRY(index_walks_before(&s.walks));
            TRY(gpu_run(g, index_within_count, WITHIN(&s)));
            TRY(index_walks_after(&s.walks));
        }
        TRY(gpu_download(g, &s.taken, 0, s.count, s.counts));
        for (uint32_t e = 0; e < s.count; e++) start[q->point[s.first + e] + 1] = s.counts[e] - own;
        TRY(run_tick(run_of(g), 0.5 * (s.first + s.count) / q->n));
    }
    for (uint32_t i = 0; i < q->n; i++) start[i + 1] += start[i];
    return GLSHAPE_OK;
}

/* ---- finding ----------------------------------------------------------------------------------- */

typedef struct item {
    double sum;
    uint32_t point;
} item;

static int by_sum(const void *a, const void *b) {
    const item *x = a, *y = b;
    if (x->sum != y->sum) return x->sum < y->sum ? -1 : 1;
    return (x->point > y->point) - (x->point < y->point);
}

/* Puts the points of a query in the order of their numbers. */
static void place_points(const search *s, uint32_t e, uint64_t to) {
    memcpy(s->index + to, s->points + s->from[e], s->counts[e] * sizeof *s->index);
    index_sort_points(s->index + to, s->counts[e]);
}

/* Brings the lists of some queries into order, and to their places. */
static glshape_status place_chunk(error *err, void *user, uint64_t chunk, void *scratch) {
    search *s = user;
    OWNED item *items = NULL;
    size_t room = 0;
    (void)scratch;
    for (uint32_t e = (uint32_t)chunk * CHUNK; e < s->count && e / CHUNK == chunk; e++) {
        uint64_t to = s->start[s->task->queries->point[s->first + e]];
        uint32_t count = s->counts[e], from = s->from[e];
        if (!s->sum) {
            place_points(s, e, to);
            continue;
        }
        TRY(memory_reserve(err, &items, &room, (size_t)count + 1, sizeof *items, "neighbors of a point"));
        for (uint32_t k = 0; k < count; k++) items[k] = (item){s->values[from + k], s->points[from + k]};
        qsort(items, count, sizeof *items, by_sum);
        for (uint32_t k = 0; k < count; k++) {
            s->index[to + k] = items[k].point;
            s->sum[to + k] = items[k].sum;
        }
    }
    return GLSHAPE_OK;
}

/* Takes as many queries as have `room` neighbors; returns how many neighbors these have. */
static uint32_t take_queries(search *s, uint32_t at_once, uint32_t room) {
    const spatial_index *q = s->task->queries;
    uint32_t all = 0;
    for (s->count = 0; s->count < at_once && s->first + s->count < q->n; s->count++) {
        uint32_t point = q->point[s->first + s->count];
        uint64_t count = s->start[point + 1] - s->start[point];
        if (all + count > room) break;
        s->counts[s->count] = (uint32_t)count;
        s->from[s->count] = all;
        all += (uint32_t)count;
    }
    return all;
}

static glshape_status fill(search *s) {
    gpu *g = s->g;
    TRY(gpu_upload(g, &s->starts, 0, s->count, s->from));
    for (index_walks_begin(&s->walks); s->walks.unfinished;) {
        TRY(index_walks_before(&s->walks));
        TRY(gpu_run(g, index_within_fill, WITHIN(s), .starts = &s->starts, .found = &s->found,
                    .sums = &s->sums, .with_sums = s->sum != NULL));
        TRY(index_walks_after(&s->walks));
    }
    return GLSHAPE_OK;
}

static glshape_status find(search *s, uint32_t all) {
    gpu *g = s->g;
    TRY(fill(s));
    if (!all) return GLSHAPE_OK;
    TRY(gpu_download(g, &s->found, 0, all, s->points));
    if (s->sum) TRY(gpu_download(g, &s->sums, 0, all, s->values));
    threads_job work = {
        .work = place_chunk, .user = s, .blocks = (s->count - 1) / CHUNK + 1, .name = "neighbors of a point"};
    return threads_do(run_error(run_of(g)), &work);
}

static uint32_t longest_list(const uint64_t *start, uint32_t n) {
    uint64_t longest = 1;
    for (uint32_t q = 0; q < n; q++)
        if (start[q + 1] - start[q] > longest) longest = start[q + 1] - start[q];
    return (uint32_t)longest;
}

/* Makes room for the starts of so many queries; frees what has been made for another way. */
static glshape_status new_starts(search *s, uint32_t count) {
    gpu_texture *const all[] = {&s->starts, &s->found, &s->sums};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) gpu_texture_free(all[i]);
    return gpu_texture_new(s->g, &s->starts, "places of neighbors", GPU_R32UI, count, 1);
}

/* Brings as many lists at a time as find room, and sorts them on the CPU. */
static glshape_status find_in_parts(search *s, uint32_t at_once, uint32_t longest) {
    gpu *g = s->g;
    error *err = run_error(run_of(g));
    uint32_t n = s->task->queries->n, room = index_at_once(g, 12, RESULT_BYTES, UINT32_MAX);
    if (room < longest) room = longest;
    if (room > s->start[n]) room = (uint32_t)s->start[n];
    TRY(new_starts(s, at_once));
    TRY(gpu_texture_new(g, &s->found, "neighbors", GPU_R32UI, room, 1));
    TRY(gpu_texture_new(g, &s->sums, "distances of neighbors", GPU_RG32UI, s->sum ? room : 1, 1));
    TRY(allocate(err, &s->points, room, sizeof *s->points, "neighbors"));
    if (s->sum) TRY(allocate(err, &s->values, room, sizeof *s->values, "distances of neighbors"));
    for (; s->first < n; s->first += s->count) {
        TRY(find(s, take_queries(s, at_once, room)));
        TRY(run_tick(run_of(g), 0.5 + 0.5 * (s->first + s->count) / n));
    }
    return GLSHAPE_OK;
}

/* ---- all at once --------------------------------------------------------------------------------- */

typedef struct placing {
    search *s;
    uint32_t *to;
} placing;

static void fill_places(void *user, size_t first, size_t end) {
    const placing *p = user;
    const uint32_t *point = p->s->task->queries->point + p->s->first;
    for (size_t e = first; e < end; e++) p->to[e] = (uint32_t)p->s->start[point[e]];
}

static void fill_starts(void *user, size_t first, size_t end) {
    const placing *p = user;
    for (size_t q = first; q < end; q++) p->to[q] = (uint32_t)p->s->start[q];
}

typedef struct sorting {
    uint32_t *index;
    const uint64_t *start;
} sorting;

static void sort_long_lists(void *user, size_t first, size_t end) {
    const sorting *s = user;
    for (size_t q = first; q < end; q++)
        if (s->start[q + 1] - s->start[q] > INDEX_MOST_SORTED)
            index_sort_points(s->index + s->start[q], s->start[q + 1] - s->start[q]);
}

/* Sorts the lists on the device, where they lie as the caller wants them, but for long ones. */
static glshape_status sort_lists(search *s, uint32_t longest) {
    gpu *g = s->g;
    OWNED uint32_t *starts = NULL;
    uint32_t n = s->task->queries->n;
    TRY(allocate(run_error(run_of(g)), &starts, (size_t)n + 1, sizeof *starts, "places of neighbors"));
    threads_ranges((size_t)n + 1, fill_starts, &(placing){s, starts});
    gpu_texture_free(&s->starts);
    TRY(gpu_texture_new(g, &s->starts, "places of neighbors", GPU_R32UI, n + 1, 1));
    TRY(gpu_upload(g, &s->starts, 0, n + 1, starts));
    TRY(gpu_run(g, index_sort, .starts = &s->starts, .found = &s->found, .groups = n));
    TRY(gpu_download(g, &s->found, 0, (uint32_t)s->start[n], s->index));
    if (longest > INDEX_MOST_SORTED) threads_ranges(n, sort_long_lists, &(sorting){s->index, s->start});
    return GLSHAPE_OK;
}

static glshape_status find_at_once(search *s, uint32_t at_once, uint32_t longest) {
    gpu *g = s->g;
    uint32_t n = s->task->queries->n;
    TRY(new_starts(s, at_once));
    TRY(gpu_texture_new(g, &s->found, "neighbors", GPU_R32UI, (uint32_t)s->start[n], 1));
    TRY(gpu_texture_new(g, &s->sums, "no distances", GPU_RG32UI, 1, 1));
    for (; s->first < n; s->first += s->count) {
        s->count = n - s->first < at_once ? n - s->first : at_once;
        threads_ranges(s->count, fill_places, &(placing){s, s->from});
        TRY(fill(s));
        TRY(run_tick(run_of(g), 0.5 + 0.5 * (s->first + s->count) / n));
    }
    return sort_lists(s, longest);
}

glshape_status index_within_by_passes(gpu *g, const index_task *task, double most, const uint64_t *start,
                                      uint32_t *index, double *sum) {
    OWNED_BY(search_free) search s = {.start = start, .index = index, .sum = sum};
    uint32_t n = task->queries->n, at_once = n < AT_ONCE / 4 ? n : AT_ONCE / 4;
    if (!start[n]) return GLSHAPE_OK;
    uint32_t longest = longest_list(start, n);
    TRY(search_new(g, task, most, at_once, &s));
    TRY(allocate(run_error(run_of(g)), &s.from, at_once, sizeof *s.from, "places of neighbors"));
    if (start[n] <= index_at_once(g, sizeof(uint32_t), ALL_BYTES, UINT32_MAX) && !sum) {
        run_why why = gpu_why_passes(g);
        TRY(index_trusts_sort(g, &why));
        glshape_status status =
            run_why_device(why) ? find_at_once(&s, at_once, longest) : GLSHAPE_NO_GPU_MEMORY;
        if (status != GLSHAPE_NO_GPU_MEMORY) return status;
        s.first = 0;
    }
    return find_in_parts(&s, at_once, longest);
}
