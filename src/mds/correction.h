/* What is added to distances so that no eigenvalue of classical scaling is negative. */
#ifndef GLSHAPE_MDS_CORRECTION_H
#define GLSHAPE_MDS_CORRECTION_H

#include "mds/product.h"

/* A reader's matrix, changed beside the diagonal: d becomes √(d² + 2·root·d), to which `added` is added. */
typedef struct mds_changed {
    dist_reader given;
    double root, added;
} mds_changed;

/* A reader of the changed matrix; c and what c->given reads must outlive it. */
dist_reader mds_changed_reader(mds_changed *c);

/* The least constant that Lingoes' correction, √(d² + 2·constant), or Cailliez', d + constant, needs: 0 if no
 * eigenvalue of b is negative. b: products with the distances of c->given; both stay as they are, but for
 * c->root. residual: relative to the largest eigenvalue in magnitude. *products grows by those that it took.
 * *converged becomes false if they did not get that far. Errors: as mds_product_apply.
 *
 * Sources: Lingoes, "Some boundary conditions for a monotone analysis of symmetric matrices", 1971; Cailliez,
 * "The analytical solution of the additive constant problem", 1983. */
typedef struct mds_search {
    mds_product *b;
    mds_changed *c;
    glshape_keep keep;
    double tolerance;
    int products;
    bool converged;
} mds_search;
glshape_status mds_find_lingoes(mds_search *s, double *constant);
glshape_status mds_find_cailliez(mds_search *s, double *constant);

#endif
