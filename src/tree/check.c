/* Small graphs that show whether the passes of this folder are right: the CPU finds their forests, too. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/owned.h"
#include "base/radix.h"
#include "index/passes.h"
#include "prim/passes.h"
#include "tree/contraction.h"
#include "tree/passes.h"
#include "tree/union.h"

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
    TRY(tree_kruskal(run_error(run_of(g)), &graph, &cpu));
    *right = same(&device, &cpu);
    return GLSHAPE_OK;
}

glshape_status tree_trusts_edges(gpu *g, run_why *why) {
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
    TRY(tree_mst_rows(run_error(run_of(g)), dense[0], POINTS, false, &cpu));
    *right = same(&device, &cpu);
    return GLSHAPE_OK;
}

glshape_status tree_trusts_dense(gpu *g, bool packed, run_why *why) {
    gpu_exact e = {.program = {gpu_program(tree_dense, .PACKED = packed), gpu_only_program(tree_least_key),
                               gpu_only_program(tree_least_lo), gpu_only_program(tree_least_hi),
                               gpu_only_program(tree_hook), gpu_only_program(tree_compress)},
                   .check = check_dense,
                   .user = &packed,
                   .without_doubles = true};
    return gpu_trusts_for(g, &e, why);
}

/* ---- lists of neighbors ------------------------------------------------------------------------ */

#define PLACES (2 * EDGES)

/* The edges but those from a vertex to itself, from both ends. */
static void make_lists(const tree_graph *graph, uint32_t start[VERTICES + 1], uint32_t neighbor[PLACES],
                       float length[PLACES]) {
    uint32_t at = 0;
    for (uint32_t point = 0; point < VERTICES; point++) {
        uint32_t v = VERTICES - 1 - point;
        start[point] = at;
        for (uint32_t k = 0; k < EDGES; k++) {
            if ((graph->i[k] != v && graph->j[k] != v) || graph->i[k] == graph->j[k]) continue;
            neighbor[at] = VERTICES - 1 - (graph->i[k] ^ graph->j[k] ^ v);
            length[at++] = graph->weight[k];
        }
    }
    start[VERTICES] = at;
}

static void lists_free(gpu_texture (*lists)[3]) {
    for (int k = 0; k < 3; k++) gpu_texture_free(&(*lists)[k]);
}

static glshape_status check_lists(gpu *g, const void *user, bool *right) {
    OWNED_BY(lists_free) gpu_texture lists[3] = {{0}};
    OWNED_BY(tree_forest_free) tree_forest device = {0};
    OWNED_BY(tree_forest_free) tree_forest cpu = {0};
    uint32_t i[EDGES], j[EDGES], start[VERTICES + 1], neighbor[PLACES];
    float weight[EDGES], length[PLACES];
    const tree_graph graph = {.n = VERTICES, .count = EDGES, .i = i, .j = j, .weight = weight};
    (void)user;
    make_edges(i, j, weight);
    make_lists(&graph, start, neighbor, length);
    TRY(gpu_texture_new(g, &lists[0], "starts of lists", GPU_R32UI, VERTICES + 1, 1));
    TRY(gpu_texture_new(g, &lists[1], "neighbors", GPU_R32UI, PLACES, 1));
    TRY(gpu_texture_new(g, &lists[2], "distances", GPU_R32F, PLACES, 1));
    TRY(gpu_upload(g, &lists[0], 0, VERTICES + 1, start));
    TRY(gpu_upload(g, &lists[1], 0, start[VERTICES], neighbor));
    TRY(gpu_upload(g, &lists[2], 0, start[VERTICES], length));
    TRY(tree_mst_lists(g, &(tree_neighbors){&lists[0], &lists[1], &lists[2]}, VERTICES, &device));
    TRY(tree_kruskal(run_error(run_of(g)), &graph, &cpu));
    *right = same(&device, &cpu);
    return GLSHAPE_OK;
}

