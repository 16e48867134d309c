/* Labels, probabilities, outlier scores and exemplars from the condensed tree and the clusters chosen. */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/owned.h"
#include "base/threads.h"
#include "hdbscan/hdbscan.h"

/* ---- clusters ---------------------------------------------------------------------------------- */

void hdbscan_marks_free(hdbscan_marks *m) {
    free(m->around);
    free(m->deepest);
    free(m->is_leaf);
}

glshape_status hdbscan_marks_new(error *err, const glshape_hdbscan_result *r, const bool *chosen,
                                 hdbscan_marks *m) {
    TRY(allocate(err, &m->around, r->tree_clusters, sizeof *m->around, "clusters chosen"));
    TRY(allocate(err, &m->deepest, r->tree_clusters, sizeof *m->deepest, "clusters"));
    TRY(allocate(err, &m->is_leaf, r->tree_clusters, sizeof *m->is_leaf, "leaves"));
    for (size_t c = 0; c < r->tree_clusters; c++) {
        size_t parent = r->tree[c].parent - r->n;
        m->around[c] = chosen[c] ? (int32_t)c : c ? m->around[parent] : -1;
        m->deepest[c] = r->tree[c].death;
        m->is_leaf[c] = true;
        if (c) m->is_leaf[parent] = false;
    }
    for (size_t c = r->tree_clusters; c-- > 1;) {
        double *parent = &m->deepest[r->tree[c].parent - r->n];
        *parent = fmax(*parent, m->deepest[c]);
    }
    return GLSHAPE_OK;
}

void hdbscan_number_marks(glshape_hdbscan_result *r, const int32_t *number, hdbscan_marks *m) {
    for (size_t c = 0; c < r->tree_clusters; c++) {
        r->tree[c].label = number[c];
        if (m->around[c] >= 0) m->around[c] = number[m->around[c]];
    }
}

/* ---- points ------------------------------------------------------------------------------------ */

double hdbscan_root_lambda(const glshape_hdbscan_result *r) {
    return r->options.epsilon > 0 ? 1 / r->options.epsilon : r->tree[0].death;
}

double hdbscan_share(double lambda, double most) {
    if (most == 0 || isinf(lambda)) return 1;
    return fmin(lambda, most) / most;
}

/* What the processors know of each point: the entry of r->tree that it leaves, and where. */
typedef struct leaver {
    uint32_t cluster;
    double lambda;
} leaver;

typedef struct labeler {
    glshape_hdbscan_result *r;
    const hdbscan_marks *m;
    leaver *leavers;
} labeler;

static void find_leavers(void *user, size_t first, size_t end) {
    const labeler *l = user;
    const glshape_hdbscan_result *r = l->r;
    for (const glshape_hdbscan_row *row = r->rows + first; row < r->rows + end; row++)
        if (row->child < r->n) l->leavers[row->child] = (leaver){(uint32_t)(row->parent - r->n), row->lambda};
}

static void score_points(void *user, size_t first, size_t end) {
    const labeler *l = user;
    glshape_hdbscan_result *r = l->r;
    double until = hdbscan_root_lambda(r);
    for (size_t v = first; v < end; v++) {
        leaver own = l->leavers[v];
        int32_t of = l->m->around[own.cluster];
        bool in = of > 0 || (of == 0 && own.lambda >= until);
        r->labels[v] = in ? of : -1;
        r->probabilities[v] = in ? hdbscan_share(own.lambda, r->tree[of].death) : 0;
        r->outlier_scores[v] = 1 - hdbscan_share(own.lambda, l->m->deepest[own.cluster]);
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

static glshape_status number_clusters(error *err, glshape_hdbscan_result *r, hdbscan_marks *m) {
    OWNED int32_t *number = NULL;
    TRY(allocate(err, &number, r->tree_clusters, sizeof *number, "numbers of clusters"));
    hdbscan_number(r->n, r->tree_clusters, r->labels, number, &r->clusters);
    hdbscan_number_marks(r, number, m);
    return GLSHAPE_OK;
}

/* ---- exemplars --------------------------------------------------------------------------------- */

glshape_status hdbscan_group_exemplars(error *err, const uint32_t *points, size_t count,
                                       glshape_hdbscan_result *r) {
    TRY(allocate(err, &r->exemplar_start, r->clusters + 2, sizeof *r->exemplar_start, "exemplars"));
    TRY(allocate(err, &r->exemplars, count, sizeof *r->exemplars, "exemplars"));
    size_t *end = r->exemplar_start + 1; /* end[c] counts, then is where c begins, then where it ends */
    for (int placed = 0; placed < 2; placed++) {
        for (size_t e = 0; e < count; e++) {
            int32_t label = r->labels[points[e]], c = label < 0 ? r->tree[0].label : label;
            if (placed) r->exemplars[end[c]++] = points[e];
            else end[c + 1]++;
        }
        for (size_t c = 0; c < r->clusters && !placed; c++) end[c + 1] += end[c];
    }
    return GLSHAPE_OK;
}

/* A point is an exemplar if it leaves a leaf, nothing leaves that later, and there is a cluster around it. */
static glshape_status find_exemplars(error *err, const hdbscan_marks *m, const leaver *leavers,
                                     glshape_hdbscan_result *r) {
    OWNED uint32_t *points = NULL;
    size_t count = 0;
    TRY(allocate(err, &points, r->n, sizeof *points, "exemplars"));
    for (size_t v = 0; v < r->n; v++) {
        uint32_t c = leavers[v].cluster;
        if (m->is_leaf[c] && m->around[c] >= 0 && leavers[v].lambda == r->tree[c].death)
            points[count++] = (uint32_t)v;
    }
    return hdbscan_group_exemplars(err, points, count, r);
}

/* ---- all --------------------------------------------------------------------------------------- */

glshape_status hdbscan_label_new(error *err, glshape_hdbscan_result *r) {
    TRY(allocate(err, &r->labels, r->n, sizeof *r->labels, "labels"));
    TRY(allocate(err, &r->probabilities, r->n, sizeof *r->probabilities, "probabilities"));
    return allocate(err, &r->outlier_scores, r->n, sizeof *r->outlier_scores, "outlier scores");
}

glshape_status hdbscan_label(error *err, const bool *chosen, glshape_hdbscan_result *r) {
    OWNED_BY(hdbscan_marks_free) hdbscan_marks m = {0};
    OWNED leaver *leavers = NULL;
    TRY(hdbscan_marks_new(err, r, chosen, &m));
    TRY(allocate(err, &leavers, r->n, sizeof *leavers, "clusters of points"));
    labeler l = {r, &m, leavers};
    threads_ranges(r->row_count, find_leavers, &l);
    if (!r->labels) TRY(hdbscan_label_new(err, r));
    threads_ranges(r->n, score_points, &l);
    for (size_t v = 0; v < r->n; v++) r->noise += r->labels[v] < 0;
    TRY(number_clusters(err, r, &m));
    return find_exemplars(err, &m, leavers, r);
}
