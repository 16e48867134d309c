#include "base/noise.h"

#include <math.h>

/* Of either type. A sign shows without a branch, so that rows without noise cost next to nothing. */
#define NOISE(type, name)                                                           \
    static bool name##_has_sign(const type *row, size_t n) {                        \
        int signs = 0;                                                              \
        for (size_t j = 0; j < n; j++) signs |= row[j] < 0;                         \
        return signs;                                                               \
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
