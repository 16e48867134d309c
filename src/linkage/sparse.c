/* The tree of sparse rows: linkage_matrix reads a matrix of distances that is never stored. A distance is
 * summed in double, term by term in the order of the columns, and rounded to float32. The zeros of the rows
 * add nothing: the same rows in dense form have the same distances. */
#include <math.h>

#include "base/memory.h"
#include "base/owned.h"
#include "dist/source.h"
#include "linkage/linkage.h"

typedef struct rows {
    const glshape_sparse *m;
    glshape_metric metric;
    const double *value; /* of m; angular metrics: of rows of length 1 */
} rows;

static double term(glshape_metric metric, double difference) {
    return metric == GLSHAPE_METRIC_MANHATTAN ? fabs(difference) : difference * difference;
}

static double distance(const rows *r, size_t i, size_t j) {
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

/* Fills rows up to the diagonal; the reader of this matrix looks at no more. */
static bool read_rows(void *user, uint32_t first, uint32_t count, float *out, char *message, size_t size) {
    const rows *r = user;
    (void)message, (void)size;
    for (uint32_t i = first; i < first + count; i++, out += r->m->rows)
        for (uint32_t j = 0; j < r->m->rows; j++) out[j] = j < i ? (float)distance(r, i, j) : 0;
    return true;
}

static void take_values(const rows *r, double *value) {
    for (size_t i = 0; i < r->m->rows; i++) {
        double square = 0;
        for (size_t k = r->m->start[i]; k < r->m->start[i + 1]; k++)
            square += (double)r->m->value[k] * r->m->value[k];
        for (size_t k = r->m->start[i]; k < r->m->start[i + 1]; k++)
            value[k] = r->m->value[k] / (r->metric == GLSHAPE_METRIC_COSINE ? sqrt(square) : 1);
    }
}

glshape_status linkage_sparse(gpu *g, const glshape_source *source, linkage_tree *tree) {
    OWNED double *value = NULL;
    const glshape_sparse *m = source->sparse;
    if (tree->n < 2) return GLSHAPE_OK;
    TRY(dist_sparse_check(gpu_error(g), m, source->metric));
    TRY(allocate(gpu_error(g), &value, m->start[tree->n], sizeof *value, "the sparse rows"));
    rows s = {m, source->metric, value};
    take_values(&s, value);
    glshape_source matrix = {.reader = read_rows, .user = &s, .n = tree->n, .keep = GLSHAPE_KEEP_PAGED};
    return linkage_matrix(g, &matrix, tree);
}
