/* Computes all dissimilarities once: for rows that are few and take long to compare. */
#include "base/owned.h"
#include "dist/passes.h"
#include "dist/source.h"

GPU_DEFINE_PASSES(DIST_PASSES, dist_passes)

size_t dist_table_bytes(const gpu *g, uint32_t n) {
    return gpu_texture_bytes(g, GPU_RGBA32F, n, (n + 3) / 4);
}

glshape_status dist_tabulate(gpu *g, dist_source *s) {
    OWNED_BY(gpu_texture_free) gpu_texture table = {0};
    uint32_t blocks = (s->n + 31) / 32;
    TRY(gpu_texture_new(g, &table, "the table of dissimilarities", GPU_RGBA32F, s->n, (s->n + 3) / 4));
    TRY(gpu_run(g, dist_table, DIST_SOURCE_OF(s), .table = &table, .n = s->n, .blocks = blocks,
                .groups = blocks * blocks));
    TRY(gpu_finish(g));
    gpu_texture_free(&s->values);
    s->values = MOVE(table);
    s->sparse = false;
    s->turns = 0;
    s->kind = DIST_MATRIX;
    s->metric = s->texels = 0;
    return GLSHAPE_OK;
}
