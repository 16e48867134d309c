/* The k nearest points of each query, by passes.
 *
 * An invocation walks for one query and keeps a list in registers, of a fixed size; a k above that takes
 * several walks, each for what comes behind the last. A walk that is not done after `turns` leaves its place
 * in a texture and is continued by the next dispatch, so that no dispatch is long however hard its queries
 * are. */
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "index/passes.h"

#include "base/memory.h"
#include "base/owned.h"
#include "base/threads.h"
#include "index/walk.h"
#include "place/place.h"

#define RESULT_BYTES ((size_t)256 << 20) /* of queries that are searched at a time */
#define CHUNK 4096u

typedef struct search {
    gpu *g;
    const index_task *task;
    index_walks walks;
    gpu_texture found, sums;
    index_results *results;        /* what the device finishes; NULL: it does not */
    bool same;                     /* the queries are the points */
    bool kept;                     /* found and sums stay on the device, of all queries */
    void (*meanwhile)(void *user); /* NULL, or called while the device works */
    void *user;
    uint32_t at_once;    /* queries */
    uint32_t *positions; /* results on their way */
    uint32_t first, count;
    uint32_t fetched;  /* of the queries before `first`, so many are to be placed */
    atomic_bool wrong; /* what was fetched are no positions */
    uint32_t *index;   /* the caller's */
    double *sum;
} search;

static void search_free(search *s) {
    gpu_texture_free(&s->found);
    gpu_texture_free(&s->sums);
    index_walks_free(&s->walks);
    free(s->positions);
}

/* What textures take for a query that is searched. */
static size_t search_bytes(uint32_t k) { return 12 * (size_t)k + 8; }

