/* Labels, probabilities, outlier scores and exemplars from the condensed tree and the clusters chosen. */
#include <math.h>

#include "base/memory.h"
#include "base/owned.h"
#include "hdbscan/hdbscan.h"

typedef struct labeler {
    glshape_hdbscan_result *r;
    uint32_t *cluster; /* of each point: the entry of r->tree that it leaves */
    double *lambda;    /* of each point: where it leaves it */
    int32_t *around;   /* of each cluster: the chosen one around it, by its entry of r->tree; -1: none */
    double *deepest;   /* of each cluster: the greatest lambda in it and below */
} labeler;

static void labeler_free(labeler *l) {
    free(l->cluster);
    free(l->lambda);
    free(l->around);
    free(l->deepest);
}

static glshape_status labeler_new(error *err, glshape_hdbscan_result *r, const bool *chosen, labeler *l) {
    l->r = r;
    TRY(allocate(err, &l->cluster, r->n, sizeof *l->cluster, "clusters of points"));
    TRY(allocate(err, &l->lambda, r->n, sizeof *l->lambda, "clusters of points"));
    TRY(allocate(err, &l->around, r->tree_clusters, sizeof *l->around, "clusters chosen"));
    TRY(allocate(err, &l->deepest, r->tree_clusters, sizeof *l->deepest, "clusters"));
    for (size_t k = 0; k < r->row_count; k++) {
        if (r->rows[k].child >= r->n) continue;
        l->cluster[r->rows[k].child] = (uint32_t)(r->rows[k].parent - r->n);
        l->lambda[r->rows[k].child] = r->rows[k].lambda;
    }
    for (size_t c = 0; c < r->tree_clusters; c++) {
        l->around[c] = chosen[c] ? (int32_t)c : c ? l->around[r->tree[c].parent - r->n] : -1;
        l->deepest[c] = r->tree[c].death;
    }
    for (size_t c = r->tree_clusters; c-- > 1;) {
        double *parent = &l->deepest[r->tree[c].parent - r->n];
        *parent = fmax(*parent, l->deepest[c]);
    }
    return GLSHAPE_OK;
}

/* ---- points ------------------------------------------------------------------------------------ */

double hdbscan_root_lambda(const glshape_hdbscan_result *r) {
    return r->options.epsilon > 0 ? 1 / r->options.epsilon : r->tree[0].death;
}

double hdbscan_share(double lambda, double most) {
    if (most == 0 || isinf(lambda)) return 1;
    return fmin(lambda, most) / most;
}

static void score_points(const labeler *l) {
    glshape_hdbscan_result *r = l->r;
    for (size_t v = 0; v < r->n; v++) {
        int32_t of = l->around[l->cluster[v]];
        bool in = of > 0 || (of == 0 && l->lambda[v] >= hdbscan_root_lambda(r));
        r->labels[v] = in ? of : -1;
        r->probabilities[v] = in ? hdbscan_share(l->lambda[v], r->tree[of].death) : 0;
        r->outlier_scores[v] = 1 - hdbscan_share(l->lambda[v], l->deepest[l->cluster[v]]);
        r->noise += !in;
    }
}

void hdbscan_number(size_t n, size_t most, int32_t *label, int32_t *number, size_t *count) {
    *count = 0;
    for (size_t l = 0; l < most; l++) number[l] = -1;
    for (size_t v = 0; v < n; v++) {
        if (label[v] < 0) continue;
        if (number[label[v]] < 0) number[label[v]] = (int32_t)(*count)++;
        label[v] = number[label[v]];
    }
}

static glshape_status number_clusters(error *err, labeler *l) {
    glshape_hdbscan_result *r = l->r;
    OWNED int32_t *number = NULL;
    TRY(allocate(err, &number, r->tree_clusters, sizeof *number, "numbers of clusters"));
    hdbscan_number(r->n, r->tree_clusters, r->labels, number, &r->clusters);
    for (size_t c = 0; c < r->tree_clusters; c++) {
        r->tree[c].label = number[c];
        if (l->around[c] >= 0) l->around[c] = number[l->around[c]];
    }
    return GLSHAPE_OK;
}

/* ---- exemplars --------------------------------------------------------------------------------- */

/* The cluster that v is an exemplar of, by label: v leaves a leaf, and nothing leaves that later; -1: none.
 */
static int32_t exemplar_of(const labeler *l, const bool *is_leaf, size_t v) {
    uint32_t c = l->cluster[v];
    return is_leaf[c] && l->lambda[v] == l->r->tree[c].death ? l->around[c] : -1;
}

static glshape_status find_exemplars(error *err, const labeler *l) {
    glshape_hdbscan_result *r = l->r;
    OWNED bool *is_leaf = NULL;
    TRY(allocate(err, &is_leaf, r->tree_clusters, sizeof *is_leaf, "leaves"));
    TRY(allocate(err, &r->exemplar_start, r->clusters + 2, sizeof *r->exemplar_start, "exemplars"));
    for (size_t c = 0; c < r->tree_clusters; c++) is_leaf[c] = true;
    for (size_t c = 1; c < r->tree_clusters; c++) is_leaf[r->tree[c].parent - r->n] = false;
    size_t *end = r->exemplar_start + 1; /* end[c] counts, then is where c begins, then where it ends */
    for (size_t v = 0; v < r->n; v++) {
        int32_t c = exemplar_of(l, is_leaf, v);
        if (c >= 0) end[c + 1]++;
    }
    for (size_t c = 0; c < r->clusters; c++) end[c + 1] += end[c];
    TRY(allocate(err, &r->exemplars, end[r->clusters], sizeof *r->exemplars, "exemplars"));
    for (size_t v = 0; v < r->n; v++) {
        int32_t c = exemplar_of(l, is_leaf, v);
        if (c >= 0) r->exemplars[end[c]++] = (uint32_t)v;
    }
    return GLSHAPE_OK;
}

/* ---- all --------------------------------------------------------------------------------------- */

glshape_status hdbscan_label(error *err, const bool *chosen, glshape_hdbscan_result *r) {
    OWNED_BY(labeler_free) labeler l = {0};
    TRY(labeler_new(err, r, chosen, &l));
    TRY(allocate(err, &r->labels, r->n, sizeof *r->labels, "labels"));
    TRY(allocate(err, &r->probabilities, r->n, sizeof *r->probabilities, "probabilities"));
    TRY(allocate(err, &r->outlier_scores, r->n, sizeof *r->outlier_scores, "outlier scores"));
    score_points(&l);
    TRY(number_clusters(err, &l));
    return find_exemplars(err, &l);
}