glshape_status tree_trusts_lists(gpu *g, run_why *why) {
    gpu_exact e = {.program = {gpu_only_program(tree_of_lists), gpu_only_program(tree_least_key),
                               gpu_only_program(tree_least_lo), gpu_only_program(tree_least_hi),
                               gpu_only_program(tree_hook), gpu_only_program(tree_compress)},
                   .check = check_lists,
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
    TRY(allocate(run_error(run_of(g)), &cpu, nodes, sizeof *cpu, "components of nodes"));
    TRY(allocate(run_error(run_of(g)), &device, nodes, sizeof *device, "components of nodes"));
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
    OWNED_BY(tree_kept_free) tree_kept kept = {0};
    OWNED cloud *c = NULL;
    TRY(allocate(run_error(run_of(g)), &c, 1, sizeof *c, "points"));
    TRY(index_new(run_error(run_of(g)), CLOUD, as->columns, as->norm, read_point, &as->columns, &x));
    const index_task task = {.x = &x, .queries = &x, .k = LISTED};
    const tree_lists lists = {.k = LISTED, .index = c->list};
    tree_edges tree = {c->i, c->j, c->sum};
    TRY(tree_points_kept(g, &x, LISTED, &kept));
    TRY(tree_kept_bring(g, &kept, &tree));
    sort_tree(c, c->edges[0]);
    TRY(index_nearest_on_cpu(run_of(g), &task, c->list, NULL));
    TRY(tree_points(g, &x, &lists, NULL, &tree));
    sort_tree(c, c->edges[1]);
    if (memcmp(c->edges[0], c->edges[1], (CLOUD - 1) * sizeof *c->edges[0]) != 0) return GLSHAPE_OK;
    return check_labels(g, &x, right);
}

glshape_status tree_trusts_points(gpu *g, const spatial_index *x, run_why *why) {
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

/* The tree by mutual reachability, of the processors: core has the sums, by index. */
static glshape_status raise_on_cpu(gpu *g, spatial_index *x, const double *core, tree_edges *out) {
    OWNED uint16_t *listed = NULL; /* nothing */
    OWNED uint32_t *index = NULL;
    OWNED double *sum = NULL;
    const index_cores cores = {core, 1};
    TRY(allocate(run_error(run_of(g)), &listed, x->n, sizeof *listed, "lists"));
    TRY(allocate(run_error(run_of(g)), &index, x->n, sizeof *index, "lists"));
    TRY(allocate(run_error(run_of(g)), &sum, x->n, sizeof *sum, "lists"));
    const tree_lists lists = {.k = 1, .index = index, .sum = sum, .listed = listed, .cores = &cores};
    for (uint32_t v = 0; v < x->n; v++) listed[v] = 0, index[v] = 0, sum[v] = 0;
    return tree_points(g, x, &lists, NULL, out);
}

typedef struct raising {
    const spatial_index *x;
    bool root;
} raising;

static glshape_status check_raised(gpu *g, const void *user, bool *right) {
    const raising *as = user;
    const tree_scale scale = {as->root, 0.25};
    OWNED_BY(index_free) spatial_index x = {0};
    OWNED_BY(tree_kept_free) tree_kept kept = {0};
    OWNED cloud *c = NULL;
    uint32_t columns = as->x->columns;
    double core[CLOUD], distance[CLOUD], sum[CLOUD * LISTED];
    TRY(allocate(run_error(run_of(g)), &c, 1, sizeof *c, "points"));
    TRY(index_new(run_error(run_of(g)), CLOUD, columns, as->x->norm, read_point, &columns, &x));
    const index_task task = {.x = &x, .queries = &x, .k = LISTED};
    tree_edges tree = {c->i, c->j, c->sum};
    TRY(tree_raised_kept(g, &x, LISTED, &scale, distance, &kept));
    TRY(tree_kept_bring(g, &kept, &tree));
    sort_tree(c, c->edges[0]);
    TRY(index_nearest_on_cpu(run_of(g), &task, c->list, sum));
    for (uint32_t i = 0; i < CLOUD; i++) core[i] = sum[(i + 1) * LISTED - 1];
    TRY(raise_on_cpu(g, &x, core, &tree));
    sort_tree(c, c->edges[1]);
    for (uint32_t i = 0; i < CLOUD; i++) core[i] = (as->root ? sqrt(core[i]) : core[i]) * 0.25;
    *right = !memcmp(c->edges[0], c->edges[1], (CLOUD - 1) * sizeof *c->edges[0]) &&
             !memcmp(core, distance, sizeof core);
    return GLSHAPE_OK;
}

glshape_status tree_trusts_raised(gpu *g, const spatial_index *x, bool root, run_why *why) {
    const raising as = {x, root};
    gpu_exact e = {.program = {gpu_program(tree_bridges, .POWER = (int)x->norm.power, .CORES = 1),
                               gpu_program(tree_cores, .ROOT = root)},
                   .check = check_raised,
                   .user = &as};
    return gpu_trusts_for(g, &e, why);
}

/* ---- dendrograms ------------------------------------------------------------------------------- */

#define LEAVES 1500u
#define LONG 300u /* of these, leaves of a path */

typedef struct forms {
    uint32_t i[LEAVES], j[LEAVES], edges[2][2 * LEAVES];
    double height[LEAVES], rows[2][4 * LEAVES];
} forms;

/* A path of rising heights, then branches and bushes, whose heights often begin alike; levels not 0: of so
 * many heights. */
static void make_tree(forms *f, uint32_t levels) {
    uint32_t state = 1;
    for (uint32_t k = 0; k + 1 < LEAVES; k++) {
        state = state * 1664525u + 1013904223u;
        f->i[k] = k + 1;
        f->j[k] = k < LONG ? k : k % 3 ? k - (state >> 20) % 9 : (state >> 12) % k;
        f->height[k] = levels     ? (double)((state >> 8) % levels)
                       : k < LONG ? k * 0x1p-9
                                  : (state >> 24) + (state & 0xffff) * 0x1p-45;
    }
}

static glshape_status check_dendrogram(gpu *g, const void *user, bool *right) {
    OWNED forms *f = NULL;
    bool same_rows = true;
    (void)user;
    TRY(allocate(run_error(run_of(g)), &f, 1, sizeof *f, "trees"));
    for (uint32_t levels = 0; levels < 9 && same_rows; levels += 4) {
        make_tree(f, levels);
        TRY(tree_dendrogram_by_passes(g, LEAVES, f->i, f->j, f->height, f->rows[0], f->edges[0], NULL));
        TRY(tree_dendrogram(run_error(run_of(g)), LEAVES, f->i, f->j, f->height, NULL, f->rows[1],
                            f->edges[1]));
        same_rows = !memcmp(f->rows[0], f->rows[1], (LEAVES - 1) * 4 * sizeof(double)) &&
                    !memcmp(f->edges[0], f->edges[1], (LEAVES - 1) * 2 * sizeof(uint32_t));
    }
    *right = same_rows;
    return GLSHAPE_OK;
}

glshape_status tree_trusts_dendrogram(gpu *g, run_why *why) {
    gpu_exact e = {.program = {gpu_only_program(tree_contract), gpu_only_program(tree_place),
                               gpu_only_program(tree_lightest), gpu_program(tree_ties, .BY = TIES_X),
                               gpu_only_program(tree_turn), gpu_only_program(tree_singletons),
                               gpu_only_program(tree_jump), gpu_only_program(tree_relabel_ranks),
                               gpu_only_program(tree_link), gpu_only_program(tree_weights),
                               gpu_only_program(tree_bases), gpu_only_program(tree_sizes),
                               gpu_only_program(tree_rows), gpu_only_program(prim_radix_count),
                               gpu_only_program(prim_radix_move), gpu_only_program(prim_scan)},
                   .check = check_dendrogram,
                   .without_doubles = true};
    return gpu_trusts_for(g, &e, why);
}

#define SUMS 2000u

/* Sums of all sizes, some squares, some about squares, one 0. */
static uint64_t make_sum(uint32_t k) {
    uint64_t bits, state = (k + 1) * 0x9e3779b97f4a7c15u;
    double square = (double)(state >> 40) * 0x1p-20;
    square *= square;
    memcpy(&bits, &square, sizeof bits);
    if (k % 3) return k ? bits + k % 3 - 1 : 0;
    return (state >> 12 & 0xfffffffffffffu) | (uint64_t)(60 + k % 1900) << 52;
}

static glshape_status check_heights(gpu *g, const void *user, bool *right) {
    const tree_scale scale = {*(const bool *)user, 0.25};
    OWNED_BY(gpu_texture_free) gpu_texture edges = {0};
    OWNED_BY(gpu_texture_free) gpu_texture keyed = {0};
    uint32_t words[SUMS][4], got[SUMS][4];
    for (uint32_t k = 0; k < SUMS; k++) {
        uint64_t bits = make_sum(k);
        memcpy(words[k], (uint32_t[4]){(uint32_t)(bits >> 32), (uint32_t)bits, k, k + 1}, sizeof words[k]);
    }
    memset(words[SUMS - 1], 0xff, sizeof words[0]);
    TRY(gpu_texture_new(g, &edges, "edges", GPU_RGBA32UI, SUMS, 1));
    TRY(gpu_texture_new(g, &keyed, "edges", GPU_RGBA32UI, SUMS, 1));
    TRY(gpu_upload(g, &edges, 0, SUMS, words));
    TRY(tree_make_heights(g, &edges, &scale, &keyed));
    TRY(gpu_download(g, &keyed, 0, SUMS, got));
    for (uint32_t k = 0; k + 1 < SUMS; k++) {
        uint64_t bits = (uint64_t)words[k][0] << 32 | words[k][1];
        double sum;
        memcpy(&sum, &bits, sizeof sum);
        bits = tree_height_key((scale.root ? sqrt(sum) : sum) * scale.factor);
        words[k][0] = (uint32_t)(bits >> 32), words[k][1] = (uint32_t)bits;
    }
    *right = !memcmp(words, got, sizeof got);
    return GLSHAPE_OK;
}

glshape_status tree_trusts_heights(gpu *g, bool root, run_why *why) {
    gpu_exact e = {
        .program = {gpu_program(tree_heights, .ROOT = root)}, .check = check_heights, .user = &root};
    return gpu_trusts_for(g, &e, why);
}

/* ---- the elder rule ------------------------------------------------------------------------------ */

#define COMPONENTS 7000u
#define PATH 3000u /* of these, on a path: its chain is in two groups of tree_along at least */
#define SADDLES (3u * COMPONENTS)
#define APART \
    30u /* components that no edge leads to: few, so that those that end with others find their places */

typedef struct meetings {
    uint32_t edges[SADDLES][4], birth[COMPONENTS][2], older[COMPONENTS]; /* older: the root is the oldest */
    uint32_t ends[COMPONENTS][4], parent[COMPONENTS];                    /* by components */
    uint32_t listed[COMPONENTS][4], given[COMPONENTS];                   /* of passes, by places */
} meetings;

/* In any order: a path whose edges rise and come before others, and edges between any two, many at one vertex
 * and of one component; of keys below `keys`. */
static void make_meetings(meetings *m, uint32_t keys) {
    uint32_t state = keys, joined = COMPONENTS - APART;
    for (uint32_t k = 0; k < COMPONENTS; k++) {
        state = state * 1664525u + 1013904223u;
        m->birth[k][0] = (state >> 12) % keys / 4;
        m->birth[k][1] = k ^ 1u;
    }
    for (uint32_t k = 0; k < SADDLES; k++) {
        bool path = k < PATH;
        state = state * 1664525u + 1013904223u;
        uint32_t v = COMPONENTS + (path ? k : PATH + k / 2 + k % 7), at = (state >> 8) % (k + 1);
        uint32_t key = path ? k * (keys / 4) / PATH : keys / 4 + (v * 2654435761u >> 4) % (keys - keys / 4);
        const uint32_t edge[4] = {v, key, path ? k : v * 40503u % joined, path ? k + 1 : k % joined};
        memcpy(m->edges[k], m->edges[at], sizeof m->edges[k]);
        memcpy(m->edges[at], edge, sizeof edge);
    }
}

static int by_saddle(const void *a, const void *b) {
    const uint32_t *x = a, *y = b;
    return x[1] != y[1] ? (x[1] < y[1] ? -1 : 1) : (x[0] > y[0]) - (x[0] < y[0]);
}

static bool begins_before(const meetings *m, uint32_t a, uint32_t b) {
    const uint32_t *x = m->birth[a], *y = m->birth[b];
    return x[0] < y[0] || (x[0] == y[0] && x[1] < y[1]);
}

/* Edge by edge, of one vertex after another. */
static void meet(meetings *m) {
    uint32_t fallen = 0, listed = 0; /* given: who fell, one after another */
    for (uint32_t k = 0; k < COMPONENTS; k++) {
        m->older[k] = m->parent[k] = k;
        memcpy(m->ends[k], (uint32_t[4]){0, 0, m->birth[k][0], m->birth[k][1]}, sizeof m->ends[k]);
    }
    for (uint32_t first = 0, end; first < SADDLES; first = end) {
        for (end = first; end < SADDLES && !by_saddle(m->edges[first], m->edges[end]); end++) {
            uint32_t a = union_find(m->older, m->edges[end][2]), b = union_find(m->older, m->edges[end][3]);
            uint32_t younger = begins_before(m, a, b) ? b : a;
            if (a == b) continue;
            m->older[younger] = a ^ b ^ younger;
            m->ends[younger][0] = ~m->edges[end][1], m->ends[younger][1] = ~m->edges[end][0];
            m->given[fallen++] = younger;
        }
        for (; listed < fallen; listed++)
            m->parent[m->given[listed]] = union_find(m->older, m->given[listed]);
    }
}

static int compare_words(const uint32_t *a, const uint32_t *b) {
    for (int i = 0; i < 4; i++)
        if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
    return 0;
}

/* Whether the places are in order, and each is that of a component. */
static bool are_same_ends(meetings *m, uint32_t essential) {
    uint32_t place[COMPONENTS], none = 0;
    memset(place, 0xff, sizeof place);
    for (uint32_t p = 0; p < COMPONENTS; p++) {
        const uint32_t *at = m->listed[p], k = at[3] ^ 1u;
        if (k >= COMPONENTS || place[k] != UINT32_MAX || memcmp(at, m->ends[k], sizeof m->ends[k]))
            return false;
        if (p && compare_words(m->listed[p - 1], at) >= 0) return false;
        place[k] = p;
        none += m->parent[k] == k;
        if (m->parent[k] != k && m->given[COMPONENTS - 1 - p] != m->parent[k]) return false;
    }
    return none == essential;
}

static glshape_status find_by_passes(gpu *g, meetings *m, uint32_t key_bits, uint32_t *essential) {
    OWNED_BY(gpu_texture_free) gpu_texture edges = {0};
    OWNED_BY(gpu_texture_free) gpu_texture birth = {0};
    OWNED_BY(tree_elders_free) tree_elders found = {0};
    TRY(gpu_texture_new(g, &edges, "edges", GPU_RGBA32UI, SADDLES, 1));
    TRY(gpu_texture_new(g, &birth, "births", GPU_RG32UI, COMPONENTS, 1));
    TRY(gpu_upload(g, &edges, 0, SADDLES, m->edges));
    TRY(gpu_upload(g, &birth, 0, COMPONENTS, m->birth));
    const tree_saddles s = {&edges, &birth, SADDLES, COMPONENTS, COMPONENTS + SADDLES, key_bits};
    TRY(tree_elders_find(g, &s, &found));
    *essential = found.essential;
    TRY(gpu_download(g, &found.ends, 0, COMPONENTS, m->listed));
    return gpu_download(g, &found.parent, 0, COMPONENTS - found.essential, m->given);
}

/* Keys of few bits are sorted at once, with vertices; of others, those that are equal. */
static glshape_status check_elders(gpu *g, const void *user, bool *right) {
    static const uint32_t bits[] = {3, 20, 24}, keys[] = {8, 40, 4000};
    OWNED meetings *m = NULL;
    (void)user;
    TRY(allocate(run_error(run_of(g)), &m, 1, sizeof *m, "components"));
    *right = true;
    for (int k = 0; k < 3 && *right; k++) {
        uint32_t essential;
        make_meetings(m, keys[k]);
        qsort(m->edges, SADDLES, sizeof *m->edges, by_saddle);
        meet(m);
        make_meetings(m, keys[k]); /* in any order */
        TRY(find_by_passes(g, m, bits[k], &essential));
        *right = are_same_ends(m, essential);
    }
    return GLSHAPE_OK;
}

/* The programs; their jobs live as long as the block that names them. */
#define ELDERS                                                                                               \
    gpu_only_program(tree_pick), gpu_only_program(tree_along), gpu_only_program(tree_along_blocks),          \
        gpu_only_program(tree_sides), gpu_only_program(tree_falls), gpu_only_program(tree_oldest),           \
        gpu_only_program(tree_ends), gpu_only_program(tree_contract), gpu_only_program(tree_place),          \
        gpu_only_program(tree_lightest), gpu_program(tree_ties, .BY = TIES_Y),                               \
        gpu_program(tree_ties, .BY = TIES_XY), gpu_only_program(tree_turn),                                  \
        gpu_only_program(tree_singletons), gpu_only_program(tree_jump),                                      \
        gpu_only_program(tree_relabel_ranks), gpu_only_program(tree_link),                                   \
        gpu_only_program(prim_radix_count), gpu_only_program(prim_radix_move), gpu_only_program(prim_scan),  \
        gpu_program(prim_compact, .COPY = 0), gpu_only_program(tree_endless), gpu_only_program(tree_gather), \
        gpu_only_program(tree_offer)

glshape_status tree_trusts_elders(gpu *g, run_why *why) {
    gpu_exact e = {.program = {ELDERS}, .check = check_elders, .without_doubles = true};
    return gpu_trusts_for(g, &e, why);
}

void tree_expects_elders(gpu *g) {
    gpu_exact e = {.program = {ELDERS}};
    for (int i = 0; i < GPU_EXACT_PROGRAMS && e.program[i].pass; i++)
        gpu_expect(g, e.program[i].pass, e.program[i].job);
    gpu_soon(g, prim_reduce_group, .n = 0); /* of scans */
}
