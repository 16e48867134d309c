#include "alpha/passes.h"

#define RINGS(how) \
    {"around", GPU_R32UI, how}, {"before", GPU_R32UI, how}, { "origin", GPU_R32UI, how }
#define FACES \
    {"before", GPU_R32UI, GPU_READ}, {"origin", GPU_R32UI, GPU_READ}, { "name", GPU_R32UI, GPU_READ }
#define BLOCKS \
    {"hull", GPU_R32UI, GPU_UPDATE}, {"state", GPU_RGBA32UI, GPU_UPDATE}, { "cost", GPU_R32UI, GPU_ATOMIC }
#define MEET(size, exact)                                                                                  \
    {                                                                                                      \
        .shader = "alpha/meet", .kernel = GPU_GROUP, .local = size,                                        \
        .ports = {{"points", GPU_RGBA32UI, GPU_READ},                                                      \
                  {"ends", GPU_RG32UI, GPU_READ},                                                          \
                  RINGS(GPU_UPDATE),                                                                       \
                  BLOCKS},                                                                                 \
        .uniforms = "uint half_size, uint mergers, uint fresh, uint most_turns, uint words", .variants = { \
            exact                                                                                          \
        }                                                                                                  \
    }
#define ZIP(size, exact)                                                                       \
    {                                                                                          \
        .shader = "alpha/zip", .kernel = GPU_GROUP, .local = size,                             \
        .ports = {{"points", GPU_RGBA32UI, GPU_READ},                                          \
                  {"name", GPU_R32UI, GPU_READ},                                               \
                  RINGS(GPU_UPDATE),                                                           \
                  BLOCKS},                                                                     \
        .uniforms = "uint half_size, uint mergers, uint most_turns, uint words", .variants = { \
            exact                                                                              \
        }                                                                                      \
    }

const gpu_pass alpha_passes[] = {
    [ALPHA_LEAF] = {.shader = "alpha/leaf",
                    .kernel = GPU_GROUP,
                    .local = ALPHA_LOCAL,
                    .ports = {RINGS(GPU_UPDATE),
                              {"hull", GPU_R32UI, GPU_WRITE},
                              {"state", GPU_RGBA32UI, GPU_WRITE}},
                    .uniforms = "uint n"},
    [ALPHA_MEET] = MEET(ALPHA_LOCAL, "EXACT=0"),
    [ALPHA_MEET_EXACTLY] = MEET(ALPHA_EXACT_LOCAL, "EXACT=1"),
    [ALPHA_ZIP] = ZIP(ALPHA_LOCAL, "EXACT=0"),
    [ALPHA_ZIP_EXACTLY] = ZIP(ALPHA_EXACT_LOCAL, "EXACT=1"),
    [ALPHA_OWN] = {.shader = "alpha/own",
                   .kernel = GPU_GROUP,
                   .local = ALPHA_LOCAL,
                   .ports = {FACES, {"count", GPU_R32UI, GPU_ATOMIC}, {"place", GPU_R32UI, GPU_WRITE}},
                   .uniforms = "uint edges, uint outer"},
    [ALPHA_PLACE] = {.shader = "alpha/place",
                     .kernel = GPU_GROUP,
                     .local = ALPHA_LOCAL,
                     .ports = {{"origin", GPU_R32UI, GPU_READ},
                               {"name", GPU_R32UI, GPU_READ},
                               {"first", GPU_R32UI, GPU_READ},
                               {"place", GPU_R32UI, GPU_READ},
                               {"triangle", GPU_RG32UI, GPU_WRITE}},
                     .uniforms = "uint edges"},
    [ALPHA_SORT] = {.shader = "alpha/sort",
                    .kernel = GPU_GROUP,
                    .local = ALPHA_LOCAL,
                    .ports = {{"first", GPU_R32UI, GPU_READ},
                              {"count", GPU_R32UI, GPU_READ},
                              {"triangle", GPU_RG32UI, GPU_UPDATE},
                              {"too_long", GPU_R32UI, GPU_ATOMIC}},
                    .uniforms = "uint n, uint most"},
    [ALPHA_NUMBER] = {.shader = "alpha/number",
                      .kernel = GPU_GROUP,
                      .local = ALPHA_LOCAL,
                      .ports = {FACES, {"triangle", GPU_RG32UI, GPU_READ}, {"number", GPU_R32UI, GPU_WRITE}},
                      .uniforms = "uint triangles, uint outer"},
    [ALPHA_COLLECT] = {.shader = "alpha/collect",
                       .kernel = GPU_GROUP,
                       .local = ALPHA_LOCAL,
                       .ports = {FACES,
                                 {"triangle", GPU_RG32UI, GPU_READ},
                                 {"number", GPU_R32UI, GPU_READ},
                                 {"vertex", GPU_R32UI, GPU_WRITE},
                                 {"neighbour", GPU_R32UI, GPU_WRITE}},
                       .uniforms = "uint triangles, uint outer"},
};
const int alpha_pass_count = sizeof alpha_passes / sizeof *alpha_passes;