static glshape_status search_new(gpu *g, const index_task *task, search *s) {
    s->at_once =
        s->kept ? task->queries->n : index_at_once(g, search_bytes(task->k), RESULT_BYTES, task->queries->n);
    TRY(index_walks_new(g, s->at_once, &s->walks));
    TRY(gpu_texture_new(g, &s->found, "neighbors", GPU_R32UI, s->at_once, task->k));
    TRY(gpu_texture_new(g, &s->sums, "distances of neighbors", GPU_RG32UI, s->at_once, task->k));
    if (s->results) return GLSHAPE_OK;
    if (!s->sum) return GLSHAPE_OK;
    TRY(index_bring(g, task->x));
    TRY(index_bring(g, (spatial_index *)task->queries));
    return allocate(run_error(run_of(g)), &s->positions, s->at_once, task->k * sizeof *s->positions,
                    "neighbors");
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
static inline __attribute__((always_inline)) void place(search *s, uint32_t i, uint32_t at, uint32_t columns,
                                                        uint32_t power) {
    const spatial_index *x = s->task->x, *q = s->task->queries;
    size_t k = s->task->k, to = q->point[i] * k;
    const double *row = q->row + (size_t)i * columns;
    const uint32_t *positions = s->positions + at * k;
    for (size_t a = 0; a < k; a++) {
        bool is_one = positions[a] < x->n;
        size_t v = is_one ? positions[a] : 0;
        if (!is_one) s->wrong = true;
        s->index[to + a] = x->point[v];
        s->sum[to + a] = walk_sum(x, row, x->row + v * columns, columns, power);
    }
}

static void place_chunk(void *user, size_t chunk) {
    search *s = user;
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

/* ---- results on the device --------------------------------------------------------------------- */

#define MOST_EXPONENT 1000 /* 2^exponent is a double, and not denormal */

static bool may_scale(const index_task *task) {
    return task->distances && task->x->norm.power <= 2 && abs(task->exponent) <= MOST_EXPONENT;
}

static bool has_roots(const index_task *task) { return may_scale(task) && task->x->norm.power == 2; }

/* Whether the device has room for all results, beside those that are searched at a time. */
static bool has_room(const gpu *g, const index_task *task) {
    size_t index = gpu_texture_bytes(g, GPU_R32UI, task->queries->n, task->k),
           distance = gpu_texture_bytes(g, GPU_RG32UI, task->queries->n, task->k), left = gpu_memory_left(g),
           searched = task->queries->n * search_bytes(task->k);
    if (searched > RESULT_BYTES) searched = RESULT_BYTES;
    return index < SIZE_MAX && distance < SIZE_MAX && searched < left / 4 && index + distance < left / 2;
}

/* Whether the device finishes results, which *distances then says are distances, if they may be. */
static glshape_status choose_finish(gpu *g, const index_task *task, bool *so) {
    *so = !place_is_little(g, PLACE_RESULTS, task->queries->n) && has_room(g, task);
    if (*so) TRY(index_finish_trusted(g, task, has_roots(task), so));
    if (task->distances) *task->distances = *so && may_scale(task);
    return GLSHAPE_OK;
}

static glshape_status results_new(gpu *g, const index_task *task, index_results *out) {
    bool scaled = task->distances && *task->distances;
    double factor = scaled ? ldexp(1, task->exponent) : 1;
    out->root = scaled && has_roots(task);
    out->whole = !gpu_is_exact(g);
    memcpy(out->factor, &factor, sizeof factor);
    TRY(gpu_texture_new(g, &out->index, "indices of neighbors", GPU_R32UI, task->queries->n, task->k));
    return gpu_texture_new(g, &out->distance, "distances of neighbors", GPU_RG32UI, task->queries->n,
                           task->k);
}

void index_expect_search(gpu *g, const index_source *s) {
    const spatial_index x = {.columns = s->columns, .norm = s->norm};
    const index_task task = {.x = (spatial_index *)&x, .k = s->k};
    const int size = index_near_size(&task), root = s->norm.power == 2;
    const int whole = !gpu_may_be_exact(g);
    if (!whole) {
        gpu_soon(g, index_nearest, .POWER = (int)s->norm.power, .COLUMNS = (int)s->columns,
                 .KEEP = index_list_size(s->k));
        gpu_soon(g, index_finish, .ROOT = root);
        gpu_soon(g, index_pick, .count = 0);
    }
    if (!size) return;
    gpu_soon(g, index_near, .COLUMNS = (int)s->columns, .PAIRS = !s->floats, .KEEP = size);
    gpu_soon(g, index_decide, .KEEP = size, .ROOT = root, .WHOLE = whole);
    gpu_soon(g, index_near_rows, .PAIRS = !s->floats);
    gpu_soon(g, index_near_boxes, .PAIRS = !s->floats);
}

static void results_free(index_results *r) {
    gpu_texture_free(&r->index);
    gpu_texture_free(&r->distance);
    free(r->again);
}

static glshape_status finish(search *s) {
    const index_task *task = s->task;
    return gpu_run(s->g, index_finish, INDEX_RESULTS(s->results), .rows = &task->x->rows,
                   .queries = (gpu_texture *)&task->queries->rows, .found = &s->found, .sums = &s->sums,
                   .columns = task->x->columns, .first = s->first, .count = s->count, .keep = task->k,
                   .groups = (uint32_t)(((uint64_t)s->count * task->k - 1) / INDEX_LOCAL + 1));
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
                    .first = s->first, .count = s->count, .same = s->same, .from = from, .keep = keep,
                    .groups = (s->count - 1) / INDEX_LOCAL + 1));
        gpu_start(s->g);
        place_fetched(s);
        if (s->meanwhile && !w->dispatches) s->meanwhile(s->user);
        TRY(index_walks_after(w));
    }
    return GLSHAPE_OK;
}

static void await_memory(const index_task *task) {
    if (task->touching) threads_touched(task->touching);
}

