#include "tree/passes.h"

#define DENSE(format, define)                             \
    {                                                     \
        .shader = "tree/dense", .kernel = GPU_GROUP,      \
        .ports = {{"matrix", format, GPU_READ},           \
                  {"label", GPU_R32UI, GPU_READ},         \
                  {"key", GPU_R32UI, GPU_UPDATE},         \
                  {"to", GPU_R32UI, GPU_UPDATE}},         \
        .uniforms = "uint n, uint maximum", .variants = { \
            define                                        \
        }                                                 \
    }

const gpu_pass tree_passes[] = {
    [TREE_NEAREST_KEY] = {.shader = "tree/nearest",
                          .kernel = GPU_GROUP,
                          .ports = {{"edges", GPU_RGBA32UI, GPU_READ}, {"key", GPU_R32UI, GPU_ATOMIC}},
                          .uniforms = "uint count",
                          .variants = {"STEP=0"}},
    [TREE_NEAREST_TO] = {.shader = "tree/nearest",
                         .kernel = GPU_GROUP,
                         .ports = {{"edges", GPU_RGBA32UI, GPU_READ},
                                   {"key", GPU_R32UI, GPU_READ},
                                   {"to", GPU_R32UI, GPU_ATOMIC}},
                         .uniforms = "uint count",
                         .variants = {"STEP=1"}},
    [TREE_ALIVE] = {.shader = "tree/alive",
                    .ports = {{"edges", GPU_RGBA32UI, GPU_READ},
                              {"label", GPU_R32UI, GPU_READ},
                              {"alive", GPU_R32UI, GPU_WRITE}}},
    [TREE_GATHER] = {.shader = "tree/gather",
                     .ports = {{"edges", GPU_RGBA32UI, GPU_READ},
                               {"kept", GPU_R32UI, GPU_READ},
                               {"gathered", GPU_RGBA32UI, GPU_WRITE}}},
    [TREE_DENSE] = DENSE(GPU_R32F, "PACKED=0"),
    [TREE_DENSE_PACKED] = DENSE(GPU_RGBA32F, "PACKED=1"),
    [TREE_LEAST_KEY] = {.shader = "tree/least",
                        .kernel = GPU_GROUP,
                        .ports = {{"key", GPU_R32UI, GPU_READ},
                                  {"label", GPU_R32UI, GPU_READ},
                                  {"best_key", GPU_R32UI, GPU_ATOMIC}},
                        .uniforms = "uint n",
                        .variants = {"STEP=0"}},
    [TREE_LEAST_LO] = {.shader = "tree/least",
                       .kernel = GPU_GROUP,
                       .ports = {{"key", GPU_R32UI, GPU_READ},
                                 {"to", GPU_R32UI, GPU_READ},
                                 {"label", GPU_R32UI, GPU_READ},
                                 {"best_key", GPU_R32UI, GPU_READ},
                                 {"best_lo", GPU_R32UI, GPU_ATOMIC}},
                       .uniforms = "uint n",
                       .variants = {"STEP=1"}},
    [TREE_LEAST_HI] = {.shader = "tree/least",
                       .kernel = GPU_GROUP,
                       .ports = {{"key", GPU_R32UI, GPU_READ},
                                 {"to", GPU_R32UI, GPU_READ},
                                 {"label", GPU_R32UI, GPU_READ},
                                 {"best_key", GPU_R32UI, GPU_READ},
                                 {"best_lo", GPU_R32UI, GPU_READ},
                                 {"best_hi", GPU_R32UI, GPU_ATOMIC}},
                       .uniforms = "uint n",
                       .variants = {"STEP=2"}},
    [TREE_HOOK] = {.shader = "tree/hook",
                   .kernel = GPU_GROUP,
                   .ports = {{"label", GPU_R32UI, GPU_READ},
                             {"best_key", GPU_R32UI, GPU_READ},
                             {"best_lo", GPU_R32UI, GPU_READ},
                             {"best_hi", GPU_R32UI, GPU_READ},
                             {"parent", GPU_R32UI, GPU_WRITE},
                             {"state", GPU_R32UI, GPU_ATOMIC}},
                   .uniforms = "uint n"},
    [TREE_CHASE] = {.shader = "tree/chase",
                    .kernel = GPU_GROUP,
                    .ports = {{"parent", GPU_R32UI, GPU_READ},
                              {"label", GPU_R32UI, GPU_WRITE},
                              {"best_key", GPU_R32UI, GPU_WRITE},
                              {"best_lo", GPU_R32UI, GPU_WRITE},
                              {"best_hi", GPU_R32UI, GPU_WRITE},
                              {"state", GPU_R32UI, GPU_ATOMIC}},
                    .uniforms = "uint n"},
};
const int tree_pass_count = sizeof tree_passes / sizeof *tree_passes;
