#include "reference/prim.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

double ref_sum_floats(const float *x, size_t n, size_t stride, double *magnitude) {
    double sum = 0;
    *magnitude = 0;
    for (size_t i = 0; i < n; i++) {
        sum += x[stride * i];
        *magnitude += fabs(x[stride * i]);
    }
    return sum;
}

float ref_min_floats(const float *x, size_t n) {
    float least = INFINITY;
    for (size_t i = 0; i < n; i++)
        if (x[i] < least) least = x[i];
    return least;
}

float ref_max_floats(const float *x, size_t n) {
    float most = -INFINITY;
    for (size_t i = 0; i < n; i++)
        if (x[i] > most) most = x[i];
    return most;
}

uint32_t ref_arg_min(const float *x, size_t n) {
    if (!n) return UINT32_MAX;
    uint32_t least = 0;
    for (uint32_t i = 1; i < n; i++)
        if (x[i] < x[least]) least = i;
    return least;
}

uint32_t ref_sum(const uint32_t *x, size_t n) {
    uint32_t sum = 0;
    for (size_t i = 0; i < n; i++) sum += x[i];
    return sum;
}

uint32_t ref_min(const uint32_t *x, size_t n) {
    uint32_t least = UINT32_MAX;
    for (size_t i = 0; i < n; i++)
        if (x[i] < least) least = x[i];
    return least;
}

uint32_t ref_max(const uint32_t *x, size_t n) {
    uint32_t most = 0;
    for (size_t i = 0; i < n; i++)
        if (x[i] > most) most = x[i];
    return most;
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

void ref_histogram(const uint32_t *keys, size_t n, uint32_t shift, uint32_t mask, uint32_t *bins) {
    memset(bins, 0, ((size_t)mask + 1) * sizeof *bins);
    for (size_t i = 0; i < n; i++) bins[(keys[i] >> shift) & mask]++;
}

static int by_key_then_value(const void *a, const void *b) {
    const ref_pair *x = a, *y = b;
    if (x->high != y->high) return x->high < y->high ? -1 : 1;
    if (x->low != y->low) return x->low < y->low ? -1 : 1;
    return x->value < y->value ? -1 : x->value > y->value;
}

void ref_sort(ref_pair *pairs, size_t n) { qsort(pairs, n, sizeof *pairs, by_key_then_value); }

static void put_in_order(ref_pair *a, ref_pair *b) {
    if (by_key_then_value(a, b) <= 0) return;
    ref_pair was = *a;
    *a = *b;
    *b = was;
}

void ref_transpose(ref_pair *pairs, size_t n, uint32_t *moved) {
    ref_pair *was = malloc((n + 1) * sizeof *was);
    memcpy(was, pairs, n * sizeof *was);
    for (size_t phase = 0; phase < 2; phase++)
        for (size_t i = phase; i + 1 < n; i += 2) put_in_order(&pairs[i], &pairs[i + 1]);
    for (size_t i = 0; i < n; i++) moved[i] = memcmp(&was[i], &pairs[i], sizeof *was) != 0;
    free(was);
}