/* Searches for the queries from s->first on. */
static glshape_status search_all(search *s) {
    gpu *g = s->g;
    uint32_t n = s->task->queries->n, k = s->task->k;
    TRY(search_new(g, s->task, s));
    for (; s->first < n; s->first += s->count, s->fetched = s->positions ? s->count : 0) {
        s->count = n - s->first < s->at_once ? n - s->first : s->at_once;
        for (uint32_t from = 0, keep; from < k; from += keep) {
            keep = k - from < INDEX_KEEP ? k - from : INDEX_KEEP;
            TRY(walk_all(s, from, keep));
        }
        if (s->results) TRY(finish(s));
        else if (!s->kept)
            TRY(gpu_download(g, &s->found, 0, s->count,
                             s->sum ? s->positions : s->index + (size_t)s->first * k));
        TRY(run_tick(run_of(g), (double)(s->first + s->count) / n));
    }
    place_fetched(s);
    return s->wrong ? index_is_wrong(g) : GLSHAPE_OK;
}

glshape_status index_search_exactly(gpu *g, const index_task *task, bool same, uint32_t first,
                                    index_results *results) {
    OWNED_BY(search_free)
    search s = {.g = g, .task = task, .first = first, .results = results, .same = same};
    return first < task->queries->n ? search_all(&s) : GLSHAPE_OK;
}

glshape_status index_nearest_kept(gpu *g, spatial_index *x, uint32_t k, void (*meanwhile)(void *user),
                                  void *user, gpu_texture *found, gpu_texture *sums) {
    const index_task task = {.x = x, .queries = x, .k = k};
    OWNED_BY(search_free)
    search s = {.g = g, .task = &task, .same = true, .kept = true, .meanwhile = meanwhile, .user = user};
    TRY(index_upload(g, x));
    TRY(search_all(&s));
    *found = MOVE(s.found);
    *sums = MOVE(s.sums);
    return GLSHAPE_OK;
}

void index_expect_kept(gpu *g, const spatial_index *x, uint32_t k, bool cores) {
    gpu_soon(g, index_nearest, .POWER = (int)x->norm.power, .COLUMNS = (int)x->columns,
             .KEEP = index_list_size(k));
    gpu_soon(g, index_across, .POWER = (int)x->norm.power, .COLUMNS = (int)x->columns, .CORES = cores);
    gpu_soon(g, index_leaf_labels, .count = 0);
    gpu_soon(g, index_node_labels, .count = 0);
}

/* Queries that the device has left, one after another, and what the processors find of them. */
typedef struct rest {
    spatial_index queries;
    uint32_t *index;
    double *sum;
} rest;

static void rest_free(rest *r) {
    index_free(&r->queries);
    free(r->index);
    free(r->sum);
}

static glshape_status rest_new(error *err, const spatial_index *q, const index_results *of, uint32_t k,
                               rest *out) {
    size_t count = of->again_count, columns = q->columns;
    out->queries = (spatial_index){.n = (uint32_t)count, .columns = q->columns, .norm = q->norm};
    TRY(allocate(err, &out->queries.row, count, columns * sizeof *out->queries.row, "uncertain queries"));
    TRY(allocate(err, &out->queries.point, count, sizeof *out->queries.point, "uncertain queries"));
    TRY(allocate(err, &out->index, times(count, k), sizeof *out->index, "neighbors"));
    TRY(allocate(err, &out->sum, times(count, k), sizeof *out->sum, "distances of neighbors"));
    for (uint32_t e = 0; e < count; e++) {
        memcpy(out->queries.row + e * columns, q->row + of->again[e] * columns,
               columns * sizeof *out->queries.row);
        out->queries.point[e] = e;
    }
    return GLSHAPE_OK;
}

/* The processors search for the queries that are left: for one neighbor more where these are points, which
 * are among their own. */
