/* Whether a driver runs the programs of this folder rightly: those of clusters_by_passes.c find the clusters
 * of a small tree as threads do; those of membership_by_passes.c the memberships of a few rows as a plain
 * search of all exemplars. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/owned.h"
#include "hdbscan/membership.h"
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
    TRY(hdbscan_clusters_by_threads(run_error(run_of(g)), &by_threads));
    *right = done && hdbscan_same(&by_passes, &by_threads);
    return GLSHAPE_OK;
}

static glshape_status check_clusters(gpu *g, const void *user, bool *right) {
    OWNED small_tree *t = NULL;
    OWNED_BY(hdbscan_way_free) hdbscan_way way = {0};
    (void)user;
    TRY(allocate(run_error(run_of(g)), &t, 1, sizeof *t, "a tree"));
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

glshape_status hdbscan_trusts(gpu *g, run_why *why) {
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

/* ---- memberships --------------------------------------------------------------------------------- */

/* Rows of three groups, in more columns than are in shared memory at a time; clusters of 1 to 129 exemplars,
 * some of them at one place; rows midway between two exemplars, but for less than single precision
 * has. */
enum { COLUMNS = 67, CLUSTERS = 17, EXEMPLARS = CLUSTERS * (1 + 4 * (CLUSTERS - 1)), ROWS = 1100 };

typedef struct soft_problem {
    double exemplars[EXEMPLARS * COLUMNS], rows[ROWS * COLUMNS], center[COLUMNS], weight[2 * CLUSTERS];
    size_t first[CLUSTERS + 1];
} soft_problem;

static void make_problem(soft_problem *s) {
    uint32_t state = 7;
    for (size_t k = 0; k < sizeof s->exemplars / sizeof *s->exemplars; k++) {
        state = state * 1664525u + 1013904223u;
        bool copy = k / COLUMNS % 8 == 7;
        s->exemplars[k] = copy ? s->exemplars[k - COLUMNS] : (double)(state >> 8) * 0x1.8p-25;
    }
    for (size_t k = 0; k < sizeof s->rows / sizeof *s->rows; k++) {
        state = state * 1664525u + 1013904223u;
        size_t row = k / COLUMNS, near = row % EXEMPLARS * COLUMNS + k % COLUMNS;
        double other = s->exemplars[(near + 2 * COLUMNS) % (EXEMPLARS * COLUMNS)];
        s->rows[k] = row % 3 == 0 ? (double)(state >> 8) * 0x1.cp-25
                     : row % 3 == 1
                         ? s->exemplars[near]
                         : (s->exemplars[near] + other) / 2 + (other - s->exemplars[near]) * 0x1p-28;
    }
    for (size_t c = 0; c < COLUMNS; c++) s->center[c] = 0.4;
    for (size_t c = 0; c < CLUSTERS; c++) {
        s->first[c + 1] = s->first[c] + 1 + 8 * c;
        s->weight[c] = 1 + (double)c / 3,
        s->weight[CLUSTERS + c] = c % 2 ? MEMBERSHIP_OWN : 2 - (double)c / 20;
    }
}

static double own_of(uint32_t row) { return 1 + 1 / (double)(row + 1); }
static double share_of(uint32_t row) { return row % 50 ? 1 / (1 + (double)(row % 7) / 3) : 0; }

static double apart(const soft_problem *s, const membership_exemplars *e, const double *x, size_t cluster) {
    double least = INFINITY;
    for (size_t k = s->first[cluster]; k < s->first[cluster + 1]; k++) {
        double sum = 0;
        for (size_t c = 0; c < COLUMNS; c++) {
            double d = x[c] - s->exemplars[k * COLUMNS + c];
            sum += d * d;
        }
        least = fmin(least, sum);
    }
    return e->angular ? least / 2 : sqrt(least) * e->unit;
}

/* What threads find of a row (membership.c). */
static void find_strengths(const soft_problem *s, const membership_exemplars *e, uint32_t row,
                           double strength[CLUSTERS]) {
    const double *weight = s->weight + row % 2 * CLUSTERS;
    double nearest = INFINITY, sum = 0;
    for (size_t c = 0; c < CLUSTERS; c++) {
        strength[c] = apart(s, e, s->rows + (size_t)row * COLUMNS, c);
        nearest = fmin(nearest, strength[c]);
    }
    for (size_t c = 0; c < CLUSTERS; c++) {
        double near = strength[c] == nearest ? 1 : nearest / strength[c];
        strength[c] = (weight[c] < 0 ? own_of(row) : weight[c]) * near;
        sum += strength[c];
    }
    for (size_t c = 0; c < CLUSTERS; c++) strength[c] = strength[c] / sum * share_of(row);
}

/* Rows that are left to threads are right; few may be. */
static bool same_strengths(const soft_problem *s, const membership_passes *p, uint32_t row, uint32_t *left) {
    double strength[CLUSTERS], got;
    find_strengths(s, p->e, row, strength);
    for (size_t i = 0; i < p->e->top; i++) {
        const uint32_t *found = p->batch.strongest + 4 * (row * p->e->top + i);
        size_t best = 0;
        for (size_t c = 0; c < CLUSTERS; c++)
            if (strength[c] > strength[best]) best = c;
        memcpy(&got, found, sizeof got);
        if (found[3]) return ++*left < ROWS / 20;
        if (found[2] != best || got != strength[best]) return false;
        strength[best] = -1;
    }
    return true;
}

static glshape_status check_problem(gpu *g, const soft_problem *s, const membership_exemplars *e,
                                    bool *right) {
    OWNED_BY(membership_passes_free) membership_passes p = {0};
    uint32_t left = 0;
    TRY(membership_passes_new(g, e, ROWS, &p));
    for (uint32_t row = 0; row < ROWS; row++)
        membership_put(&p, row, s->rows + (size_t)row * COLUMNS, row % 2, own_of(row), share_of(row));
    memcpy(p.batch.weight, s->weight, sizeof s->weight);
    p.batch.rows = ROWS, p.batch.lines = 2;
    TRY(membership_begin(g, &p));
    TRY(membership_fetch(g, &p, ROWS));
    for (uint32_t row = 0; row < ROWS && *right; row++) *right = same_strengths(s, &p, row, &left);
    return GLSHAPE_OK;
}

static glshape_status check_memberships(gpu *g, const void *user, bool *right) {
    OWNED soft_problem *s = NULL;
    TRY(allocate(run_error(run_of(g)), &s, 1, sizeof *s, "rows"));
    make_problem(s);
    membership_exemplars e = {.clusters = CLUSTERS,
                              .columns = COLUMNS,
                              .top = *(const size_t *)user,
                              .first = s->first,
                              .rows = s->exemplars,
                              .center = s->center,
                              .reach = 1.5,
                              .unit = 4,
                              .most_piece = 32};
    if (e.top > CLUSTERS) e.top = CLUSTERS;
    *right = true;
    TRY(check_problem(g, s, &e, right));
    e.angular = true;
    return *right ? check_problem(g, s, &e, right) : GLSHAPE_OK;
}

glshape_status membership_trusts(gpu *g, size_t top, run_why *why) {
    gpu_exact e = {.program = {gpu_only_program(hdbscan_closest), gpu_only_program(hdbscan_apart),
                               gpu_program(hdbscan_strongest, .TOP = (int32_t)top)},
                   .check = check_memberships,
                   .user = &top};
    return gpu_trusts_for(g, &e, why);
}
