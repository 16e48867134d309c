/* Small graphs that show whether the passes of this folder are right: the CPU finds their forests, too. */
#include <string.h>

#include "base/memory.h"
#include "base/owned.h"
#include "base/radix.h"
#include "index/passes.h"
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

/* ---- points ------------------------------------------------------------------------------------ */

#define CLOUD 700u
#define ROW 200u  /* each nearer to the one before it: a long path of components that join at once */
#define LISTED 2u /* lists are soon used up */

/* A row, then groups of points of small whole numbers, so that many sums are equal. */
static glshape_status read_point(error *err, const void *columns, uint32_t i, double *out) {
    uint32_t state = i + 1;
    (void)err;
    for (uint32_t c = 0; c < *(const uint32_t *)columns; c++) {
        state = state * 1664525u + 1013904223u;
        out[c] = (double)(state >> 29) + (i % 3 ? 0 : state * 0x1p-31) + i % 5 * 21;
        if (i < ROW) out[c] = c ? 0 : 200 + i * (i + 1.0) / 2;
    }
    return GLSHAPE_OK;
}

typedef struct cloud {
    uint32_t i[CLOUD], j[CLOUD], list[CLOUD * LISTED];
    double sum[CLOUD];
    radix_item edges[2][2 * CLOUD]; /* of both trees, with room to sort them */
} cloud;

/* Brings the edges into one order. */
static void sort_tree(const cloud *c, radix_item *edges) {
    for (uint32_t k = 0; k + 1 < CLOUD; k++) {
        edges[k] = (radix_item){0, c->i[k], c->j[k]};
        memcpy(&edges[k].at, &c->sum[k], sizeof edges[k].at);
    }
    radix_sort_all(edges, edges + CLOUD, CLOUD - 1);
}

/* Labels of nodes are compared themselves: a tree may come out right although some are wrong. */
static glshape_status check_labels(gpu *g, spatial_index *x, bool *right) {
    OWNED_BY(gpu_texture_free) gpu_texture labels = {0};
    OWNED_BY(index_crossings_free) index_crossings crossings = {.x = x, .labels = &labels};
    OWNED uint32_t *cpu = NULL, *device = NULL;
    uint32_t label[CLOUD], nodes = 2 * x->leaves;
    for (uint32_t v = 0; v < CLOUD; v++) label[v] = v / 90 + (v % 97 == 0);
    TRY(allocate(gpu_error(g), &cpu, nodes, sizeof *cpu, "components of nodes"));
    TRY(allocate(gpu_error(g), &device, nodes, sizeof *device, "components of nodes"));
    TRY(gpu_texture_new(g, &labels, "components of points", GPU_R32UI, CLOUD, 1));
    TRY(gpu_upload(g, &labels, 0, CLOUD, label));
    TRY(index_crossings_new(g, &crossings));
    TRY(index_label_nodes_by_passes(g, &crossings));
    TRY(gpu_download(g, &crossings.node_label, 0, nodes, device));
    index_label_nodes(x, label, cpu);
    *right = !memcmp(cpu + 1, device + 1, (nodes - 1) * sizeof *cpu);
    return GLSHAPE_OK;
}

static glshape_status check_points(gpu *g, const void *user, bool *right) {
    const spatial_index *as = user;
    OWNED_BY(index_free) spatial_index x = {0};
    OWNED cloud *c = NULL;
    TRY(allocate(gpu_error(g), &c, 1, sizeof *c, "points"));
    TRY(index_new(gpu_error(g), CLOUD, as->columns, as->norm, read_point, &as->columns, &x));
    const index_task task = {.x = &x, .queries = &x, .k = LISTED};
    const tree_lists lists = {.k = LISTED, .index = c->list};
    tree_edges tree = {c->i, c->j, c->sum};
    TRY(tree_points_by_passes(g, &x, LISTED, &tree));
    sort_tree(c, c->edges[0]);
    TRY(index_nearest_on_cpu(g, &task, c->list, NULL));
    TRY(tree_points(g, &x, &lists, NULL, &tree));
    sort_tree(c, c->edges[1]);
    if (memcmp(c->edges[0], c->edges[1], (CLOUD - 1) * sizeof *c->edges[0]) != 0) return GLSHAPE_OK;
    return check_labels(g, &x, right);
}

glshape_status tree_trusts_points(gpu *g, const spatial_index *x, gpu_why *why) {
    gpu_exact e = {
        .program = {gpu_program(tree_bridges, .POWER = (int)x->norm.power), gpu_only_program(tree_start),
                    gpu_only_program(tree_candidates), gpu_only_program(tree_choose),
                    gpu_only_program(tree_answers), gpu_only_program(tree_leaders),
                    gpu_only_program(tree_leaders_a), gpu_only_program(tree_leaders_b),
                    gpu_only_program(tree_join), gpu_only_program(tree_jump), gpu_only_program(tree_relabel),
                    gpu_only_program(index_leaf_labels), gpu_only_program(index_node_labels)},
        .check = check_points,
        .user = x};
    return gpu_trusts_for(g, &e, why);
}
