#include "knn/passes.h"

const gpu_pass knn_passes[] = {
    [KNN_FIND] = {.shader = "knn/find",
                  .kernel = GPU_GROUP,
                  .ports = {{"points", GPU_RGBA32F, GPU_READ},
                            {"list", GPU_RG32UI, GPU_UPDATE},
                            {"progress", GPU_RG32UI, GPU_UPDATE}},
                  .uniforms = "uint n, uint slices, uint keep, uint row_first, uint row_end, uint "
                              "column_first, uint column_end, uint last_span",
                  .variants = {"SHARED=1 SLICE=16 MANHATTAN=0 CAPACITY=256",
                               "SHARED=1 SLICE=9 MANHATTAN=1 CAPACITY=512",
                               "SHARED=1 SLICE=1 MANHATTAN=0 CAPACITY=256",
                               "SHARED=0 SLICE=16 MANHATTAN=1 CAPACITY=256",
                               "SHARED=0 SLICE=3 MANHATTAN=0 CAPACITY=512"}},
    [KNN_TAKE] = {.shader = "knn/take",
                  .per_texel = true,
                  .ports = {{"list", GPU_RG32UI, GPU_READ},
                            {"progress", GPU_RG32UI, GPU_READ},
                            {"found", GPU_RG32UI, GPU_WRITE}}},
};
const int knn_pass_count = sizeof knn_passes / sizeof *knn_passes;
