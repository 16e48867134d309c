#include "reference/hdbscan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reference/tree.h"

/* A cluster: a set of points, as long as it keeps at least min_cluster_size of them together. */
typedef struct cluster {
    int parent; /* -1: the root */
    double distance, birth, death, stability;
    bool chosen, leaf;
} cluster;

typedef struct twin {
    uint32_t n;
    const glshape_hdbscan_options *o;
    ref_edge *tree; /* n - 1 edges with heights, in order */
    cluster *clusters;
    int count;
    int *cluster_of; /* of each point: the cluster that it leaves, and where */
    double *lambda;
} twin;

/* ---- the tree ---------------------------------------------------------------------------------- */

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The core distance of v: to the min_samples-th point, v being the first. */
static double core_of(uint32_t n, const double *row, uint32_t v, int min_samples) {
    double *others = malloc((n + 1) * sizeof *others);
    uint32_t count = 0;
    for (uint32_t u = 0; u < n; u++)
        if (u != v) others[count++] = row[u];
    qsort(others, count, sizeof *others, by_value);
    double core = min_samples > 1 ? others[min_samples - 2] : 0;
    free(others);
    return core;
}

static void grow_tree(twin *t, const double *order, bool squares) {
    double *core = malloc((t->n + 1) * sizeof *core),
           alpha = squares ? t->o->alpha * t->o->alpha : t->o->alpha;
    ref_edge *edges = malloc(((size_t)t->n * t->n + 1) * sizeof *edges);
    size_t count = 0;
    for (uint32_t v = 0; v < t->n; v++) core[v] = core_of(t->n, order + v * t->n, v, t->o->min_samples);
    for (uint32_t i = 0; i < t->n; i++)
        for (uint32_t j = i + 1; j < t->n; j++)
            edges[count++] = (ref_edge){fmax(order[i * t->n + j] / alpha, fmax(core[i], core[j])), i, j};
    ref_mst(t->n, edges, count, false);
    for (uint32_t k = 0; k + 1 < t->n; k++)
        t->tree[k] = (ref_edge){squares ? sqrt(edges[k].weight) : edges[k].weight, edges[k].lo, edges[k].hi};
    free(edges);
    free(core);
}

/* ---- clusters, from the root down -------------------------------------------------------------- */

/* Marks the points of set that edges 0 … end - 1 connect with v. */
static uint32_t connected(const twin *t, const uint8_t *set, uint32_t end, uint32_t v, uint8_t *part) {
    uint32_t size = 1;
    memset(part, 0, t->n);
    part[v] = 1;
    for (bool grows = true; grows;) {
        grows = false;
        for (uint32_t k = 0; k < end; k++) {
            uint32_t a = t->tree[k].lo, b = t->tree[k].hi;
            if (!set[a] || !set[b] || part[a] == part[b]) continue;
            part[a] = part[b] = 1;
            size++;
            grows = true;
        }
    }
    return size;
}

static void leave(twin *t, const uint8_t *part, int own, double lambda) {
    for (uint32_t v = 0; v < t->n; v++)
        if (part[v]) t->cluster_of[v] = own, t->lambda[v] = lambda;
}

/* By sixty-fours, sums of these by sixty-fours, and so on. */
static double sum_of(double *term, size_t count) {
    size_t groups = 0;
    for (size_t k = 0; k < count; k++) {
        if (k % 64 == 0) term[groups++] = term[k];
        else term[groups - 1] += term[k];
    }
    return groups > 1 ? sum_of(term, groups) : term[0];
}

