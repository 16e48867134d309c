/* The tree of sparse rows: linkage_matrix reads a matrix of distances that is never stored. */
#include "base/memory.h"
#include "base/owned.h"
#include "dist/source.h"
#include "linkage/linkage.h"

bool linkage_read_sparse(void *user, uint32_t first, uint32_t count, float *out, char *message, size_t size) {
    const linkage_sparse_rows *r = user;
    size_t n = r->rows.m->rows;
    (void)message, (void)size;
    for (uint32_t i = first; i < first + count; i++, out += n)
        for (uint32_t j = 0; j < n; j++)
            out[j] = j < i || (r->whole && j > i)
                         ? (float)dist_sparse_distance(&r->rows, dist_sparse_sum(&r->rows, i, j))
                         : 0;
    return true;
}

void linkage_sparse_free(linkage_sparse_rows *r) { dist_sparse_rows_free(&r->rows); }

glshape_status linkage_sparse(gpu *g, const glshape_source *source, linkage_tree *tree) {
    OWNED_BY(linkage_sparse_free) linkage_sparse_rows rows = {0};
    if (tree->n < 2) return GLSHAPE_OK;
    TRY(dist_sparse_rows_new(gpu_error(g), source->sparse, source->metric, source->p, &rows.rows));
    glshape_source matrix = {
        .reader = linkage_read_sparse, .user = &rows, .n = tree->n, .keep = GLSHAPE_KEEP_PAGED};
    size_t components;
    return linkage_matrix(g, &matrix, tree, &components);
}
