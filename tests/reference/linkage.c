#include "reference/linkage.h"

#include <math.h>
#include <stdlib.h>

#include "reference/knn.h"
#include "reference/tree.h"

void ref_distances(glshape_metric metric, const double *values, size_t rows, size_t columns, double *order,
                   double *distance) {
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < rows; j++) {
            double d = ref_distance(metric, values + i * columns, values + j * columns, columns), sum = 0;
            for (size_t c = 0; c < columns; c++) {
                double x = values[i * columns + c] - values[j * columns + c];
                sum += x * x;
            }
            distance[i * rows + j] = d;
            order[i * rows + j] = metric == GLSHAPE_METRIC_EUCLIDEAN ? sum : d;
        }
}

void ref_linkage(uint32_t n, const double *order, const double *distance, double *out) {
    uint32_t *cluster = malloc((n + 1) * sizeof *cluster);
    ref_edge *edges = malloc((n + 1) * sizeof *edges);
    for (uint32_t v = 0; v < n; v++) cluster[v] = v;
    for (uint32_t k = 0; k + 1 < n; k++) {
        uint32_t lo = n, hi = n;
        for (uint32_t i = 0; i < n; i++)
            for (uint32_t j = i + 1; j < n; j++)
                if (cluster[i] != cluster[j] && (lo == n || order[i * n + j] < order[lo * n + hi]))
                    lo = i, hi = j;
        edges[k] = (ref_edge){distance[lo * n + hi], lo, hi};
        uint32_t gone = cluster[hi], stays = cluster[lo];
        for (uint32_t v = 0; v < n; v++)
            if (cluster[v] == gone) cluster[v] = stays;
    }
    ref_dendrogram(n, edges, out);
    free(cluster);
    free(edges);
}

uint32_t ref_cut(uint32_t n, const double *merges, double height, uint32_t *label) {
    uint32_t *parent = malloc((2 * (size_t)n + 1) * sizeof *parent), count = 0;
    uint32_t *number = malloc((2 * (size_t)n + 1) * sizeof *number);
    for (uint32_t c = 0; c < 2 * n; c++) parent[c] = number[c] = UINT32_MAX;
    for (uint32_t k = 0; k + 1 < n; k++)
        if (merges[4 * k + 2] <= height)
            parent[(uint32_t)merges[4 * k]] = parent[(uint32_t)merges[4 * k + 1]] = n + k;
    for (uint32_t v = 0; v < n; v++) {
        uint32_t top = v;
        while (parent[top] != UINT32_MAX) top = parent[top];
        if (number[top] == UINT32_MAX) number[top] = count++;
        label[v] = number[top];
    }
    free(parent);
    free(number);
    return count;
}

double ref_cophenetic(uint32_t n, const double *merges, const double *distance) {
    double *met = calloc((size_t)n * n + 1, sizeof *met), pairs = n * (n - 1.0) / 2;
    uint32_t *of = malloc((n + 1) * sizeof *of);
    for (uint32_t v = 0; v < n; v++) of[v] = v;
    for (uint32_t k = 0; k + 1 < n; k++) {
        uint32_t a = (uint32_t)merges[4 * k], b = (uint32_t)merges[4 * k + 1];
        for (uint32_t i = 0; i < n; i++)
            for (uint32_t j = 0; j < n; j++)
                if (of[i] == a && of[j] == b) met[i * n + j] = met[j * n + i] = merges[4 * k + 2];
        for (uint32_t v = 0; v < n; v++)
            if (of[v] == a || of[v] == b) of[v] = n + k;
    }
    double md = 0, mm = 0, dd = 0, cc = 0, dc = 0;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = i + 1; j < n; j++) {
            md += distance[i * n + j] / pairs;
            mm += met[i * n + j] / pairs;
        }
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = i + 1; j < n; j++) {
            double d = distance[i * n + j] - md, c = met[i * n + j] - mm;
            dd += d * d;
            cc += c * c;
            dc += d * c;
        }
    free(met);
    free(of);
    return dc / sqrt(dd * cc);
}