static glshape_status search_rest(gpu *g, const index_task *task, const index_results *of, uint32_t *index,
                                  double *sum) {
    OWNED_BY(rest_free) rest r = {0};
    const spatial_index *q = task->queries;
    bool same = q == task->x, scaled = task->distances && *task->distances;
    uint32_t k = task->k + same;
    if (!of->again_count) return GLSHAPE_OK;
    TRY(index_bring(g, task->x));
    TRY(index_bring(g, (spatial_index *)q));
    TRY(rest_new(run_error(run_of(g)), q, of, k, &r));
    const index_task all = {.x = task->x, .queries = &r.queries, .k = k};
    TRY(index_nearest_on_cpu(run_of(g), &all, r.index, r.sum));
    for (size_t e = 0; e < of->again_count; e++) {
        uint32_t own = q->point[of->again[e]];
        size_t to = (size_t)own * task->k, end = to + task->k;
        for (size_t from = e * k; to < end; from++) {
            if (same && r.index[from] == own) continue;
            index[to] = r.index[from];
            sum[to++] =
                scaled ? ldexp(of->root ? sqrt(r.sum[from]) : r.sum[from], task->exponent) : r.sum[from];
        }
    }
    return GLSHAPE_OK;
}

/* The device finishes what it has found; *done: it has found all that it is to. */
static glshape_status nearest_finished(gpu *g, const index_task *task, uint32_t *index, double *sum,
                                       bool *done) {
    OWNED_BY(results_free) index_results results = {0};
    uint32_t n = task->queries->n, searched = 0;
    bool same = task->queries == task->x;
    TRY(results_new(g, task, &results));
    TRY(index_search_near(g, task, &results, &searched));
    *done = !results.whole || searched == n;
    if (!*done) return GLSHAPE_OK;
    TRY(index_search_exactly(g, task, same, searched, &results));
    await_memory(task);
    TRY(gpu_download(g, &results.index, 0, n, index));
    TRY(gpu_download(g, &results.distance, 0, n, sum));
    return search_rest(g, task, &results, index, sum);
}

/* What was made by passes comes to host memory. */
static glshape_status nearest_on_cpu(gpu *g, const index_task *task, uint32_t *index, double *sum) {
    TRY(index_bring(g, task->x));
    TRY(index_bring(g, (spatial_index *)task->queries));
    if (task->distances) *task->distances = false;
    await_memory(task);
    return index_nearest_on_cpu(run_of(g), task, index, sum);
}

glshape_status index_nearest_by_passes(gpu *g, const index_task *task, uint32_t *index, double *sum) {
    OWNED_BY(search_free)
    search s = {.g = g, .task = task, .index = index, .sum = sum, .same = task->queries == task->x};
    bool finishes = false, done;
    TRY(index_upload(g, task->x));
    TRY(index_upload(g, (spatial_index *)task->queries));
    if (sum) TRY(choose_finish(g, task, &finishes));
    if (finishes) {
        TRY(nearest_finished(g, task, index, sum, &done));
        return done ? GLSHAPE_OK : nearest_on_cpu(g, task, index, sum);
    }
    await_memory(task);
    return search_all(&s);
}

/* Whether a device without fast doubles finds the neighbors through candidates, and finishes them. */
static glshape_status place_without_doubles(gpu *g, const index_task *task, run_why *why) {
    bool so = false;
    if (gpu_is_exact(g) || !index_near_size(task)) return GLSHAPE_OK;
    TRY(index_by_passes(g, task->x, task->queries->n, false, why));
    if (!run_why_device(*why)) return GLSHAPE_OK;
    TRY(choose_finish(g, task, &so));
    if (!so) *why = RUN_NOT_EXACT;
    return GLSHAPE_OK;
}

glshape_status index_nearest(gpu *g, const index_task *task, uint32_t *index, double *sum) {
    run_why why;
    TRY(index_nearest_place(g, task, &why));
    if (why == RUN_NOT_EXACT && sum) TRY(place_without_doubles(g, task, &why));
    OWNED_BY(run_end_within) run_within stage = run_begin_within(run_of(g), "walks", why);
    return run_why_device(why) ? index_nearest_by_passes(g, task, index, sum)
                               : nearest_on_cpu(g, task, index, sum);
}
