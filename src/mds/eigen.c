#include "mds/eigen.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#define MOST_SWEEPS 60
#define NEGLIGIBLE 1e-15 /* of the largest value on the diagonal */

/* Rotates rows p and q of an m × m matrix, which lie next to each other in steps of `step`. */
static void rotate(uint32_t m, double *p, double *q, size_t step, double c, double s) {
    for (size_t k = 0; k < m; k++) {
        double x = p[k * step], y = q[k * step];
        p[k * step] = c * x - s * y;
        q[k * step] = s * x + c * y;
    }
}

/* The rotation that makes element (p, q) 0: the smaller of the two angles. */
static void annihilate(uint32_t m, double *a, double *vector, uint32_t p, uint32_t q) {
    double off = a[p * m + q], tau = (a[q * m + q] - a[p * m + p]) / (2 * off);
    double t = tau < 0 ? -1 / (-tau + hypot(1, tau)) : 1 / (tau + hypot(1, tau));
    double c = 1 / hypot(1, t), s = t * c;
    rotate(m, a + p * m, a + q * m, 1, c, s);
    rotate(m, a + p, a + q, m, c, s);
    a[p * m + q] = a[q * m + p] = 0;
    rotate(m, vector + p, vector + q, m, c, s);
}

/* Rotates every element away that counts. Returns 0 if there was none. */
static int sweep(uint32_t m, double *a, double *vector) {
    double most = 0;
    int found = 0;
    for (size_t k = 0; k < m; k++) most = fmax(most, fabs(a[k * m + k]));
    for (uint32_t p = 0; p < m; p++)
        for (uint32_t q = p + 1; q < m; q++) {
            if (!(fabs(a[p * m + q]) > NEGLIGIBLE * most)) continue;
            annihilate(m, a, vector, p, q);
            found = 1;
        }
    return found;
}

/* Puts the eigenvalues, with their vectors, into descending order. */
static void sort(uint32_t m, double *value, double *vector) {
    for (uint32_t k = 0; k < m; k++) {
        uint32_t most = k;
        for (uint32_t j = k + 1; j < m; j++)
            if (value[j] > value[most]) most = j;
        double first = value[k];
        value[k] = value[most];
        value[most] = first;
        for (size_t i = 0; i < m && most != k; i++) {
            double x = vector[i * m + k];
            vector[i * m + k] = vector[i * m + most];
            vector[i * m + most] = x;
        }
    }
}

void mds_eigen(uint32_t m, double *a, double *value, double *vector) {
    memset(vector, 0, (size_t)m * m * sizeof *vector);
    for (size_t k = 0; k < m; k++) vector[k * (m + 1)] = 1;
    for (int i = 0; i < MOST_SWEEPS && sweep(m, a, vector); i++) {}
    for (size_t k = 0; k < m; k++) value[k] = a[k * (m + 1)];
    sort(m, value, vector);
}
