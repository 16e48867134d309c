/* The leading eigenpairs of a symmetric operator that can only be multiplied with. */
#ifndef GLSHAPE_MDS_KRYLOV_H
#define GLSHAPE_MDS_KRYLOV_H

#include "base/error.h"

/* A symmetric n × n matrix. apply: y becomes its product with x, which is `count` columns, each of n values
 * behind one another; y likewise. */
typedef struct mds_operator {
    glshape_status (*apply)(void *user, uint32_t count, const double *x, double *y);
    void *user;
    uint32_t n;
    bool centered; /* its kernel has the constant vector, and its products have mean 0 */
} mds_operator;

typedef struct mds_eigenpairs {
    uint32_t wanted;  /* in: how many, at least 1 */
    double tolerance; /* in: of residuals, relative to the largest eigenvalue in magnitude … */
    double *noise; /* in: … or this, if it is more: what the products' rounding may leave. Read after them */
    uint32_t count;   /* out: how many there are: the wanted ones, or fewer if the operator has fewer */
    int products;     /* out: calls of apply */
    double *value;    /* out: count, the largest first, by their signed values */
    double *residual; /* out: ‖Bv - λv‖ of each */
    double *vector;   /* out: count × n, orthonormal: each n values behind one another */
    double least;   /* out: the least Ritz value, within 1 % of the largest in magnitude of an eigenvalue; the
                       least is not above it */
    bool converged; /* out: all residuals are within the tolerance */
} mds_eigenpairs;

/* Fills p; mds_eigenpairs_free() it, also after a failure. Errors: those of apply; GLSHAPE_NO_MEMORY.
 *
 * A randomized block Krylov method with restarts. A block of the wanted number and some more random vectors
 * is multiplied; then the residuals of the leading Ritz vectors are, and so on. Ritz vectors are of all
 * products so far, until there are too many: then the leading ones are kept. Those that lead by signed value
 * are refined, so large negative eigenvalues do not capture the iteration, as they do capture plain subspace
 * iteration.
 *
 * Sources: Halko, Martinsson, Tropp, "Finding structure with randomness", 2011; Musco, Musco, "Randomized
 * block Krylov methods", 2015; Wu, Simon, "Thick-restart Lanczos", 2000. */
glshape_status mds_krylov(error *err, const mds_operator *b, mds_eigenpairs *p);
void mds_eigenpairs_free(mds_eigenpairs *p);

#endif
