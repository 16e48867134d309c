/* The search for candidates, by passes over tiles of 128 rows and 128 columns of the matrix of all pairs. */
#include <float.h>
#include <math.h>

#include "base/memory.h"
#include "base/owned.h"
#include "knn/knn.h"
#include "knn/passes.h"

/* The lists of candidates take this at most; less on software renderers, which a few rows keep busy. */
#define LIST_BYTES ((size_t)256 << 20)
#define SOFTWARE_LIST_BYTES ((size_t)16 << 20)

/* The loop turns that an invocation takes for one tile, at most: if it offers all of its pairs and sweeps all
 * of its points. */
static uint32_t tile_turns(const knn_search *s, const knn_points *p) {
    uint32_t sweeps = (KNN_TILE << s->both) * s->capacity / 2048;
    return p->slices + 200 + sweeps * (s->capacity + 32);
}

/* How many tiles of rows are searched at a time: as many as have lists in `room` bytes and, under a limit of
 * memory, as leave half of it free. queries: bytes that the queries of a tile take beside. */
static uint32_t tiles_in(const gpu *g, const knn_search *s, size_t room, size_t queries) {
    size_t limit = gpu_memory_limit(g), used = gpu_bytes(g), left = limit < used ? 0 : (limit - used) / 2,
           lists = 8 * KNN_TILE * ((size_t)s->capacity + s->keep + 1), tiles = room / lists;
    if (limit && left / (lists + queries) < tiles) tiles = left / (lists + queries);
    return tiles ? (uint32_t)tiles : 1;
}

