#include "mds/signs.h"

#include <math.h>

#define TIE 1e-6 /* entries this near to the largest in magnitude are as large */

static bool is_negative(const double *x, size_t step, size_t n) {
    double most = 0;
    for (size_t i = 0; i < n; i++) most = fmax(most, fabs(x[i * step]));
    for (size_t i = 0; i < n; i++)
        if (fabs(x[i * step]) >= (1 - TIE) * most) return x[i * step] < 0;
    return false;
}

void mds_write_column(glshape_mds_result *r, int c, const double *x, size_t step, double factor) {
    if (is_negative(x, step, r->n)) factor = -factor;
    for (size_t i = 0; i < r->n; i++)
        r->layout[i * (size_t)r->dim + (size_t)c] = (float)(x[i * step] * factor + 0.0); /* not -0 */
}
