/* The index as textures. A double is two words, the low one first.
 *   rows:   of the point at a position, its columns and, behind them, its index; four words a texel
 *   boxes:  of a node, a texel a column: the least value, the greatest
 *   leasts: of a node, the least index
 *   firsts: of a bucket, the position of its first point; and n, twice */
#include "base/memory.h"
#include "base/owned.h"
#include "base/threads.h"
#include "index/index.h"

#define STAGING ((size_t)16 << 20)
#define CHUNK 4096u

typedef struct staging {
    const spatial_index *x;
    uint32_t *words;
    uint32_t first, count, texels;
} staging;

static void stage_chunk(void *user, size_t chunk) {
    staging *s = user;
    size_t columns = s->x->columns;
    for (uint32_t i = (uint32_t)chunk * CHUNK; i < s->count && i / CHUNK == chunk; i++) {
        uint32_t *to = s->words + 4 * (size_t)i * s->texels;
        memcpy(to, s->x->row + (s->first + i) * columns, columns * sizeof(double));
        to[2 * columns] = s->x->point[s->first + i];
    }
}

static glshape_status upload_rows(gpu *g, spatial_index *x) {
    OWNED uint32_t *words = NULL;
    staging s = {.x = x, .texels = (uint32_t)x->rows.texels};
    uint32_t most = (uint32_t)(STAGING / (16 * s.texels)) + 1;
    if (most > x->n) most = x->n;
    TRY(allocate(run_error(run_of(g)), &words, most, 16 * (size_t)s.texels, "staging of the index"));
    for (s.words = words; s.first < x->n; s.first += s.count) {
        s.count = x->n - s.first < most ? x->n - s.first : most;
        threads_run(0, (s.count - 1) / CHUNK + 1, stage_chunk, &s);
        TRY(gpu_upload(g, &x->rows, s.first, s.count, words));
    }
    return GLSHAPE_OK;
}

static glshape_status upload(gpu *g, spatial_index *x) {
    uint32_t nodes = 2 * x->leaves;
    TRY(gpu_texture_new(g, &x->rows, "the points of the index", GPU_RGBA32UI, x->n, x->columns / 2 + 1));
    TRY(gpu_texture_new(g, &x->boxes, "the boxes of the index", GPU_RGBA32UI, nodes, x->columns));
    TRY(gpu_texture_new(g, &x->leasts, "the nodes of the index", GPU_R32UI, nodes, 1));
    TRY(gpu_texture_new(g, &x->firsts, "the buckets of the index", GPU_R32UI, x->buckets + 2, 1));
    TRY(gpu_upload(g, &x->firsts, 0, x->buckets + 2, x->first));
    TRY(upload_rows(g, x));
    TRY(gpu_upload(g, &x->boxes, 0, nodes, x->box));
    return gpu_upload(g, &x->leasts, 0, nodes, x->least);
}

/* All of it is there, or nothing. */
glshape_status index_upload(gpu *g, spatial_index *x) {
    gpu_texture *const all[] = {&x->rows, &x->boxes, &x->leasts, &x->firsts};
    if (x->rows.id) return GLSHAPE_OK;
    glshape_status status = upload(g, x);
    for (int i = 0; status && i < 4; i++) gpu_texture_free(all[i]);
    return status;
}

static void unpack_chunk(void *user, size_t chunk) {
    const staging *s = user;
    size_t columns = s->x->columns;
    for (uint32_t i = (uint32_t)chunk * CHUNK; i < s->count && i / CHUNK == chunk; i++) {
        const uint32_t *from = s->words + 4 * (size_t)i * s->texels;
        memcpy(s->x->row + (s->first + i) * columns, from, columns * sizeof(double));
        s->x->point[s->first + i] = from[2 * columns];
    }
}

static glshape_status bring_rows(gpu *g, spatial_index *x) {
    OWNED uint32_t *words = NULL;
    staging s = {.x = x, .texels = (uint32_t)x->rows.texels};
    uint32_t most = (uint32_t)(STAGING / (16 * s.texels)) + 1;
    if (most > x->n) most = x->n;
    TRY(allocate(run_error(run_of(g)), &words, most, 16 * (size_t)s.texels, "staging of the index"));
    for (s.words = words; s.first < x->n; s.first += s.count) {
        s.count = x->n - s.first < most ? x->n - s.first : most;
        TRY(gpu_download(g, &x->rows, s.first, s.count, words));
        threads_run(0, (s.count - 1) / CHUNK + 1, unpack_chunk, &s);
    }
    return GLSHAPE_OK;
}

glshape_status index_bring(gpu *g, spatial_index *x) {
    error *err = run_error(run_of(g));
    uint32_t nodes = 2 * x->leaves;
    if (x->row) return GLSHAPE_OK;
    TRY(allocate(err, &x->point, x->n, sizeof *x->point, "the points of the index"));
    TRY(allocate(err, &x->box, nodes, 2 * x->columns * sizeof *x->box, "the boxes of the index"));
    TRY(allocate(err, &x->least, nodes, sizeof *x->least, "the nodes of the index"));
    TRY(allocate(err, &x->row, x->n, x->columns * sizeof *x->row, "the points of the index"));
    TRY(bring_rows(g, x));
    TRY(gpu_download(g, &x->boxes, 0, nodes, x->box));
    return gpu_download(g, &x->leasts, 0, nodes, x->least);
}
