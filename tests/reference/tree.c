#include "reference/tree.h"

#include <stdlib.h>

static int by_weight(const void *a, const void *b) {
    const ref_edge *x = a, *y = b;
    if (x->weight != y->weight) return x->weight < y->weight ? -1 : 1;
    if (x->lo != y->lo) return x->lo < y->lo ? -1 : 1;
    return x->hi < y->hi ? -1 : x->hi > y->hi;
}

static uint32_t root(uint32_t *up, uint32_t v) {
    while (up[v] != v) {
        up[v] = up[up[v]];
        v = up[v];
    }
    return v;
}

size_t ref_mst(uint32_t n, ref_edge *edges, size_t count, bool maximum) {
    uint32_t *up = malloc((n + 1) * sizeof *up);
    size_t found = 0;
    for (size_t k = 0; k < count; k++) edges[k].weight *= maximum ? -1 : 1;
    qsort(edges, count, sizeof *edges, by_weight);
    for (uint32_t v = 0; v < n; v++) up[v] = v;
    for (size_t k = 0; k < count; k++) {
        uint32_t a = root(up, edges[k].lo), b = root(up, edges[k].hi);
        if (a == b) continue;
        up[a] = b;
        edges[found] = edges[k];
        edges[found++].weight *= maximum ? -1 : 1;
    }
    free(up);
    return found;
}

void ref_dendrogram(uint32_t n, ref_edge *edges, double *out) {
    uint32_t *cluster = malloc((n + 1) * sizeof *cluster);
    for (uint32_t v = 0; v < n; v++) cluster[v] = v;
    qsort(edges, n ? n - 1 : 0, sizeof *edges, by_weight);
    for (uint32_t k = 0; k + 1 < n; k++) {
        uint32_t a = cluster[edges[k].lo], b = cluster[edges[k].hi], size = 0;
        for (uint32_t v = 0; v < n; v++) {
            if (cluster[v] != a && cluster[v] != b) continue;
            cluster[v] = n + k;
            size++;
        }
        out[4 * k] = a < b ? a : b;
        out[4 * k + 1] = a < b ? b : a;
        out[4 * k + 2] = edges[k].weight;
        out[4 * k + 3] = size;
    }
    free(cluster);
}

static uint32_t oldest(uint32_t n, const float *birth, const uint32_t *set, uint32_t which) {
    uint32_t best = UINT32_MAX;
    for (uint32_t v = 0; v < n; v++)
        if (set[v] == which && (best == UINT32_MAX || (birth && birth[v] < birth[best]))) best = v;
    return best;
}

void ref_elder(uint32_t n, const float *birth, const uint32_t *i, const uint32_t *j, size_t count,
               uint32_t *dies) {
    uint32_t *set = malloc((n + 1) * sizeof *set);
    for (uint32_t v = 0; v < n; v++) set[v] = v;
    for (size_t k = 0; k < count; k++) {
        uint32_t from = set[i[k]], to = set[j[k]];
        dies[k] = UINT32_MAX;
        if (from == to) continue;
        uint32_t x = oldest(n, birth, set, from), y = oldest(n, birth, set, to);
        bool x_older = birth && birth[x] != birth[y] ? birth[x] < birth[y] : x < y;
        dies[k] = x_older ? y : x;
        for (uint32_t v = 0; v < n; v++)
            if (set[v] == from) set[v] = to;
    }
    free(set);
}