static void shrink(twin *t, uint8_t *set, int parent, double distance) {
    double birth = parent < 0 ? 0 : 1 / distance;
    int own = t->count++;
    uint32_t least = (uint32_t)t->o->min_cluster_size;
    uint8_t *part[2] = {malloc(t->n), malloc(t->n)};
    double *term = malloc(t->n * sizeof *term);
    size_t terms = 0;
    t->clusters[own] = (cluster){parent, distance, birth, birth, 0, false, true};
    for (uint32_t end = t->n - 1; end--;) {
        if (!set[t->tree[end].lo] || !set[t->tree[end].hi]) continue;
        double lambda = 1 / t->tree[end].weight;
        uint32_t size[2] = {connected(t, set, end, t->tree[end].lo, part[0]),
                            connected(t, set, end, t->tree[end].hi, part[1])};
        bool stays[2] = {size[0] >= least && isfinite(lambda), size[1] >= least && isfinite(lambda)};
        uint32_t gone =
            stays[0] && stays[1] ? size[0] + size[1] : (stays[0] ? 0 : size[0]) + (stays[1] ? 0 : size[1]);
        t->clusters[own].death = lambda;
        term[terms++] = (lambda - birth) * gone;
        for (int side = 0; side < 2; side++)
            if (!stays[side]) leave(t, part[side], own, lambda);
        if (stays[0] && stays[1]) {
            t->clusters[own].leaf = false;
            shrink(t, part[0], own, t->tree[end].weight);
            shrink(t, part[1], own, t->tree[end].weight);
        }
        if (stays[0] == stays[1]) break;
        memcpy(set, part[stays[0] ? 0 : 1], t->n);
    }
    t->clusters[own].stability = sum_of(term, terms);
    free(term);
    free(part[0]);
    free(part[1]);
}

/* ---- selection --------------------------------------------------------------------------------- */

static bool is_within(const twin *t, int c, int around) {
    while (c >= 0 && c != around) c = t->clusters[c].parent;
    return c == around;
}

/* The greatest stability that clusters in c can have; they are chosen. */
static double choose_stable(twin *t, int c, uint32_t size_limit, const uint32_t *size) {
    double below = 0;
    for (int d = 0; d < t->count; d++)
        if (t->clusters[d].parent == c) below += choose_stable(t, d, size_limit, size);
    bool allowed = (c || t->o->allow_single_cluster) && size[c] <= size_limit &&
                   (t->o->max_epsilon == 0 || t->clusters[c].distance <= t->o->max_epsilon);
    if (!allowed || below > t->clusters[c].stability) return below;
    for (int d = 0; d < t->count; d++)
        if (is_within(t, d, c)) t->clusters[d].chosen = d == c;
    return t->clusters[c].stability;
}

static void keep_outermost(twin *t) {
    for (int c = 0; c < t->count; c++)
        for (int d = 0; d < t->count && t->clusters[c].chosen; d++)
            if (d != c && is_within(t, d, c)) t->clusters[d].chosen = false;
}

static void join_near(twin *t) {
    bool *was = malloc((size_t)t->count);
    for (int c = 0; c < t->count; c++) was[c] = t->clusters[c].chosen;
    for (int c = 1; c < t->count; c++) {
        int at = c;
        if (!was[c]) continue;
        while (at && t->clusters[at].distance < t->o->epsilon &&
               (t->clusters[at].parent || t->o->allow_single_cluster))
            at = t->clusters[at].parent;
        t->clusters[c].chosen = false;
        t->clusters[at].chosen = true;
    }
    keep_outermost(t);
    free(was);
}

static void choose(twin *t) {
    uint32_t *size = calloc((size_t)t->count, sizeof *size);
    size_t limit = t->o->max_cluster_size ? t->o->max_cluster_size : t->n;
    for (uint32_t v = 0; v < t->n; v++)
        for (int c = 0; c < t->count; c++) size[c] += is_within(t, t->cluster_of[v], c);
    if (t->o->selection == GLSHAPE_HDBSCAN_EOM) choose_stable(t, 0, (uint32_t)limit, size);
    else
        for (int c = 0; c < t->count; c++)
            t->clusters[c].chosen = t->clusters[c].leaf && (c || t->o->allow_single_cluster);
    if (t->o->epsilon > 0) join_near(t);
    free(size);
}

/* ---- points ------------------------------------------------------------------------------------ */

static double share(double lambda, double most) {
    return most == 0 || isinf(lambda) ? 1 : fmin(lambda, most) / most;
}

