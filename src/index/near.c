/* The k nearest points of each query, by passes, in two steps. Walks in single precision find candidates, one
 * more than there are neighbors. These are compared in double. If the last neighbor is nearer than any point
 * that is no candidate can be, by what single precision may be off, the query is certain. The few others are
 * searched once more, in double.
 *
 * Where the device has no fast doubles, candidates are compared in whole numbers, which have the same bits
 * (glsl/lib/whole.glsl), and the few others are the processors'. */
#include <math.h>

#include "base/memory.h"
#include "base/owned.h"
#include "index/passes.h"

#define RESULT_BYTES ((size_t)256 << 20) /* of queries that are searched at a time */
#define TRIAL 65536u                     /* queries that tell whether this pays */
#define MOST_COORDINATE 0x1p40           /* squares are far below what floats end with */

typedef struct near {
    gpu *g;
    const index_task *task;
    index_results *results;
    index_walks walks;
    gpu_texture found, sums, list, count;
    float relative, absolute; /* how far distances may be off */
    uint32_t at_once, first, searched, uncertain;
} near;

static void near_free(near *s) {
    gpu_texture *const all[] = {&s->found, &s->sums, &s->list, &s->count};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) gpu_texture_free(all[i]);
    index_walks_free(&s->walks);
}

int index_near_size_of(const norm *n, uint32_t k) {
    static const int sizes[] = {2, 6, 12, 16, 32};
    for (size_t i = 0; n->power == 2 && i < sizeof sizes / sizeof *sizes; i++)
        if (k < (uint32_t)sizes[i]) return sizes[i];
    return 0;
}

int index_near_size(const index_task *task) { return index_near_size_of(&task->x->norm, task->k); }

/* ---- points and boxes -------------------------------------------------------------------------- */

bool index_has_pairs(const index_task *task) { return !task->x->floats || !task->queries->floats; }

static glshape_status halve_rows(gpu *g, spatial_index *x, bool pairs) {
    if (x->near_rows.id) return GLSHAPE_OK;
    uint32_t words = x->columns * (pairs ? 2 : 1);
    TRY(gpu_texture_new(g, &x->near_rows, "points in single precision", GPU_RGBA32F, x->n, (words + 3) / 4));
    return gpu_run(g, index_near_rows, .PAIRS = pairs, .rows = &x->rows, .halved = &x->near_rows,
                   .columns = x->columns, .texels = (uint32_t)x->near_rows.texels, .count = x->n,
                   .groups = (x->n - 1) / INDEX_LOCAL + 1);
}

static glshape_status halve_boxes(gpu *g, spatial_index *x, bool pairs) {
    if (x->near_boxes.id) return GLSHAPE_OK;
    TRY(gpu_texture_new(g, &x->near_boxes, "boxes in single precision", GPU_RGBA32F, 2 * x->leaves,
                        pairs ? x->columns : (x->columns + 1) / 2));
    return gpu_run(g, index_near_boxes, .PAIRS = pairs, .boxes = &x->boxes, .halved = &x->near_boxes,
                   .columns = x->columns, .texels = (uint32_t)x->near_boxes.texels, .count = 2 * x->leaves,
                   .groups = (2 * x->leaves - 1) / INDEX_LOCAL + 1);
}

static void drop(spatial_index *x) {
    gpu_texture_free(&x->near_rows);
    gpu_texture_free(&x->near_boxes);
}

/* Textures that were made for other queries go. */
static void forget(spatial_index *x, bool pairs) {
    if (x->near_pairs != pairs) drop(x);
    x->near_pairs = pairs;
}

static glshape_status halve(gpu *g, const index_task *task) {
    spatial_index *x = task->x, *q = (spatial_index *)task->queries;
    bool pairs = index_has_pairs(task);
    forget(x, pairs);
    forget(q, pairs);
    TRY(halve_rows(g, x, pairs));
    TRY(halve_rows(g, q, pairs));
    return halve_boxes(g, x, pairs);
}

static glshape_status find_largest(gpu *g, spatial_index *x, double *largest) {
    double box[2 * INDEX_PASS_COLUMNS];
    TRY(gpu_download(g, &x->boxes, 1, 1, box));
    for (uint32_t c = 0; c < 2 * x->columns; c++) *largest = fmax(*largest, fabs(box[c]));
    return GLSHAPE_OK;
}

/* How far a distance may be off. A difference of columns is rounded three times, and a sum of c squares is
 * off by c roundings, of which its root has half. Halves of a coordinate leave 2^-47 of it out, and what is
 * below 2^-126; squares below that vanish. */
static void bound_errors(near *s, double largest) {
    double columns = s->task->x->columns, root = sqrt(columns) + 1;
    s->relative = (float)((columns + 8) * 0x1p-24);
    s->absolute = (float)(root * (0x1p-60 + (index_has_pairs(s->task) ? largest * 0x1p-45 : 0)));
}

/* ---- search ------------------------------------------------------------------------------------ */

static glshape_status near_new(gpu *g, const index_task *task, index_results *results, near *out) {
    uint32_t n = task->queries->n, keep = task->k + 1;
    *out = (near){.g = g, .task = task, .results = results};
    out->at_once = index_at_once(g, 8 * (size_t)keep + 12, RESULT_BYTES, n);
    TRY(index_walks_new(g, out->at_once, &out->walks));
    TRY(gpu_texture_new(g, &out->found, "candidates", GPU_R32UI, out->at_once, keep));
    TRY(gpu_texture_new(g, &out->sums, "sums of candidates", GPU_R32F, out->at_once, keep));
    TRY(gpu_texture_new(g, &out->list, "uncertain queries", GPU_R32UI, out->at_once, 1));
    return gpu_texture_new(g, &out->count, "the number of uncertain queries", GPU_R32UI, 1, 1);
}

