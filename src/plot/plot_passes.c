#include "plot/plot_passes.h"

const gpu_pass plot_passes[] = {
    [PLOT_CLEAR] = {.shader = "plot/clear",
                    .kernel = GPU_TEXEL,
                    .ports = {{"top", GPU_R32UI, GPU_WRITE}},
                    .variants = {""}},
    [PLOT_PAINT] = {.shader = "plot/paint",
                    .kernel = GPU_GROUP,
                    .ports = {{"geometry", GPU_RGBA32F, GPU_READ},
                              {"radius", GPU_R32F, GPU_READ},
                              {"box", GPU_RGBA32UI, GPU_READ},
                              {"top", GPU_R32UI, GPU_ATOMIC}},
                    .uniforms = "uint items, uint stride, uint first_row",
                    .variants = {""}},
    [PLOT_RESOLVE] = {.shader = "plot/resolve",
                      .kernel = GPU_TEXEL,
                      .ports = {{"top", GPU_R32UI, GPU_READ},
                                {"colour", GPU_R32UI, GPU_READ},
                                {"curve", GPU_RG32UI, GPU_READ},
                                {"picture", GPU_R32UI, GPU_WRITE}},
                      .uniforms = "uint width, uint background",
                      .variants = {PLOT_DEFINES}},
};
const int plot_pass_count = sizeof plot_passes / sizeof *plot_passes;
