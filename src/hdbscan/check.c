/* Whether a driver runs the programs of clusters_by_passes.c rightly: clusters of a small tree, by passes and
 * by threads. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/owned.h"
#include "hdbscan/passes.h"
#include "prim/passes.h"

#define LEAVES 1500u
#define LONG 400u  /* of these, leaves of a path */
#define EQUAL 30u  /* first points of the path, at one place */
#define BUNCH 150u /* points of a bush behind the path */

typedef struct small_tree {
    uint32_t i[LEAVES], j[LEAVES], edges[2 * LEAVES];
    double height[LEAVES], rows[4 * LEAVES];
} small_tree;

/* A path whose heights rise, from 0 on, and bushes that hang on one another at greater heights. */
static void make_tree(small_tree *t) {
    uint32_t state = 1;
    for (uint32_t k = 0; k + 1 < LEAVES; k++) {
        state = state * 1664525u + 1013904223u;
        bool begins = k >= LONG && k % BUNCH == 0;
        t->i[k] = k + 1;
        t->j[k] = k < LONG || k % BUNCH == 0 ? k : k - (state >> 20) % (k % BUNCH < 9 ? k % BUNCH + 1 : 9);
        t->height[k] = k < EQUAL  ? 0
                       : k < LONG ? k * 0x1p-9
                       : begins   ? 3 + (state >> 24) * 0x1p-7
                                  : (1 + (state >> 16)) * 0x1p-17 / 3;
    }
}

static bool same(const void *a, const void *b, size_t count, size_t size) {
    return !memcmp(a, b, count * size);
}

/* A row has a gap, which threads leave as it is. */
static bool same_rows(const glshape_hdbscan_result *a, const glshape_hdbscan_result *b) {
    for (size_t k = 0; k < a->row_count; k++) {
        const glshape_hdbscan_row *x = &a->rows[k], *y = &b->rows[k];
        if (x->parent != y->parent || x->child != y->child || x->size != y->size || x->lambda != y->lambda)
            return false;
    }
    return true;
}

static bool same_clusters(const glshape_hdbscan_result *a, const glshape_hdbscan_result *b) {
    for (size_t c = 0; c < a->tree_clusters; c++) {
        const glshape_hdbscan_cluster *x = &a->tree[c], *y = &b->tree[c];
        if (x->parent != y->parent || x->size != y->size || x->label != y->label || x->birth != y->birth ||
            x->death != y->death || x->stability != y->stability || x->distance != y->distance)
            return false;
    }
    return true;
}

bool hdbscan_same(const glshape_hdbscan_result *a, const glshape_hdbscan_result *b) {
    return a->n == b->n && a->row_count == b->row_count && a->tree_clusters == b->tree_clusters &&
           a->clusters == b->clusters && a->noise == b->noise && same_rows(a, b) && same_clusters(a, b) &&
           same(a->labels, b->labels, a->n, sizeof *a->labels) &&
           same(a->probabilities, b->probabilities, a->n, sizeof *a->probabilities) &&
           same(a->outlier_scores, b->outlier_scores, a->n, sizeof *a->outlier_scores) &&
           same(a->exemplar_start, b->exemplar_start, a->clusters + 1, sizeof *a->exemplar_start) &&
           same(a->exemplars, b->exemplars, a->exemplar_start[a->clusters], sizeof *a->exemplars);
}

static void free_clusters(glshape_hdbscan_result *r) {
    r->merges = NULL; /* the tree's */
    glshape_hdbscan_free(r);
}

static glshape_status check_options(gpu *g, hdbscan_way *way, const glshape_hdbscan_result *of, bool *right) {
    OWNED_BY(free_clusters) glshape_hdbscan_result by_passes = *of;
    OWNED_BY(free_clusters) glshape_hdbscan_result by_threads = *of;
    bool done;
    TRY(hdbscan_clusters_by_passes(g, way, &by_passes, &done));
    TRY(hdbscan_clusters_by_threads(gpu_error(g), &by_threads));
    *right = done && hdbscan_same(&by_passes, &by_threads);
    return GLSHAPE_OK;
}

static glshape_status check_clusters(gpu *g, const void *user, bool *right) {
    OWNED small_tree *t = NULL;
    OWNED_BY(hdbscan_way_free) hdbscan_way way = {0};
    (void)user;
    TRY(allocate(gpu_error(g), &t, 1, sizeof *t, "a tree"));
    make_tree(t);
    TRY(tree_dendrogram_by_passes(g, LEAVES, t->i, t->j, t->height, t->rows, t->edges, &way.merges));
    *right = true;
    for (int k = 0; k < 3 && *right; k++) {
        glshape_hdbscan_result r = {.n = LEAVES, .merges = t->rows};
        r.options = (hdbscan_options){.min_cluster_size = 3 + 4 * k,
                                      .max_epsilon = INFINITY,
                                      .max_cluster_size = k == 1 ? LEAVES / 2 : SIZE_MAX,
                                      .epsilon = k == 2 ? 5 : 0,
                                      .allow_single_cluster = k == 2};
        TRY(check_options(g, &way, &r, right));
    }
    return GLSHAPE_OK;
}

glshape_status hdbscan_trusts(gpu *g, gpu_why *why) {
    gpu_exact e = {.program = {gpu_only_program(hdbscan_hang), gpu_only_program(hdbscan_mark),
                               gpu_only_program(hdbscan_jump), gpu_only_program(hdbscan_number),
                               gpu_only_program(hdbscan_terms), gpu_only_program(hdbscan_sums),
                               gpu_only_program(hdbscan_clusters), gpu_only_program(hdbscan_rows),
                               gpu_only_program(hdbscan_appear), gpu_only_program(hdbscan_score),
                               gpu_only_program(prim_compact), gpu_only_program(prim_scan),
                               gpu_only_program(prim_radix_count), gpu_only_program(prim_radix_move)},
                   .check = check_clusters};
    return gpu_trusts_for(g, &e, why);
}
