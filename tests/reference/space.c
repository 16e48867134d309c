#include "reference/space.h"

#include <math.h>
#include <stdlib.h>

static int by_sum(const void *a, const void *b) {
    const ref_neighbor *x = a, *y = b;
    if (x->sum != y->sum) return x->sum < y->sum ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

void ref_by_sum(const double *values, size_t rows, size_t columns, bool manhattan, const double *q,
                ref_neighbor *out) {
    for (size_t i = 0; i < rows; i++) {
        double sum = 0;
        for (size_t c = 0; c < columns; c++) {
            double d = q[c] - values[i * columns + c];
            sum += manhattan ? fabs(d) : d * d;
        }
        out[i] = (ref_neighbor){sum, (uint32_t)i};
    }
    qsort(out, rows, sizeof *out, by_sum);
}