static glshape_status walk_near(near *s, uint32_t count) {
    spatial_index *x = s->task->x;
    const spatial_index *q = s->task->queries;
    index_walks *w = &s->walks;
    uint32_t keep = s->task->k + 1;
    for (index_walks_begin(w); w->unfinished;) {
        TRY(index_walks_before(w));
        TRY(gpu_run(s->g, index_near, .COLUMNS = (int)x->columns, .PAIRS = index_has_pairs(s->task),
                    .KEEP = index_near_size(s->task), .near_rows = &x->near_rows,
                    .near_boxes = &x->near_boxes, .near_queries = (gpu_texture *)&q->near_rows,
                    .firsts = &x->firsts, .places = &w->places, .unfinished = &w->count, .found = &s->found,
                    .near_sums = &s->sums, .leaves = x->leaves, .each = x->leaves / x->buckets,
                    .first = s->first, .count = count, .begin = w->dispatches == 0,
                    .turns = index_turns(w, x), .keep = keep, .same = q == x,
                    .groups = (count - 1) / INDEX_LOCAL + 1));
        TRY(index_walks_after(w));
    }
    return GLSHAPE_OK;
}

static glshape_status decide(near *s, uint32_t count, uint32_t *uncertain) {
    const index_task *task = s->task;
    TRY(gpu_upload(s->g, &s->count, 0, 1, &(uint32_t){0}));
    TRY(gpu_run(s->g, index_decide, INDEX_RESULTS(s->results), .KEEP = index_near_size(task),
                .WHOLE = s->results->whole, .rows = &task->x->rows,
                .queries = (gpu_texture *)&task->queries->rows, .found = &s->found, .near_sums = &s->sums,
                .uncertain_list = &s->list, .uncertain = &s->count, .columns = task->x->columns,
                .first = s->first, .count = count, .keep = task->k + 1, .nearest = task->k,
                .relative = s->relative, .absolute = s->absolute, .groups = (count - 1) / INDEX_LOCAL + 1));
    TRY(gpu_download(s->g, &s->count, 0, 1, uncertain));
    return *uncertain <= count ? GLSHAPE_OK : index_is_wrong(s->g);
}

/* Leaves the queries in the list to the processors. */
static glshape_status leave(near *s, uint32_t count) {
    index_results *r = s->results;
    if (!count) return GLSHAPE_OK;
    TRY(memory_reserve(run_error(run_of(s->g)), &r->again, &r->again_room, r->again_count + count,
                       sizeof *r->again, "uncertain queries"));
    uint32_t *list = r->again + r->again_count;
    TRY(gpu_download(s->g, &s->list, 0, count, list));
    for (uint32_t e = 0; e < count; e++)
        if (list[e] >= s->task->queries->n) return index_is_wrong(s->g);
    r->again_count += count;
    return GLSHAPE_OK;
}

/* Searches the queries in the list once more. */
static glshape_status search_again(near *s, uint32_t count) {
    const spatial_index *q = s->task->queries;
    OWNED_BY(index_free) spatial_index picked = {.n = count, .columns = q->columns, .norm = q->norm};
    index_task task = *s->task;
    task.queries = &picked;
    if (!count) return GLSHAPE_OK;
    TRY(gpu_texture_new(s->g, &picked.rows, "uncertain queries", GPU_RGBA32UI, count, q->columns / 2 + 1));
    TRY(gpu_run(s->g, index_pick, .queries = (gpu_texture *)&q->rows, .list = &s->list,
                .picked = &picked.rows, .texels = (uint32_t)picked.rows.texels, .count = count,
                .groups = (count - 1) / INDEX_LOCAL + 1));
    return index_search_exactly(s->g, &task, q == s->task->x, 0, s->results);
}

static glshape_status search_some(near *s) {
    uint32_t n = s->task->queries->n, most = s->first ? s->at_once : TRIAL, uncertain;
    uint32_t count = n - s->first < most ? n - s->first : most;
    if (count > s->at_once) count = s->at_once;
    TRY(walk_near(s, count));
    TRY(decide(s, count, &uncertain));
    TRY(s->results->whole ? leave(s, uncertain) : search_again(s, uncertain));
    s->uncertain += uncertain;
    s->first += count;
    return run_tick(run_of(s->g), (double)s->first / n);
}

/* Whether so few are uncertain that this way is the shorter one. */
static bool pays(const near *s) { return s->uncertain <= s->first / 4; }

static glshape_status search_near(gpu *g, const index_task *task, index_results *results,
                                  uint32_t *searched) {
    OWNED_BY(near_free) near s = {0};
    spatial_index *x = task->x, *q = (spatial_index *)task->queries;
    double largest = 0;
    if (!index_near_size(task)) return GLSHAPE_OK;
    TRY(find_largest(g, x, &largest));
    if (q != x) TRY(find_largest(g, q, &largest));
    if (largest > MOST_COORDINATE) return GLSHAPE_OK;
    TRY(halve(g, task));
    TRY(near_new(g, task, results, &s));
    bound_errors(&s, largest);
    while (s.first < q->n && pays(&s)) {
        TRY(search_some(&s));
        *searched = s.first;
    }
    run_fact(run_of(g), s.uncertain, "queries that single precision left uncertain");
    return GLSHAPE_OK;
}

/* Where the GPU has no memory for single precision beside the index, the rest is searched in double. */
glshape_status index_search_near(gpu *g, const index_task *task, index_results *results, uint32_t *searched) {
    glshape_status status = search_near(g, task, results, searched);
    if (status != GLSHAPE_NO_GPU_MEMORY) return status;
    drop(task->x);
    drop((spatial_index *)task->queries);
    return GLSHAPE_OK;
}
