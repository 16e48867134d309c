#include "rips/passes.h"

#define SMALL "WORDS=8u ROOM=256u"
#define LARGE "WORDS=256u ROOM=6144u"

const gpu_pass rips_passes[] = {
    [RIPS_EDGES] = {.shader = "rips/edges",
                    .kernel = GPU_GROUP,
                    .local = RIPS_LOCAL,
                    .ports = {{"dist", GPU_RGBA32F, GPU_READ},
                              {"columns", GPU_RGBA32UI, GPU_WRITE},
                              {"found", GPU_R32UI, GPU_ATOMIC}},
                    .uniforms = "uint n, float threshold, uint first, uint count, uint room"},
    [RIPS_CANDIDATES] = {.shader = "rips/candidates",
                         .kernel = GPU_GROUP,
                         .local = RIPS_LOCAL,
                         .ports = {{"dist", GPU_RGBA32F, GPU_READ},
                                   {"edges", GPU_RG32UI, GPU_READ},
                                   {"found", GPU_RG32UI, GPU_WRITE}},
                         .uniforms = "uint n",
                         .variants = {SMALL, LARGE}},
    [RIPS_COLUMNS] = {.shader = "rips/columns",
                      .kernel = GPU_GROUP,
                      .local = RIPS_LOCAL,
                      .ports = {{"dist", GPU_RGBA32F, GPU_READ},
                                {"binomial", GPU_RG32UI, GPU_READ},
                                {"work", GPU_RGBA32UI, GPU_READ},
                                {"columns", GPU_RGBA32UI, GPU_WRITE},
                                {"found", GPU_R32UI, GPU_ATOMIC}},
                      .uniforms = "uint n, uint span, uint room",
                      .variants = {SMALL " EXTRA=1", SMALL " EXTRA=2", LARGE " EXTRA=2", SMALL " EXTRA=3",
                                   SMALL " EXTRA=4", SMALL " EXTRA=7"}},
};
const int rips_pass_count = sizeof rips_passes / sizeof *rips_passes;
