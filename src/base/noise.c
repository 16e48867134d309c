#include "base/noise.h"

#include <math.h>

#define LANES 16u /* values that a processor may look at together */

/* The functions of either type. A sign is found without a branch, so that rows without noise cost little. */
#define NOISE(type, name)                                                           \
    static bool name##_has_sign(const type *row, size_t n) {                        \
        int signs[LANES] = {0}, any = 0;                                            \
        size_t j = 0;                                                               \
        for (; j + LANES <= n; j += LANES)                                          \
            for (size_t l = 0; l < LANES; l++) signs[l] |= row[j + l] < 0;          \
        for (; j < n; j++) any |= row[j] < 0;                                       \
        for (size_t l = 0; l < LANES; l++) any |= signs[l];                         \
        return any;                                                                 \
    }                                                                               \
    static type name##_largest(const type *row, size_t n) {                         \
        type largest = 0;                                                           \
        for (size_t j = 0; j < n; j++)                                              \
            if (row[j] > largest && row[j] < (type)INFINITY) largest = row[j];      \
        return largest;                                                             \
    }                                                                               \
    static bool name##_row(type *row, size_t n, size_t own, double tolerance) {     \
        type limit = (type)(tolerance * (double)name##_largest(row, n));            \
        bool noise = own < n && row[own] > 0 && row[own] <= limit;                  \
        if (noise) row[own] = 0;                                                    \
        for (size_t j = 0; j < n; j++)                                              \
            if (row[j] < 0 && row[j] >= -limit) row[j] = 0, noise = true;           \
        return noise;                                                               \
    }                                                                               \
    bool name(type *rows, size_t n, size_t first, size_t count, double tolerance) { \
        bool noise = false;                                                         \
        for (size_t i = first; i < first + count; i++, rows += n)                   \
            if (name##_has_sign(rows, n) || (i < n && rows[i] != 0))                \
                noise |= name##_row(rows, n, i, tolerance);                         \
        return noise;                                                               \
    }

NOISE(float, noise_clear)
NOISE(double, noise_clear_doubles)
