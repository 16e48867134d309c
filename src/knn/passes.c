#include "knn/passes.h"

#define UNIFORMS                                                                                         \
    "uint n, uint slices, uint keep, uint row_first, uint row_end, uint column_first, uint column_end, " \
    "uint last_span, uint turn"

const gpu_pass knn_passes[] = {
    [KNN_FIND] = {.shader = "knn/find",
                  .kernel = GPU_GROUP,
                  .ports = {{"points", GPU_RGBA32F, GPU_READ},
                            {"list", GPU_RG32UI, GPU_UPDATE},
                            {"progress", GPU_RG32UI, GPU_UPDATE}},
                  .uniforms = UNIFORMS,
                  .variants = {"ACROSS=0 BOTH=0 SHARED=1 SLICE=16 MANHATTAN=0 CAPACITY=256",
                               "ACROSS=0 BOTH=0 SHARED=1 SLICE=9 MANHATTAN=1 CAPACITY=512",
                               "ACROSS=0 BOTH=0 SHARED=1 SLICE=1 MANHATTAN=0 CAPACITY=256",
                               "ACROSS=0 BOTH=0 SHARED=0 SLICE=16 MANHATTAN=1 CAPACITY=256",
                               "ACROSS=0 BOTH=1 SHARED=0 SLICE=3 MANHATTAN=0 CAPACITY=512",
                               "ACROSS=0 BOTH=1 SHARED=1 SLICE=16 MANHATTAN=1 CAPACITY=256"}},
    [KNN_ACROSS] = {.shader = "knn/find",
                    .kernel = GPU_GROUP,
                    .ports = {{"points", GPU_RGBA32F, GPU_READ},
                              {"list", GPU_RG32UI, GPU_UPDATE},
                              {"progress", GPU_RG32UI, GPU_UPDATE},
                              {"chosen", GPU_RGBA32F, GPU_READ},
                              {"query", GPU_RG32UI, GPU_READ},
                              {"labels", GPU_RGBA32UI, GPU_READ}},
                    .uniforms = UNIFORMS,
                    .variants = {"ACROSS=1 BOTH=0 SHARED=1 SLICE=16 MANHATTAN=0 CAPACITY=256",
                                 "ACROSS=1 BOTH=0 SHARED=0 SLICE=3 MANHATTAN=1 CAPACITY=256"}},
    [KNN_GATHER] = {.shader = "knn/gather",
                    .per_texel = true,
                    .ports = {{"points", GPU_RGBA32F, GPU_READ},
                              {"query", GPU_RG32UI, GPU_READ},
                              {"chosen", GPU_RGBA32F, GPU_WRITE}},
                    .uniforms = "uint count"},
    [KNN_TAKE] = {.shader = "knn/take",
                  .per_texel = true,
                  .ports = {{"list", GPU_RG32UI, GPU_READ},
                            {"progress", GPU_RG32UI, GPU_READ},
                            {"found", GPU_RG32UI, GPU_WRITE}}},
};
const int knn_pass_count = sizeof knn_passes / sizeof *knn_passes;
