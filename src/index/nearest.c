/* The k nearest points of each query, by passes.
 *
 * An invocation walks for one query and keeps a list in registers, of a fixed size; a k above that takes
 * several walks, each for what comes behind the last. A walk that is not done after `turns` leaves its place
 * in a texture and is continued by the next dispatch, so that no dispatch is long however hard its queries
 * are. */
#include "index/passes.h"

#include "base/memory.h"
#include "base/owned.h"
#include "base/threads.h"
#include "index/walk.h"

#define RESULT_BYTES ((size_t)256 << 20) /* of queries that are searched at a time */
#define CHUNK 4096u

typedef struct search {
    gpu *g;
    const index_task *task;
    index_walks walks;
    gpu_texture found, sums;
    uint32_t at_once;    /* queries */
    uint32_t *positions; /* results on their way */
    uint32_t first, count;
    uint32_t fetched; /* of the queries before `first`, so many are to be placed */
    uint32_t *index;  /* the caller's */
    double *sum;
} search;

static void search_free(search *s) {
    gpu_texture_free(&s->found);
    gpu_texture_free(&s->sums);
    index_walks_free(&s->walks);
    free(s->positions);
}

static glshape_status search_new(gpu *g, const index_task *task, search *s) {
    s->at_once = index_at_once(g, 12 * (size_t)task->k + 8, RESULT_BYTES, task->queries->n);
    TRY(index_walks_new(g, s->at_once, &s->walks));
    TRY(gpu_texture_new(g, &s->found, "neighbors", GPU_R32UI, s->at_once, task->k));
    TRY(gpu_texture_new(g, &s->sums, "distances of neighbors", GPU_RG32UI, s->at_once, task->k));
    if (!s->sum) return GLSHAPE_OK;
    return allocate(gpu_error(g), &s->positions, s->at_once, task->k * sizeof *s->positions, "neighbors");
}

int index_list_size(uint32_t left) {
    static const int sizes[] = {1, 4, 8, 16};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if (left <= (uint32_t)sizes[i]) return sizes[i];
    return INDEX_KEEP;
}

/* ---- results ----------------------------------------------------------------------------------- */

/* Brings the results of the query at position i, which is in place `at` of those fetched, into the order of
 * the caller's points. Sums are computed here, as passes compute them: to fetch them would take longer. */
static inline __attribute__((always_inline)) void place(const search *s, uint32_t i, uint32_t at,
                                                        uint32_t columns, uint32_t power) {
    const spatial_index *x = s->task->x, *q = s->task->queries;
    size_t k = s->task->k, to = q->point[i] * k;
    const double *row = q->row + (size_t)i * columns;
    const uint32_t *positions = s->positions + at * k;
    for (size_t a = 0; a < k; a++) {
        s->index[to + a] = x->point[positions[a]];
        s->sum[to + a] = walk_sum(x, row, x->row + (size_t)positions[a] * columns, columns, power);
    }
}

static void place_chunk(void *user, size_t chunk) {
    const search *s = user;
    uint32_t columns = s->task->x->columns, power = s->task->x->norm.power, first = s->first - s->fetched;
    for (uint32_t at = (uint32_t)chunk * CHUNK; at < s->fetched && at / CHUNK == chunk; at++)
        if (columns == 2 && power == 2) place(s, first + at, at, 2, 2);
        else if (columns == 3 && power == 2) place(s, first + at, at, 3, 2);
        else place(s, first + at, at, columns, power);
}

/* Places what was fetched. */
static void place_fetched(search *s) {
    if (s->fetched) threads_run(0, (s->fetched - 1) / CHUNK + 1, place_chunk, s);
    s->fetched = 0;
}

/* ---- all --------------------------------------------------------------------------------------- */

/* Walks for neighbors from … from + keep - 1 of the queries, until all walks are done. Meanwhile the results
 * of the queries before them are placed. */
static glshape_status walk_all(search *s, uint32_t from, uint32_t keep) {
    spatial_index *x = s->task->x;
    const spatial_index *q = s->task->queries;
    index_walks *w = &s->walks;
    for (index_walks_begin(w); w->unfinished;) {
        TRY(index_walks_before(w));
        TRY(gpu_run(s->g, index_nearest, INDEX_WALKS(x, w), .KEEP = index_list_size(keep),
                    .queries = (gpu_texture *)&q->rows, .found = &s->found, .sums = &s->sums,
                    .first = s->first, .count = s->count, .same = q == x, .from = from, .keep = keep,
                    .groups = (s->count - 1) / INDEX_LOCAL + 1));
        gpu_start(s->g);
        place_fetched(s);
        TRY(index_walks_after(w));
    }
    return GLSHAPE_OK;
}

glshape_status index_nearest_by_passes(gpu *g, const index_task *task, uint32_t *index, double *sum) {
    OWNED_BY(search_free) search s = {.g = g, .task = task, .index = index, .sum = sum};
    uint32_t n = task->queries->n;
    TRY(index_upload(g, task->x));
    TRY(index_upload(g, (spatial_index *)task->queries));
    TRY(search_new(g, task, &s));
    for (; s.first < n; s.first += s.count, s.fetched = sum ? s.count : 0) {
        s.count = n - s.first < s.at_once ? n - s.first : s.at_once;
        for (uint32_t from = 0, keep; from < task->k; from += keep) {
            keep = task->k - from < INDEX_KEEP ? task->k - from : INDEX_KEEP;
            TRY(walk_all(&s, from, keep));
        }
        TRY(gpu_download(g, &s.found, 0, s.count, sum ? s.positions : index + (size_t)s.first * task->k));
        TRY(gpu_tick(g, (double)(s.first + s.count) / n));
    }
    place_fetched(&s);
    return GLSHAPE_OK;
}

glshape_status index_nearest(gpu *g, const index_task *task, uint32_t *index, double *sum) {
    gpu_why why;
    TRY(index_nearest_place(g, task, &why));
    OWNED_BY(gpu_end_within) gpu_within stage = gpu_begin_within(g, "walks", why);
    return gpu_why_device(why) ? index_nearest_by_passes(g, task, index, sum)
                               : index_nearest_on_cpu(g, task, index, sum);
}
