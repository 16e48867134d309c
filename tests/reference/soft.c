#include "reference/soft.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- membership -------------------------------------------------------------------------------- */

static const glshape_hdbscan_row *row_of(const glshape_hdbscan_result *r, uint32_t child) {
    const glshape_hdbscan_row *row = r->rows;
    while (row->child != child) row++;
    return row;
}

/* Whether cluster a of the tree is b or around it. */
static bool is_around(const glshape_hdbscan_result *r, uint32_t a, uint32_t b) {
    for (;; b = row_of(r, b)->parent) {
        if (a == b) return true;
        if (b == r->n) return false;
    }
}

/* The lambda at which two clusters of the tree join; `own` if one is in the other. */
static double height_of(const glshape_hdbscan_result *r, uint32_t a, uint32_t b, double own) {
    if (is_around(r, a, b) || is_around(r, b, a)) return own;
    while (!is_around(r, row_of(r, a)->parent, b)) a = row_of(r, a)->parent;
    return row_of(r, a)->lambda;
}

static uint32_t entry_of(const glshape_hdbscan_result *r, size_t cluster) {
    uint32_t c = 0;
    while (r->tree[c].label != (int32_t)cluster) c++;
    return c;
}

/* a / b; 1 if both are infinite, or both 0. */
static double quotient(double a, double b) { return a == b ? 1 : a / b; }

void ref_membership(const glshape_hdbscan_result *r, const double *distance, uint32_t v, double lambda,
                    bool is_new, double *strength, double *noise) {
    uint32_t leaf = row_of(r, v)->parent;
    double most = r->tree[leaf - r->n].death, best = -1, sum = 0, nearest = INFINITY, top = 0;
    double *near = malloc((r->clusters + 1) * sizeof *near);
    uint32_t best_entry = 0;
    *noise = 1;
    for (size_t c = 0; c < r->clusters; c++) {
        near[c] = INFINITY;
        for (size_t e = r->exemplar_start[c]; e < r->exemplar_start[c + 1]; e++)
            near[c] = fmin(near[c], distance[r->exemplars[e]]);
        nearest = fmin(nearest, near[c]);
        uint32_t entry = entry_of(r, c);
        double height = height_of(r, leaf, (uint32_t)r->n + entry, lambda);
        if (height > best || (height == best && entry < best_entry)) best = height, best_entry = entry;
        if (is_new) strength[c] = most > height ? isinf(most) ? 1 : most / (most - height) : INFINITY;
        else strength[c] = exp(exp(-quotient(most, height)));
        top = fmax(top, strength[c]);
    }
    for (size_t c = 0; c < r->clusters; c++) {
        if (is_new) strength[c] = isinf(top) ? isinf(strength[c]) : exp(2 * (strength[c] - top));
        near[c] = nearest > 0 ? quotient(nearest, near[c]) : near[c] == 0;
        if (is_new) near[c] = sqrt(near[c]);
        sum += strength[c] * near[c];
    }
    bool none = !(sum > 0); /* the nearest weigh nothing, and others are too far: nearness alone */
    for (size_t c = 0; c < r->clusters; c++) {
        strength[c] = none ? near[c] : strength[c] * near[c];
        if (none) sum += near[c];
    }
    double last = r->clusters ? fmax(r->tree[best_entry].death, lambda) : 1,
           share = quotient(fmin(best, last), last);
    for (size_t c = 0; c < r->clusters; c++) strength[c] = strength[c] / sum * share;
    if (r->clusters) *noise = 1 - share;
    free(near);
}

/* ---- DBCV -------------------------------------------------------------------------------------- */

typedef struct judged {
    uint32_t n;
    const double *distance;
    const int32_t *labels;
    double *core;
    bool *inner;
} judged;

static double reach(const judged *j, uint32_t a, uint32_t b) {
    return fmax(j->distance[a * j->n + b], fmax(j->core[a], j->core[b]));
}

static void find_core(judged *j, uint32_t a, double dim) {
    double sum = 0;
    uint32_t others = 0;
    for (uint32_t b = 0; b < j->n; b++) {
        if (b == a || j->labels[b] != j->labels[a]) continue;
        others++;
        if (j->distance[a * j->n + b] > 0) sum += pow(j->distance[a * j->n + b], -dim);
    }
    j->core[a] = sum > 0 ? pow(sum / others, -1 / dim) : 0;
}

/* Grows the tree of a cluster by the least (reach, new point, point of the tree), over and over. Returns the
 * longest inner edge. */
static double span(judged *j, const uint32_t *point, uint32_t count) {
    bool *in = calloc(count, sizeof *in);
    uint32_t *from = calloc(count, sizeof *from), *to = calloc(count, sizeof *to),
             *degree = calloc(count, sizeof *degree);
    double longest = -1, all = 0;
    in[0] = true;
    for (uint32_t k = 1; k < count; k++) {
        double best = INFINITY;
        uint32_t a = 0, b = 0;
        for (uint32_t v = 0; v < count; v++)
            for (uint32_t u = 0; u < count; u++)
                if (!in[v] && in[u] && reach(j, point[u], point[v]) < best)
                    best = reach(j, point[u], point[v]), a = u, b = v;
        in[b] = true;
        from[k] = a, to[k] = b;
        degree[a]++, degree[b]++;
    }
    for (uint32_t v = 0; v < count; v++) j->inner[point[v]] = degree[v] > 1 || count == 2;
    for (uint32_t k = 1; k < count; k++) {
        double weight = reach(j, point[from[k]], point[to[k]]);
        all = fmax(all, weight);
        if (j->inner[point[from[k]]] && j->inner[point[to[k]]]) longest = fmax(longest, weight);
    }
    free(in), free(from), free(to), free(degree);
    return longest < 0 ? all : longest;
}

static uint32_t points_of(const judged *j, int32_t cluster, uint32_t *point) {
    uint32_t count = 0;
    for (uint32_t v = 0; v < j->n; v++)
        if (j->labels[v] == cluster) point[count++] = v;
    return count;
}

void ref_validity(uint32_t n, const double *distance, const int32_t *labels, double dim,
                  glshape_validity *out) {
    judged j = {n, distance, labels, calloc(n, sizeof *j.core), calloc(n, sizeof *j.inner)};
    uint32_t *point = malloc(n * sizeof *point);
    out->index = 0;
    for (uint32_t v = 0; dim > 0 && v < n; v++)
        if (labels[v] >= 0) find_core(&j, v, dim);
    for (size_t c = 0; c < out->clusters; c++) {
        uint32_t count = points_of(&j, (int32_t)c, point);
        out->cluster[c] = out->sparseness[c] = out->separation[c] = 0;
        if (count > 1) out->sparseness[c] = span(&j, point, count);
    }
    for (size_t c = 0; c < out->clusters; c++) {
        uint32_t count = points_of(&j, (int32_t)c, point);
        if (count < 2) continue;
        double least = INFINITY;
        for (uint32_t k = 0; k < count; k++)
            for (uint32_t v = 0; v < n; v++)
                if (j.inner[point[k]] && j.inner[v] && labels[v] != (int32_t)c)
                    least = fmin(least, reach(&j, point[k], v));
        double larger = fmax(least, out->sparseness[c]);
        out->separation[c] = least;
        out->cluster[c] = larger > 0 ? (least - out->sparseness[c]) / larger : 0;
        out->index += out->cluster[c] * count / n;
    }
    free(j.core), free(j.inner), free(point);
}
