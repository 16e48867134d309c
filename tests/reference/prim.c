#include "reference/prim.h"

#include <math.h>

double ref_sum_floats(const float *x, size_t n, size_t stride, double *magnitude) {
    double sum = 0;
    *magnitude = 0;
    for (size_t i = 0; i < n; i++) {
        sum += x[stride * i];
        *magnitude += fabs(x[stride * i]);
    }
    return sum;
}

uint32_t ref_sum(const uint32_t *x, size_t n) {
    uint32_t sum = 0;
    for (size_t i = 0; i < n; i++) sum += x[i];
    return sum;
}

uint32_t ref_scan(const uint32_t *x, size_t n, uint32_t *out) {
    uint32_t sum = 0;
    for (size_t i = 0; i < n; i++) {
        out[i] = sum;
        sum += x[i];
    }
    return sum;
}

uint32_t ref_compact(const uint32_t *flags, const uint32_t *from, size_t n, uint32_t *out) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < n; i++)
        if (flags[i]) out[kept++] = from ? from[i] : i;
    return kept;
}
