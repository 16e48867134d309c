/* The k nearest points of each query, by passes.
 *
 * An invocation walks for one query and keeps a list in registers, of a fixed size; a k above that takes
 * several walks, each for what comes behind the last. A walk that is not done after `turns` leaves its place
 * in a texture and is continued by the next dispatch, so that no dispatch is long however hard its queries
 * are. */
#include "index/passes.h"

#include <string.h>

#include "base/memory.h"
#include "base/owned.h"
#include "base/threads.h"
#include "index/index.h"

#define LOCAL 64u
#define TURNS 4000u                      /* of a walk in one dispatch */
#define RESULT_BYTES ((size_t)256 << 20) /* of queries that are searched at a time */
#define MOST_DISPATCHES 100000u
#define CHUNK 4096u

typedef struct search {
    gpu *g;
    const index_task *task;
    gpu_texture found, sums, places, unfinished;
    uint32_t at_once; /* queries */
    uint32_t *points; /* results on their way */
    double *values;
    uint32_t first, count;
    uint32_t *index; /* the caller's */
    double *sum;
} search;

static void search_free(search *s) {
    gpu_texture_free(&s->found);
    gpu_texture_free(&s->sums);
    gpu_texture_free(&s->places);
    gpu_texture_free(&s->unfinished);
    free(s->points);
    free(s->values);
}

static glshape_status search_new(gpu *g, const index_task *task, search *s) {
    error *err = gpu_error(g);
    size_t each = 12 * (size_t)task->k + 8, limit = gpu_memory_limit(g), room = RESULT_BYTES;
    if (limit) {
        size_t left = limit > gpu_bytes(g) ? (limit - gpu_bytes(g)) / 2 : 0;
        room = left < room ? left : room;
    }
    size_t most = room / each;
    s->at_once = most < LOCAL ? LOCAL : most < task->queries->n ? (uint32_t)most : task->queries->n;
    TRY(gpu_texture_new(g, &s->found, "neighbors", GPU_R32UI, s->at_once, task->k));
    TRY(gpu_texture_new(g, &s->sums, "distances of neighbors", GPU_RG32UI, s->at_once, task->k));
    TRY(gpu_texture_new(g, &s->places, "places in the index", GPU_RG32UI, s->at_once, 1));
    TRY(gpu_texture_new(g, &s->unfinished, "unfinished walks", GPU_R32UI, 1, 1));
    TRY(allocate(err, &s->points, s->at_once, task->k * sizeof *s->points, "neighbors"));
    return allocate(err, &s->values, s->at_once, task->k * sizeof *s->values, "distances of neighbors");
}

/* The size of a list in registers for `left` more neighbors. */
static int list_size(uint32_t left) {
    static const int sizes[] = {1, 4, 8, 16};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if (left <= (uint32_t)sizes[i]) return sizes[i];
    return 32;
}

/* Walks for neighbors from … from + keep - 1 of the queries, until all walks are done. */
static glshape_status walk_all(search *s, uint32_t from, uint32_t keep) {
    spatial_index *x = s->task->x;
    const spatial_index *q = s->task->queries;
    uint32_t unfinished = 1;
    for (uint32_t dispatches = 0; unfinished; dispatches++) {
        if (dispatches == MOST_DISPATCHES)
            return fail(gpu_error(s->g), GLSHAPE_GPU_ERROR,
                        "a search through the index does not end: %u of its queries are not answered",
                        unfinished);
        TRY(gpu_upload(s->g, &s->unfinished, 0, 1, &(uint32_t){0}));
        TRY(gpu_run(s->g, index_nearest, .MANHATTAN = x->manhattan, .COLUMNS = (int)x->columns,
                    .KEEP = list_size(keep), .rows = &x->rows, .boxes = &x->boxes, .leasts = &x->leasts,
                    .queries = (gpu_texture *)&q->rows, .places = &s->places, .unfinished = &s->unfinished,
                    .found = &s->found, .sums = &s->sums, .n = x->n, .leaves = x->leaves, .first = s->first,
                    .count = s->count, .same = q == x, .begin = dispatches == 0, .turns = TURNS, .from = from,
                    .keep = keep, .groups = (s->count - 1) / LOCAL + 1));
        TRY(gpu_download(s->g, &s->unfinished, 0, 1, &unfinished));
    }
    return GLSHAPE_OK;
}

/* Brings results into the order of the caller's points. */
static void place_chunk(void *user, size_t chunk) {
    search *s = user;
    size_t k = s->task->k;
    for (uint32_t i = (uint32_t)chunk * CHUNK; i < s->count && i / CHUNK == chunk; i++) {
        size_t to = s->task->queries->point[s->first + i] * k;
        memcpy(s->index + to, s->points + i * k, k * sizeof *s->index);
        memcpy(s->sum + to, s->values + i * k, k * sizeof *s->sum);
    }
}

glshape_status index_nearest_by_passes(gpu *g, const index_task *task, uint32_t *index, double *sum) {
    OWNED_BY(search_free) search s = {.g = g, .task = task, .index = index, .sum = sum};
    uint32_t n = task->queries->n;
    TRY(index_upload(g, task->x));
    TRY(index_upload(g, (spatial_index *)task->queries));
    TRY(search_new(g, task, &s));
    for (; s.first < n; s.first += s.count) {
        s.count = n - s.first < s.at_once ? n - s.first : s.at_once;
        for (uint32_t from = 0, keep; from < task->k; from += keep) {
            keep = task->k - from < 32 ? task->k - from : 32;
            TRY(walk_all(&s, from, keep));
        }
        TRY(gpu_download(g, &s.found, 0, s.count, s.points));
        TRY(gpu_download(g, &s.sums, 0, s.count, s.values));
        threads_run(0, (s.count - 1) / CHUNK + 1, place_chunk, &s);
        TRY(gpu_tick(g, (double)(s.first + s.count) / n));
    }
    return GLSHAPE_OK;
}

#define FEW ((uint64_t)1 << 22) /* points and boxes that the CPU looks at before a shader is compiled */

glshape_status index_nearest(gpu *g, const index_task *task, uint32_t *index, double *sum) {
    bool few = (uint64_t)task->queries->n * (64 + 8 * (uint64_t)task->k) < FEW;
    if (few || gpu_is_software(g) || !gpu_is_exact(g)) return index_nearest_on_cpu(g, task, index, sum);
    return index_nearest_by_passes(g, task, index, sum);
}
