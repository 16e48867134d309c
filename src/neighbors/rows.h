/* Neighbors where whole rows of numbers are at hand: of a matrix of distances, of sparse rows. On the CPU. */
#ifndef GLSHAPE_NEIGHBORS_ROWS_H
#define GLSHAPE_NEIGHBORS_ROWS_H

#include "dist/source.h"

/* `count` queries among n points. Neighbors are ordered by (sum, index), as in knn.h. */
typedef struct knn_rows {
    uint32_t count, n;
    bool own; /* query i is point i, which is no neighbor of itself */
    /* Fills out, for all n points, with numbers that are at most the sums of query i. Several threads call
     * it; scratch is the thread's own, of scratch_bytes. */
    glshape_status (*bounds)(error *err, void *user, uint32_t i, void *scratch, double *out);
    /* The sum of query i and point j. NULL: the bounds are the sums. */
    double (*sum)(void *user, uint32_t i, uint32_t j);
    void *user;
    size_t scratch_bytes;
} knn_rows;

/* Finds the k nearest of each query: index and sum, count × k, in order. k is at most as many as there are.
 */
glshape_status knn_rows_nearest(run *r, const knn_rows *rows, uint32_t k, uint32_t *index, double *sum);
/* Finds all points within `most`, a sum, of each query, as index_within_count and index_within do. */
glshape_status knn_rows_within_count(run *r, const knn_rows *rows, double most, uint64_t *start);
glshape_status knn_rows_within(run *r, const knn_rows *rows, double most, const uint64_t *start,
                               uint32_t *index, double *sum);

/* matrix.c: the rows of a reader's matrix: of `queries` queries; 0: of the points themselves. */
typedef struct knn_matrix {
    const glshape_source *source;
    bool own;
} knn_matrix;
void knn_matrix_rows(knn_matrix *m, size_t queries, knn_rows *out);

/* sparse.c: sparse rows, and the points among them by columns. */
typedef struct knn_sparse {
    dist_sparse_rows rows; /* the points, then the queries */
    uint32_t n, queries;
    size_t longest;      /* most values in a row */
    double *whole;       /* of each row: the sum of itself, from the origin */
    size_t *start;       /* of column c: its values in the points are start[c] … start[c + 1] - 1 */
    uint32_t *point;     /* of each, its row … */
    double *value;       /* … and itself */
    glshape_sparse both; /* points and queries, if there are queries */
} knn_sparse;
/* The rows of a source, and those of o that are queries, if any. Errors: as dist_sparse_check;
 * GLSHAPE_BAD_INPUT: queries of another width. To be freed after a failure, too. */
glshape_status knn_sparse_new(error *err, const glshape_source *given, const glshape_knn_options *o,
                              knn_sparse *out);
void knn_sparse_free(knn_sparse *s);
void knn_sparse_rows(knn_sparse *s, knn_rows *out);

#endif
