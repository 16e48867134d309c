/* Where rows are dear to compare and few, all their dissimilarities, once. */
#include "dist/passes.h"
#include "dist/source.h"

GPU_DEFINE_PASSES(DIST_PASSES, dist_passes)

size_t dist_table_bytes(const gpu *g, uint32_t n) {
    return gpu_texture_bytes(g, GPU_RGBA32F, n, (n + 3) / 4);
}

glshape_status dist_tabulate(gpu *g, dist_source *s) {
    gpu_texture table = {0};
    uint32_t blocks = (s->n + 31) / 32;
    TRY(gpu_texture_new(g, &table, "the table of dissimilarities", GPU_RGBA32F, s->n, (s->n + 3) / 4));
    glshape_status status = gpu_run(g, dist_table, DIST_SOURCE_OF(s), .table = &table, .n = s->n,
                                    .blocks = blocks, .groups = blocks * blocks);
    if (!status) status = gpu_finish(g);
    gpu_texture_free(status ? &table : &s->values);
    if (status) return status;
    s->values = table;
    s->sparse = false;
    s->turns = 0;
    s->kind = DIST_MATRIX;
    s->metric = s->texels = 0;
    return GLSHAPE_OK;
}
