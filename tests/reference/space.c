#include "reference/space.h"

#include <stdlib.h>

#include "reference/norm.h"

static int by_sum(const void *a, const void *b) {
    const ref_neighbor *x = a, *y = b;
    if (x->sum != y->sum) return x->sum < y->sum ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

void ref_by_sum(const double *values, size_t rows, size_t columns, double p, const double *q,
                ref_neighbor *out) {
    for (size_t i = 0; i < rows; i++)
        out[i] = (ref_neighbor){ref_norm_sum(p, q, values + i * columns, columns), (uint32_t)i};
    qsort(out, rows, sizeof *out, by_sum);
}