static void score_point(const twin *t, uint32_t v, ref_clusters *out, int *chosen) {
    double deepest = 0, until = t->o->epsilon > 0 ? 1 / t->o->epsilon : t->clusters[0].death;
    int own = t->cluster_of[v];
    *chosen = own;
    for (int c = 0; c < t->count; c++)
        if (is_within(t, c, own)) deepest = fmax(deepest, t->clusters[c].death);
    while (*chosen >= 0 && !t->clusters[*chosen].chosen) *chosen = t->clusters[*chosen].parent;
    out->exemplar[v] = *chosen >= 0 && t->clusters[own].leaf && t->lambda[v] == t->clusters[own].death;
    if (!*chosen && t->lambda[v] < until) *chosen = -1;
    out->probabilities[v] = *chosen < 0 ? 0 : share(t->lambda[v], t->clusters[*chosen].death);
    out->outlier_scores[v] = 1 - share(t->lambda[v], deepest);
}

static void score_points(const twin *t, ref_clusters *out) {
    int *chosen = malloc((t->n + 1) * sizeof *chosen);
    int32_t count = 0;
    for (uint32_t v = 0; v < t->n; v++) {
        score_point(t, v, out, &chosen[v]);
        out->labels[v] = chosen[v] < 0 ? -1 : count;
        for (uint32_t u = 0; u < v; u++)
            if (chosen[v] >= 0 && chosen[u] == chosen[v]) out->labels[v] = out->labels[u];
        count += out->labels[v] == count;
    }
    free(chosen);
}

void ref_hdbscan(uint32_t n, const double *order, bool squares, const glshape_hdbscan_options *o,
                 ref_clusters *out) {
    twin t = {.n = n, .o = o, .tree = malloc((n + 1) * sizeof *t.tree)};
    t.clusters = malloc((n + 1) * sizeof *t.clusters);
    t.cluster_of = malloc((n + 1) * sizeof *t.cluster_of);
    t.lambda = malloc((n + 1) * sizeof *t.lambda);
    uint8_t *all = malloc(n + 1);
    *out =
        (ref_clusters){malloc((n + 1) * sizeof *out->labels), malloc((n + 1) * sizeof(double)),
                       malloc((n + 1) * sizeof(double)), malloc(n + 1), malloc((n + 1) * 4 * sizeof(double))};
    memset(all, 1, n);
    grow_tree(&t, order, squares);
    ref_dendrogram(n, t.tree, out->merges);
    shrink(&t, all, -1, t.tree[n - 2].weight);
    choose(&t);
    score_points(&t, out);
    free(t.tree);
    free(t.clusters);
    free(t.cluster_of);
    free(t.lambda);
    free(all);
}

void ref_hdbscan_free(ref_clusters *c) {
    free(c->labels);
    free(c->probabilities);
    free(c->outlier_scores);
    free(c->exemplar);
    free(c->merges);
    *c = (ref_clusters){0};
}

/* ---- prediction -------------------------------------------------------------------------------- */

static const glshape_hdbscan_row *row_of(const glshape_hdbscan_result *r, uint32_t child) {
    const glshape_hdbscan_row *row = r->rows;
    while (row->child != child) row++;
    return row;
}

int32_t ref_hdbscan_predict(const glshape_hdbscan_result *r, const double *distance, double *probability) {
    uint32_t n = (uint32_t)r->n, nearest = 0;
    double *sorted = malloc((n + 1) * sizeof *sorted), best = INFINITY;
    memcpy(sorted, distance, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, by_value);
    double core = r->options.min_samples > 1 ? sorted[r->options.min_samples - 2] : 0;
    free(sorted);
    for (uint32_t v = 0; v < n; v++) {
        double reach = fmax(fmax(core, r->core[v]), distance[v] / r->options.alpha);
        if (reach < best) best = reach, nearest = v;
    }
    double lambda = 1 / best;
    uint32_t cluster = row_of(r, nearest)->parent;
    if (row_of(r, nearest)->lambda > lambda)
        while (cluster > n && row_of(r, cluster)->lambda >= lambda) cluster = row_of(r, cluster)->parent;
    while (cluster > n && r->tree[cluster - n].label < 0) cluster = row_of(r, cluster)->parent;
    int32_t label = r->tree[cluster - n].label;
    double until = r->options.epsilon > 0 ? 1 / r->options.epsilon : r->tree[0].death;
    if (cluster == n && (r->labels[nearest] < 0 || lambda < until)) label = -1;
    *probability = label < 0 ? 0 : share(lambda, r->tree[cluster - n].death);
    return label;
}
