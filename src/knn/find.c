/* Candidates of points, by passes over spans of columns. */
#include <stdlib.h>

#include "base/memory.h"
#include "knn/knn.h"
#include "knn/passes.h"

#define TILE 128u
/* Of candidates, most at a time: fewer where a few rows keep all of the device busy. */
#define LIST_BYTES ((size_t)256 << 20)
#define SOFTWARE_LIST_BYTES ((size_t)16 << 20)

/* Loop turns of an invocation for one tile, at most: all of its pairs offered, all of its points swept. */
static uint32_t tile_turns(const knn_search *s, const knn_points *p) {
    uint32_t sweeps = (TILE << s->both) * s->capacity / 2048;
    return p->slices + 200 + sweeps * (s->capacity + 32);
}

static uint32_t tiles_a_span(const knn_search *s, const knn_points *p) {
    /* The last sweep comes on top. */
    uint32_t tiles = GPU_TURNS / tile_turns(s, p);
    return tiles > 2 ? tiles - 1 : 1;
}

/* Tiles of rows at a time: what the lists may take; under a limit of memory, what they and queries may. */
static uint32_t tiles_in(const gpu *g, const knn_search *s, size_t room, size_t queries) {
    size_t limit = gpu_memory_limit(g), used = gpu_bytes(g), left = limit < used ? 0 : (limit - used) / 2,
           lists = 8 * TILE * ((size_t)s->capacity + s->keep + 1), tiles = room / lists;
    if (limit && left / (lists + queries) < tiles) tiles = left / (lists + queries);
    return tiles ? (uint32_t)tiles : 1;
}

glshape_status knn_search_new(gpu *g, const knn_points *p, uint32_t k, bool across, knn_search *out) {
    uint32_t keep = k + 8 + k / 4, tiles = (p->n - 1) / TILE + 1;
    *out = (knn_search){.keep = keep < p->n - 1 ? keep : p->n - 1, .shared = !gpu_is_software(g)};
    out->capacity = keep <= 64 ? 256 : 512;
    out->both = !across && tiles_in(g, out, LIST_BYTES, 0) >= tiles;
    if (tile_turns(out, p) > GPU_TURNS) out->both = false;
    if (!out->both) {
        size_t room = gpu_is_software(g) ? SOFTWARE_LIST_BYTES : LIST_BYTES;
        uint32_t most = tiles_in(g, out, room, across ? TILE * (4 * (size_t)p->values.texels + 8) : 0);
        if (most < tiles) tiles = most;
    }
    out->rows = tiles * TILE;
    uint32_t rows = out->rows < p->n ? out->rows : p->n;
    glshape_status status =
        gpu_texture_new(g, &out->list, "lists of neighbors", GPU_RG32UI, rows, out->capacity);
    if (!status) status = gpu_texture_new(g, &out->progress, "sizes of lists", GPU_RG32UI, rows, 1);
    if (!status) status = gpu_texture_new(g, &out->found, "nearest neighbors", GPU_RG32UI, rows, out->keep);
    if (status) knn_search_free(out);
    return status;
}

void knn_search_free(knn_search *s) {
    gpu_texture_free(&s->list);
    gpu_texture_free(&s->progress);
    gpu_texture_free(&s->found);
    gpu_texture_free(&s->chosen);
    gpu_texture_free(&s->query);
    gpu_texture_free(&s->labels);
    *s = (knn_search){0};
}

/* What all passes over tiles are given. */
#define TILES_OF(s, p)                                                                                    \
    .SHARED = (s)->shared, .MANHATTAN = (p)->metric == GLSHAPE_METRIC_MANHATTAN,                          \
    .CAPACITY = (int)(s)->capacity, .SLICE = (int)(p)->slice, .points = &(p)->values, .list = &(s)->list, \
    .progress = &(s)->progress, .n = (p)->n, .slices = (p)->slices, .keep = (s)->keep

