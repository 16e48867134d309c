/* Points as they are: the scalar products of their columns. */
#ifndef GLSHAPE_MDS_COLUMNS_H
#define GLSHAPE_MDS_COLUMNS_H

#include "run/run.h"

/* X: rows × columns, each column of mean 0. XᵀX has the same eigenvalues as XXᵀ, which is B of the rows'
 * Euclidean distances, but for zeros; X times a unit eigenvector of it is one of B times √λ. */
typedef struct mds_columns {
    run *r;
    size_t rows, columns;
    double *x;
    double unit;  /* a power of two; times this, values are the input's */
    double trace; /* of XᵀX */
} mds_columns;

/* The points of m, which dist_points_check has seen. mds_columns_free(), also after a failure.
 * GLSHAPE_BAD_INPUT: a value is not finite, or values differ by more than a layout could show, or less;
 * GLSHAPE_NO_MEMORY. */
glshape_status mds_columns_new(run *r, const glshape_matrix *m, mds_columns *c);
void mds_columns_free(mds_columns *c);
/* w, y: count columns of c->columns values. y becomes XᵀX·w, as an mds_operator; user is an mds_columns. */
glshape_status mds_columns_apply(void *user, uint32_t count, const double *w, double *y);
/* out becomes X·w: count columns of c->rows values. */
void mds_columns_scores(const mds_columns *c, uint32_t count, const double *w, double *out);
/* out, of c->rows values: the mean of each row's squared distances from all rows, itself among them. */
void mds_columns_mean_squares(const mds_columns *c, double *out);

#endif
