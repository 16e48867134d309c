/* Small graphs that show whether the passes of this folder are right: the CPU finds their forests, too. */
#include <string.h>

#include "base/owned.h"
#include "tree/passes.h"
#include "tree/tree.h"

#define VERTICES 300u /* of two groups; paths of some length are to be compressed */
#define EDGES (3 * VERTICES)

/* The first edges make a path of falling weights; the others join any two, with many equal weights. */
static void make_edges(uint32_t i[EDGES], uint32_t j[EDGES], float weight[EDGES]) {
    uint32_t state = 1;
    for (uint32_t k = 0; k < EDGES; k++) {
        state = state * 1664525u + 1013904223u;
        i[k] = k < VERTICES / 2 ? k : (state >> 8) % (VERTICES - 9); /* some have no edge */
        j[k] = k < VERTICES / 2 ? k + 1 : (state >> 20) % (VERTICES - 9);
        weight[k] = k < VERTICES / 2 ? (float)(VERTICES - k) : (float)(state >> 29) * 40 - 90;
    }
}

static bool same(const tree_forest *a, const tree_forest *b) {
    size_t bytes = a->count * sizeof *a->i;
    return a->count == b->count && a->components == b->components && a->count && !memcmp(a->i, b->i, bytes) &&
           !memcmp(a->j, b->j, bytes) && !memcmp(a->weight, b->weight, bytes);
}

/* ---- edges ------------------------------------------------------------------------------------- */

static glshape_status check_edges(gpu *g, const void *user, bool *right) {
    OWNED_BY(tree_forest_free) tree_forest device = {0};
    OWNED_BY(tree_forest_free) tree_forest cpu = {0};
    uint32_t i[EDGES], j[EDGES];
    float weight[EDGES];
    (void)user;
    make_edges(i, j, weight);
    const tree_graph graph = {.n = VERTICES, .count = EDGES, .i = i, .j = j, .weight = weight};
    TRY(tree_forest_by_passes(g, &graph, &device));
    TRY(tree_kruskal(gpu_error(g), &graph, &cpu));
    *right = same(&device, &cpu);
    return GLSHAPE_OK;
}

glshape_status tree_trusts_edges(gpu *g, gpu_why *why) {
    gpu_exact e = {.program = {gpu_only_program(tree_nearest_key), gpu_only_program(tree_nearest_to),
                               gpu_only_program(tree_least_key), gpu_only_program(tree_least_lo),
                               gpu_only_program(tree_least_hi), gpu_only_program(tree_hook),
                               gpu_only_program(tree_compress), gpu_only_program(tree_alive),
                               gpu_only_program(tree_gather)},
                   .check = check_edges,
                   .without_doubles = true};
    return gpu_trusts_for(g, &e, why);
}

/* ---- a dense matrix ---------------------------------------------------------------------------- */

#define POINTS 70u
#define WIDTH (POINTS / 4 * 4 + 4)

/* A symmetric matrix of few values; the last point is far from all. */
static void make_matrix(float matrix[POINTS][WIDTH]) {
    uint32_t state = 1;
    memset(matrix, 0, POINTS * sizeof *matrix);
    for (uint32_t i = 0; i < POINTS; i++)
        for (uint32_t j = 0; j < i; j++) {
            state = state * 1664525u + 1013904223u;
            matrix[i][j] = matrix[j][i] = i == POINTS - 1 ? 1000 : (float)(state >> 28);
        }
}

static glshape_status upload(gpu *g, bool packed, float matrix[POINTS][WIDTH], float dense[POINTS][POINTS],
                             gpu_texture *out) {
    for (uint32_t i = 0; i < POINTS; i++) memcpy(dense[i], matrix[i], sizeof dense[i]);
    TRY(gpu_texture_new(g, out, "a small matrix", packed ? GPU_RGBA32F : GPU_R32F,
                        packed ? POINTS : POINTS * POINTS, packed ? WIDTH / 4 : 1));
    return gpu_upload(g, out, 0, out->elements, packed ? (void *)matrix : (void *)dense);
}

static glshape_status check_dense(gpu *g, const void *user, bool *right) {
    OWNED_BY(gpu_texture_free) gpu_texture on_device = {0};
    OWNED_BY(tree_forest_free) tree_forest device = {0};
    OWNED_BY(tree_forest_free) tree_forest cpu = {0};
    float matrix[POINTS][WIDTH], dense[POINTS][POINTS];
    make_matrix(matrix);
    TRY(upload(g, *(const bool *)user, matrix, dense, &on_device));
    TRY(tree_mst_dense(g, &on_device, POINTS, false, &device));
    TRY(tree_mst_rows(gpu_error(g), dense[0], POINTS, false, &cpu));
    *right = same(&device, &cpu);
    return GLSHAPE_OK;
}

glshape_status tree_trusts_dense(gpu *g, bool packed, gpu_why *why) {
    gpu_exact e = {.program = {gpu_program(tree_dense, .PACKED = packed), gpu_only_program(tree_least_key),
                               gpu_only_program(tree_least_lo), gpu_only_program(tree_least_hi),
                               gpu_only_program(tree_hook), gpu_only_program(tree_compress)},
                   .check = check_dense,
                   .user = &packed,
                   .without_doubles = true};
    return gpu_trusts_for(g, &e, why);
}
