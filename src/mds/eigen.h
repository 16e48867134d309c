/* Eigenvalues of small symmetric matrices. */
#ifndef GLSHAPE_MDS_EIGEN_H
#define GLSHAPE_MDS_EIGEN_H

#include <stdint.h>

/* Decomposes the symmetric m × m matrix a, which is overwritten: value gets its eigenvalues, the largest
 * first; column k of vector (m × m, row after row) the unit eigenvector of value[k]. Jacobi's method
 * (Golub, Van Loan, Matrix Computations, section 8.5). */
void mds_eigen(uint32_t m, double *a, double *value, double *vector);

#endif
