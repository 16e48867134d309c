/* The tree of sparse rows: linkage_matrix reads a matrix of distances that is never stored. The zeros of the
 * rows add nothing: the same rows in dense form have the same distances. */
#include <math.h>

#include "base/memory.h"
#include "base/owned.h"
#include "dist/source.h"
#include "linkage/linkage.h"

static double term(glshape_metric metric, double difference) {
    return metric == GLSHAPE_METRIC_MANHATTAN ? fabs(difference) : difference * difference;
}

static double distance(const linkage_sparse_rows *r, size_t i, size_t j) {
    size_t a = r->m->start[i], a_end = r->m->start[i + 1], b = r->m->start[j], b_end = r->m->start[j + 1];
    const uint32_t *column = r->m->column;
    double sum = 0;
    while (a < a_end && b < b_end) {
        bool left = column[a] <= column[b], right = column[b] <= column[a];
        sum += term(r->metric, (left ? r->value[a] : 0) - (right ? r->value[b] : 0));
        a += left;
        b += right;
    }
    for (; a < a_end; a++) sum += term(r->metric, r->value[a]);
    for (; b < b_end; b++) sum += term(r->metric, r->value[b]);
    return r->metric == GLSHAPE_METRIC_MANHATTAN ? sum
           : r->metric == GLSHAPE_METRIC_COSINE  ? 0.5 * sum
                                                 : sqrt(sum);
}

bool linkage_read_sparse(void *user, uint32_t first, uint32_t count, float *out, char *message, size_t size) {
    const linkage_sparse_rows *r = user;
    (void)message, (void)size;
    for (uint32_t i = first; i < first + count; i++, out += r->m->rows)
        for (uint32_t j = 0; j < r->m->rows; j++)
            out[j] = j < i || (r->whole && j > i) ? (float)distance(r, i, j) : 0;
    return true;
}

static void take_values(const linkage_sparse_rows *r, double *value) {
    for (size_t i = 0; i < r->m->rows; i++) {
        double square = 0;
        for (size_t k = r->m->start[i]; k < r->m->start[i + 1]; k++)
            square += (double)r->m->value[k] * r->m->value[k];
        for (size_t k = r->m->start[i]; k < r->m->start[i + 1]; k++)
            value[k] = r->m->value[k] / (r->metric == GLSHAPE_METRIC_COSINE ? sqrt(square) : 1);
    }
}

glshape_status linkage_sparse_open(error *err, const glshape_source *source, linkage_sparse_rows *out) {
    const glshape_sparse *m = source->sparse;
    *out = (linkage_sparse_rows){.m = m, .metric = source->metric};
    TRY(dist_sparse_check(err, m, source->metric));
    TRY(allocate(err, &out->value, m->start[m->rows], sizeof *out->value, "the sparse rows"));
    take_values(out, out->value);
    return GLSHAPE_OK;
}

void linkage_sparse_close(linkage_sparse_rows *rows) { free(rows->value); }

glshape_status linkage_sparse(gpu *g, const glshape_source *source, linkage_tree *tree) {
    OWNED_BY(linkage_sparse_close) linkage_sparse_rows rows = {0};
    if (tree->n < 2) return GLSHAPE_OK;
    TRY(linkage_sparse_open(gpu_error(g), source, &rows));
    glshape_source matrix = {
        .reader = linkage_read_sparse, .user = &rows, .n = tree->n, .keep = GLSHAPE_KEEP_PAGED};
    return linkage_matrix(g, &matrix, tree);
}
