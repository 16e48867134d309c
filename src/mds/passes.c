#include "mds/passes.h"

/* One table per format of the source's texture (port `given`): floats for points, matrices and pages,
 * integers for sparse rows; and the same two with weights, which are the last port. The arguments after the
 * format and that port are the variants: points of 1 texel and of many, layouts of one texel (dim up to 4)
 * and of several. */
#define PORT_PLAIN
#define PORT_WEIGHTED \
    , { "weights", GPU_RGBA32F, GPU_READ }
#define DEFINE_PLAIN ""
#define DEFINE_WEIGHTED " WEIGHTED"

#define PASSES(format, kind, ...)                                                         \
    [MDS_SAMPLE] = {.shader = "mds/sample",                                               \
                    .ports = {{"perm", GPU_R32UI, GPU_READ},                              \
                              {"given", format, GPU_READ},                                \
                              {"place_in", GPU_RGBA32F, GPU_READ},                        \
                              {"near_in", GPU_RGBA32UI, GPU_READ},                        \
                              {"near_high_in", GPU_RGBA32F, GPU_READ},                    \
                              {"near", GPU_RGBA32UI, GPU_WRITE},                          \
                              {"near_high", GPU_RGBA32F, GPU_WRITE},                      \
                              {"random", GPU_RGBA32UI, GPU_WRITE},                        \
                              {"near_strain", GPU_RGBA32F, GPU_WRITE},                    \
                              {"random_strain", GPU_RGBA32F, GPU_WRITE},                  \
                              {"terms", GPU_RG32F, GPU_WRITE} PORT_##kind},               \
                    .uniforms = "uint m, uint offset, uint fixed_count, uint fresh_from", \
                    .variants = {__VA_ARGS__}},                                           \
    [MDS_MOVE] = {.shader = "mds/move",                                                   \
                  .per_texel = true,                                                      \
                  .ports = {{"place_in", GPU_RGBA32F, GPU_READ},                          \
                            {"velocity_in", GPU_RGBA32F, GPU_READ},                       \
                            {"near", GPU_RGBA32UI, GPU_READ},                             \
                            {"near_high", GPU_RGBA32F, GPU_READ},                         \
                            {"random", GPU_RGBA32UI, GPU_READ},                           \
                            {"near_strain", GPU_RGBA32F, GPU_READ},                       \
                            {"random_strain", GPU_RGBA32F, GPU_READ},                     \
                            {"place", GPU_RGBA32F, GPU_WRITE},                            \
                            {"velocity", GPU_RGBA32F, GPU_WRITE}},                        \
                  .uniforms = "uint fixed_count, float inertia",                          \
                  .variants = {__VA_ARGS__}},                                             \
    [MDS_SETTLE] = {.shader = "mds/settle",                                               \
                    .per_texel = true,                                                    \
                    .ports = {{"perm", GPU_R32UI, GPU_READ},                              \
                              {"given", format, GPU_READ},                                \
                              {"place_in", GPU_RGBA32F, GPU_READ},                        \
                              {"place", GPU_RGBA32F, GPU_WRITE} PORT_##kind},             \
                    .uniforms = "uint m, uint offset, float step",                        \
                    .variants = {__VA_ARGS__}},                                           \
    [MDS_ESTIMATE] = {.shader = "mds/estimate",                                           \
                      .ports = {{"perm", GPU_R32UI, GPU_READ},                            \
                                {"given", format, GPU_READ},                              \
                                {"place_in", GPU_RGBA32F, GPU_READ},                      \
                                {"terms", GPU_RG32F, GPU_WRITE} PORT_##kind},             \
                      .uniforms = "uint m, uint offset",                                  \
                      .variants = {__VA_ARGS__}}

#define STRESS(format, kind, ...)                                   \
    {                                                               \
        .shader = "mds/stress", .kernel = GPU_GROUP, .local = 128,  \
        .ports = {{"given", format, GPU_READ},                      \
                  {"place_in", GPU_RGBA32F, GPU_READ},              \
                  {"partial", GPU_RG32F, GPU_WRITE} PORT_##kind},   \
        .uniforms = "uint n, uint chunks, uint span", .variants = { \
            __VA_ARGS__                                             \
        }                                                           \
    }

#define POINTS_2D "SOURCE=0 METRIC=0 TEXELS=1 PLACE_TEXELS=1u DIM=2u"
#define POINTS_3D "SOURCE=0 METRIC=1 TEXELS=3 PLACE_TEXELS=1u DIM=3u"
#define POINTS_7D "SOURCE=0 METRIC=2 TEXELS=2409 PLACE_TEXELS=2u DIM=7u"
#define MATRIX_2D "SOURCE=2 PLACE_TEXELS=1u DIM=2u"
#define PAGES_2D "SOURCE=3 PLACE_TEXELS=1u DIM=2u"
#define SPARSE_2D "SOURCE=1 METRIC=2 PLACE_TEXELS=1u DIM=2u"

#define DENSE(kind) \
    POINTS_2D DEFINE_##kind, POINTS_3D DEFINE_##kind, POINTS_7D DEFINE_##kind, MATRIX_2D DEFINE_##kind

#define TABLE(kind)                                                                   \
    PASSES(GPU_RGBA32F, kind, DENSE(kind), PAGES_2D DEFINE_##kind),                   \
        [MDS_STRESS] = STRESS(GPU_RGBA32F, kind, DENSE(kind)),                        \
        [MDS_ROW_STRESS] = {.shader = "mds/row_stress",                               \
                            .kernel = GPU_GROUP,                                      \
                            .local = 128,                                             \
                            .ports = {{"given", GPU_RGBA32F, GPU_READ},               \
                                      {"place_in", GPU_RGBA32F, GPU_READ},            \
                                      {"partial", GPU_RG32F, GPU_WRITE} PORT_##kind}, \
                            .uniforms = "uint n, uint first",                         \
                            .variants = {MATRIX_2D DEFINE_##kind, PAGES_2D DEFINE_##kind}}
#define SPARSE(kind)                                                                               \
    PASSES(GPU_RGBA32UI, kind, SPARSE_2D DEFINE_##kind), [MDS_STRESS] = STRESS(GPU_RGBA32UI, kind, \
                                                                               SPARSE_2D DEFINE_##kind)

const gpu_pass mds_passes[MDS_PASS_COUNT] = {TABLE(PLAIN)};
const gpu_pass mds_sparse_passes[MDS_PASS_COUNT] = {SPARSE(PLAIN)};
const gpu_pass mds_weighted_passes[MDS_PASS_COUNT] = {TABLE(WEIGHTED)};
const gpu_pass mds_weighted_sparse_passes[MDS_PASS_COUNT] = {SPARSE(WEIGHTED)};
