#include "prim/passes.h"

#define REDUCTION(index, in, out, ...)                                                                \
    [PRIM_REDUCE_GROUP + (index)] = {.shader = "prim/reduce_group",                                   \
                                     .kernel = GPU_GROUP,                                             \
                                     .ports = {{"source", in, GPU_READ}, {"result", out, GPU_WRITE}}, \
                                     .uniforms = "uint n, uint at",                                   \
                                     .variants = {__VA_ARGS__}},                                      \
                         [PRIM_REDUCE_FOUR + (index)] = {                                             \
                             .shader = "prim/reduce_four",                                            \
                             .ports = {{"source", in, GPU_READ}, {"result", out, GPU_WRITE}},         \
                             .uniforms = "uint n, uint at, uint bit",                                 \
                             .variants = {__VA_ARGS__}}

#define SORT(index, key, define)                                                                      \
    [PRIM_SORT + (index)] = {.shader = "prim/sort",                                                   \
                             .kernel = GPU_GROUP,                                                     \
                             .ports = {{"keys", key, GPU_UPDATE}, {"values", GPU_R32UI, GPU_UPDATE}}, \
                             .uniforms = "uint n, uint bit, uint run, uint reversed",                 \
                             .variants = {define " MERGE=0", define " MERGE=1"}}

#define TRANSPOSE(index, key, define)                                             \
    [PRIM_TRANSPOSE + (index)] = {.shader = "prim/transpose",                     \
                                  .ports = {{"keys", key, GPU_READ},              \
                                            {"values", GPU_R32UI, GPU_READ},      \
                                            {"new_keys", key, GPU_WRITE},         \
                                            {"new_values", GPU_R32UI, GPU_WRITE}, \
                                            {"moved", GPU_R32UI, GPU_WRITE}},     \
                                  .uniforms = "uint n",                           \
                                  .variants = {define}}

/* variants of a reduction are in the order of prim_op. */
const gpu_pass prim_passes[] = {
    REDUCTION(0, GPU_R32F, GPU_R32F, "KIND=FLOAT OP=SUM", "KIND=FLOAT OP=MIN", "KIND=FLOAT OP=MAX"),
    REDUCTION(1, GPU_R32UI, GPU_R32UI, "KIND=UINT OP=SUM", "KIND=UINT OP=MIN", "KIND=UINT OP=MAX"),
    REDUCTION(2, GPU_RG32F, GPU_RG32F, "KIND=PAIR OP=SUM"),
    REDUCTION(3, GPU_RG32UI, GPU_RG32UI, "KIND=INDEXED OP=ARG_MIN"),
    REDUCTION(4, GPU_R32F, GPU_RG32UI, "KIND=FLOAT OP=ARG_MIN"),
    [PRIM_SCAN] = {.shader = "prim/scan",
                   .kernel = GPU_GROUP,
                   .ports = {{"source", GPU_R32UI, GPU_READ},
                             {"carry", GPU_R32UI, GPU_READ},
                             {"sums", GPU_R32UI, GPU_WRITE},
                             {"total", GPU_R32UI, GPU_WRITE}},
                   .uniforms = "uint n, uint carried, uint at",
                   .variants = {"COMPACT=0"}},
    [PRIM_COMPACT] = {.shader = "prim/scan",
                      .kernel = GPU_GROUP,
                      .ports = {{"source", GPU_R32UI, GPU_READ},
                                {"carry", GPU_R32UI, GPU_READ},
                                {"from", GPU_R32UI, GPU_READ},
                                {"kept", GPU_R32UI, GPU_WRITE},
                                {"total", GPU_R32UI, GPU_WRITE}},
                      .uniforms = "uint n, uint carried, uint at, uint room",
                      .variants = {"COMPACT=1 COPY=0", "COMPACT=1 COPY=1"}},
    [PRIM_FILL] = {.shader = "prim/fill",
                   .ports = {{"filled", GPU_R32UI, GPU_WRITE}},
                   .uniforms = "uint value"},
    [PRIM_HISTOGRAM] = {.shader = "prim/histogram",
                        .kernel = GPU_GROUP,
                        .ports = {{"keys", GPU_R32UI, GPU_READ}, {"bins", GPU_R32UI, GPU_ATOMIC}},
                        .uniforms = "uint n, uint span, uint shift, uint mask",
                        .variants = {"PRIVATE=0", "PRIVATE=1"}},
    SORT(0, GPU_R32UI, "WIDE=0"),
    SORT(1, GPU_RG32UI, "WIDE=1"),
    [PRIM_RADIX_COUNT] = {.shader = "prim/radix",
                          .kernel = GPU_GROUP,
                          .local = 32,
                          .ports = {{"items", GPU_RGBA32UI, GPU_READ}, {"counts", GPU_R32UI, GPU_WRITE}},
                          .uniforms = "uint n, uint parts, uint span, uint shift",
                          .variants = {"MOVE=0"}},
    [PRIM_RADIX_MOVE] = {.shader = "prim/radix",
                         .kernel = GPU_GROUP,
                         .local = 32,
                         .ports = {{"items", GPU_RGBA32UI, GPU_READ},
                                   {"counts", GPU_R32UI, GPU_READ},
                                   {"moved", GPU_RGBA32UI, GPU_WRITE}},
                         .uniforms = "uint n, uint parts, uint span, uint shift",
                         .variants = {"MOVE=1"}},
    TRANSPOSE(0, GPU_R32UI, "FLOAT=0"),
    TRANSPOSE(1, GPU_R32F, "FLOAT=1"),
    [PRIM_ORDERED] = {.shader = "prim/keys",
                      .ports = {{"source", GPU_R32F, GPU_READ}, {"result", GPU_R32UI, GPU_WRITE}},
                      .variants = {"INVERSE=0"}},
    [PRIM_UNORDERED] = {.shader = "prim/keys",
                        .ports = {{"source", GPU_R32UI, GPU_READ}, {"result", GPU_R32F, GPU_WRITE}},
                        .variants = {"INVERSE=1"}},
};
const int prim_pass_count = sizeof prim_passes / sizeof *prim_passes;
