/* Where rows are dear to compare and few, all their dissimilarities, once. */
#include "dist/passes.h"
#include "dist/source.h"

#define TABLE(format, ...)                                                         \
    {                                                                              \
        .shader = "dist/table", .kernel = GPU_GROUP, .local = 64,                  \
        .ports = {{"given", format, GPU_READ}, {"table", GPU_RGBA32F, GPU_WRITE}}, \
        .uniforms = "uint n, uint blocks", .variants = {                           \
            __VA_ARGS__                                                            \
        }                                                                          \
    }

const gpu_pass dist_passes[] = {
    [DIST_TABLE] = TABLE(GPU_RGBA32F, "SOURCE=0 METRIC=0 TEXELS=33", "SOURCE=0 METRIC=1 TEXELS=196",
                         "SOURCE=0 METRIC=2 TEXELS=2409"),
    [DIST_SPARSE_TABLE] = TABLE(GPU_RGBA32UI, "SOURCE=1 METRIC=0", "SOURCE=1 METRIC=1", "SOURCE=1 METRIC=2"),
};
const int dist_pass_count = sizeof dist_passes / sizeof *dist_passes;

size_t dist_table_bytes(const gpu *g, uint32_t n) {
    return gpu_texture_bytes(g, GPU_RGBA32F, n, (n + 3) / 4);
}

glshape_status dist_tabulate(gpu *g, dist_source *s) {
    gpu_texture table = {0};
    uint32_t blocks = (s->n + 31) / 32;
    TRY(gpu_texture_new(g, &table, "the table of dissimilarities", GPU_RGBA32F, s->n, (s->n + 3) / 4));
    glshape_status status = gpu_run(g, &dist_passes[s->sparse ? DIST_SPARSE_TABLE : DIST_TABLE],
                                    .defines = s->defines, .textures = {&s->values, &table},
                                    .values = {GPU_U(s->n), GPU_U(blocks)}, .count = blocks * blocks);
    if (!status) status = gpu_finish(g);
    gpu_texture_free(status ? &table : &s->values);
    if (status) return status;
    s->values = table;
    s->sparse = false;
    s->turns = 0;
    snprintf(s->defines, sizeof s->defines, "SOURCE=2");
    return GLSHAPE_OK;
}