glshape_status knn_search_new(gpu *g, knn_points *p, uint32_t k, bool across, knn_search *out) {
    uint32_t keep = k + 8 + k / 4, tiles = (p->n - 1) / KNN_TILE + 1;
    TRY(gpu_need(g));
    OWNED_BY(knn_search_free) knn_search s = {.shared = !gpu_is_software(g)};
    if (!p->values.id) TRY(knn_points_upload(g, p));
    s.keep = keep < p->n - 1 ? keep : p->n - 1;
    s.capacity = keep <= 64 ? 256 : 512;
    s.both = !across && tiles_in(g, &s, LIST_BYTES, 0) >= tiles;
    if (tile_turns(&s, p) > GPU_TURNS || tiles < (uint32_t)gpu_ranks(g)->size) s.both = false;
    if (!s.both) {
        size_t room = gpu_is_software(g) ? SOFTWARE_LIST_BYTES : LIST_BYTES;
        uint32_t most = tiles_in(g, &s, room, across ? KNN_TILE * (4 * (size_t)p->values.texels + 8) : 0);
        if (most < tiles) tiles = most;
    }
    s.rows = tiles * KNN_TILE;
    uint32_t rows = s.rows < p->n ? s.rows : p->n;
    TRY(gpu_texture_new(g, &s.list, "lists of neighbors", GPU_RG32UI, rows, s.capacity));
    TRY(gpu_texture_new(g, &s.progress, "sizes of lists", GPU_RG32UI, rows, 1));
    TRY(gpu_texture_new(g, &s.found, "nearest neighbors", GPU_RG32UI, rows, s.keep));
    *out = MOVE(s);
    return GLSHAPE_OK;
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
#define TILES_OF(s, p)                                                                                \
    .SHARED = (s)->shared, .POWER = (int)(p)->norm.power, .CAPACITY = (int)(s)->capacity,             \
    .SLICE = (int)(p)->slice, .points = &(p)->values, .list = &(s)->list, .progress = &(s)->progress, \
    .n = (p)->n, .slices = (p)->slices, .keep = (s)->keep

/* Computes each pair of blocks once, in the rounds of a tournament (glsl/knn/both.glsl), which ranks take in
 * turn. A last round, of a tile for each block, sweeps. */
static glshape_status search_both(gpu *g, knn_search *s, knn_points *p) {
    const ranks *r = gpu_ranks(g);
    uint32_t blocks = (p->n - 1) / KNN_TILE + 1, round = (uint32_t)r->rank;
    for (bool last = false; !last; round += (uint32_t)r->size) {
        last = round >= blocks;
        if (last) round = blocks;
        uint32_t tiles = last ? blocks : round / 2 + 1 + (round + blocks) / 2 - round;
        TRY(gpu_run(g, knn_both, TILES_OF(s, p), .row_end = p->n, .column_end = p->n, .rounds_done = round,
                    .first_round = (uint32_t)r->rank, .groups = tiles));
        TRY(gpu_tick(g, (double)round / blocks));
    }
    return GLSHAPE_OK;
}

/* Compares rows first … end - 1, of the points or of the queries, with all points: a span of columns at a
 * time, as wide as GPU_TURNS allows beside the last sweep. */
static glshape_status search_spans(gpu *g, knn_search *s, knn_points *p, uint32_t first, uint32_t end) {
    uint32_t tiles = GPU_TURNS / tile_turns(s, p), groups = (end - first - 1) / KNN_TILE + 1;
    uint32_t span = (tiles > 2 ? tiles - 1 : 1) * KNN_TILE;
    for (uint32_t from = 0; from < p->n; from += span) {
        uint32_t to = p->n - from < span ? p->n : from + span;
        if (s->query.id)
            TRY(gpu_run(g, knn_across, TILES_OF(s, p), .CORES = s->raised, .chosen = &s->chosen,
                        .query = &s->query, .labels = &s->labels, .row_first = first, .row_end = end,
                        .column_first = from, .column_end = to, .last_span = to == p->n, .groups = groups));
        else
            TRY(gpu_run(g, knn_spans, TILES_OF(s, p), .row_first = first, .row_end = end,
                        .column_first = from, .column_end = to, .last_span = to == p->n, .groups = groups));
        TRY(gpu_tick(g, (first + (double)(end - first) * to / p->n) / p->n));
    }
    return GLSHAPE_OK;
}

/* The candidates of rows first … end - 1, of the points or of the queries. */
static glshape_status search_rows(gpu *g, knn_search *s, knn_points *p, uint32_t first, uint32_t end,
                                  knn_candidate *out) {
    TRY(s->both ? search_both(g, s, p) : search_spans(g, s, p, first, end));
    TRY(gpu_run(g, knn_take, .list = &s->list, .progress = &s->progress, .found = &s->found,
                .elements = end - first));
    return gpu_download(g, &s->found, 0, end - first, out);
}

glshape_status knn_search_rows(gpu *g, knn_search *s, knn_points *p, uint32_t first, uint32_t count,
                               knn_candidate *out) {
    return search_rows(g, s, p, first, first + count, out);
}

/* ---- across components ------------------------------------------------------------------------- */

/* A core distance as the shader has it: no less than what any sum up to it is there, and of equal ones the
 * same, whatever the points. */
static float core_above(const knn_points *p, double core, double alpha) {
    double columns = (double)p->m->cols, sum = core * alpha;
    if (alpha == 1 && sum < p->exact_below) return (float)sum;
    sum = norm_root(&p->norm, sum) + 1.01 * 2 * p->most_rounding;
    sum = norm_raise(&p->norm, sum) * (1 + 1.01 * knn_terms(p) * 0x1p-24) + columns * 0x1p-125;
    return sum < FLT_MAX ? nextafterf((float)sum, FLT_MAX) : FLT_MAX;
}

glshape_status knn_search_across(gpu *g, knn_search *s, const knn_points *p, const uint32_t *label,
                                 const index_cores *cores) {
    OWNED uint32_t *padded = NULL; /* to whole texels */
    uint32_t quads = (p->n + 3) / 4, rows = s->rows < p->n ? s->rows : p->n, texels = cores ? 2 : 1;
    s->raised = cores != NULL;
    if (!s->query.id) {
        TRY(gpu_texture_new(g, &s->labels, "labels of points", GPU_RGBA32UI, quads, texels));
        TRY(gpu_texture_new(g, &s->chosen, "the queries", GPU_RGBA32F, (rows + 3) / 4, p->slice * p->slices));
        TRY(gpu_texture_new(g, &s->query, "points of queries", GPU_RG32UI, rows, 1));
    }
    TRY(allocate(gpu_error(g), &padded, quads, texels * 4 * sizeof *padded, "labels of points"));
    for (uint32_t i = 0; i < p->n; i++) {
        uint32_t *texel = padded + (size_t)4 * texels * (i / 4);
        float core = cores ? core_above(p, cores->core[i], cores->alpha) : 0;
        texel[i % 4] = label[i];
        if (cores) memcpy(&texel[4 + i % 4], &core, sizeof core);
    }
    return gpu_upload(g, &s->labels, 0, quads, padded);
}

glshape_status knn_search_queries(gpu *g, knn_search *s, knn_points *p, const knn_query *queries,
                                  uint32_t count, knn_candidate *out) {
    TRY(gpu_upload(g, &s->query, 0, count, queries));
    TRY(gpu_run(g, knn_gather, .points = &p->values, .query = &s->query, .chosen = &s->chosen, .count = count,
                .elements = (count + 3) / 4));
    return search_rows(g, s, p, 0, count, out);
}