/* Each pair of blocks once: glsl/knn/both.glsl has the order. */
static glshape_status run_both(gpu *g, knn_search *s, knn_points *p) {
    uint32_t blocks = (p->n - 1) / TILE + 1;
    for (uint32_t turn = 0; turn <= blocks; turn++) {
        uint32_t tiles = turn < blocks ? turn / 2 + 1 + (turn + blocks) / 2 - turn : blocks;
        TRY(gpu_run(g, knn_both, TILES_OF(s, p), .row_end = p->n, .column_end = p->n, .turn = turn,
                    .groups = tiles));
        TRY(gpu_tick(g, (double)turn / blocks));
    }
    return GLSHAPE_OK;
}

/* Rows [first, end), of the points or of the queries, against all points: as many columns at a time as loops
 * may turn. */
static glshape_status run_spans(gpu *g, knn_search *s, knn_points *p, uint32_t first, uint32_t end) {
    uint32_t span = tiles_a_span(s, p) * TILE, groups = (end - first - 1) / TILE + 1;
    for (uint32_t from = 0; from < p->n; from += span) {
        uint32_t to = p->n - from < span ? p->n : from + span;
        if (s->query.id)
            TRY(gpu_run(g, knn_across, TILES_OF(s, p), .chosen = &s->chosen, .query = &s->query,
                        .labels = &s->labels, .row_first = first, .row_end = end, .column_first = from,
                        .column_end = to, .last_span = to == p->n, .groups = groups));
        else
            TRY(gpu_run(g, knn_spans, TILES_OF(s, p), .row_first = first, .row_end = end,
                        .column_first = from, .column_end = to, .last_span = to == p->n, .groups = groups));
        TRY(gpu_tick(g, (first + (double)(end - first) * to / p->n) / p->n));
    }
    return GLSHAPE_OK;
}

/* Rows [first, end) of the points, or of the queries. */
static glshape_status run_rows(gpu *g, knn_search *s, knn_points *p, uint32_t first, uint32_t end,
                               knn_candidate *out) {
    TRY(s->both ? run_both(g, s, p) : run_spans(g, s, p, first, end));
    TRY(gpu_run(g, knn_take, .list = &s->list, .progress = &s->progress, .found = &s->found,
                .elements = end - first));
    return gpu_download(g, &s->found, 0, end - first, out);
}

glshape_status knn_search_rows(gpu *g, knn_search *s, knn_points *p, uint32_t first, knn_candidate *out) {
    return run_rows(g, s, p, first, p->n - first < s->rows ? p->n : first + s->rows, out);
}

/* ---- across components ------------------------------------------------------------------------- */

glshape_status knn_search_across(gpu *g, knn_search *s, const knn_points *p, const uint32_t *label) {
    uint32_t quads = (p->n + 3) / 4, *four, rows = s->rows < p->n ? s->rows : p->n;
    if (!s->query.id) {
        TRY(gpu_texture_new(g, &s->labels, "labels of points", GPU_RGBA32UI, quads, 1));
        TRY(gpu_texture_new(g, &s->chosen, "the queries", GPU_RGBA32F, (rows + 3) / 4, p->slice * p->slices));
        TRY(gpu_texture_new(g, &s->query, "points of queries", GPU_RG32UI, rows, 1));
    }
    TRY(allocate(gpu_error(g), &four, quads, 4 * sizeof *four, "labels of points"));
    for (uint32_t i = 0; i < p->n; i++) four[i] = label[i];
    glshape_status status = gpu_upload(g, &s->labels, 0, quads, four);
    free(four);
    return status;
}

glshape_status knn_search_queries(gpu *g, knn_search *s, knn_points *p, const knn_query *queries,
                                  uint32_t count, knn_candidate *out) {
    TRY(gpu_upload(g, &s->query, 0, count, queries));
    TRY(gpu_run(g, knn_gather, .points = &p->values, .query = &s->query, .chosen = &s->chosen, .count = count,
                .elements = (count + 3) / 4));
    return run_rows(g, s, p, 0, count, out);
}
