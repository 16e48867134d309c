/* The tree of sparse rows: linkage_matrix reads a matrix of distances that is never stored. */
#include "base/memory.h"
#include "base/owned.h"
#include "dist/source.h"
#include "linkage/linkage.h"

/* A glshape_double_reader of linkage_sparse_rows. */
static bool read_sparse(void *user, uint32_t first, uint32_t count, double *out, char *message, size_t size) {
    const linkage_sparse_rows *r = user;
    size_t n = r->rows.m->rows;
    (void)message, (void)size;
    for (uint32_t i = first; i < first + count; i++, out += n)
        for (uint32_t j = 0; j < n; j++) {
            out[j] = j < i || (r->whole && j > i) ? dist_sparse_sum(&r->rows, i, j) : 0;
            if (r->whole) out[j] = dist_sparse_distance(&r->rows, out[j]);
        }
    return true;
}

glshape_source linkage_sparse_source(linkage_sparse_rows *rows) {
    return (glshape_source){
        .double_reader = read_sparse, .user = rows, .n = rows->rows.m->rows, .keep = GLSHAPE_KEEP_PAGED};
}

void linkage_sparse_free(linkage_sparse_rows *r) { dist_sparse_rows_free(&r->rows); }

glshape_status linkage_sparse(gpu *g, const glshape_source *source, linkage_tree *tree) {
    OWNED_BY(linkage_sparse_free) linkage_sparse_rows rows = {0};
    if (tree->n < 2) return GLSHAPE_OK;
    TRY(dist_sparse_rows_new(run_error(run_of(g)), source, &rows.rows));
    glshape_source matrix = linkage_sparse_source(&rows);
    size_t components;
    TRY(linkage_matrix(g, &matrix, tree, &components));
    for (uint32_t k = 0; k < tree->count; k++)
        tree->height[k] = dist_sparse_distance(&rows.rows, tree->height[k]);
    return GLSHAPE_OK;
}
