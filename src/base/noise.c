#include "base/noise.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* Whether a sign bit is set. */
static bool has_sign(const float *row, size_t n) {
    uint32_t signs = 0;
    for (size_t j = 0; j < n; j++) {
        uint32_t bits;
        memcpy(&bits, &row[j], sizeof bits);
        signs |= bits;
    }
    return signs >> 31;
}

static float largest_finite(const float *row, size_t n) {
    float largest = 0;
    for (size_t j = 0; j < n; j++)
        if (row[j] > largest && row[j] < INFINITY) largest = row[j];
    return largest;
}

static bool clear_row(float *row, size_t n, size_t own, double tolerance) {
    float limit = (float)(tolerance * largest_finite(row, n));
    bool noise = own < n && row[own] > 0 && row[own] <= limit;
    if (noise) row[own] = 0;
    for (size_t j = 0; j < n; j++)
        if (row[j] < 0 && row[j] >= -limit) row[j] = 0, noise = true;
    return noise;
}

bool noise_clear(float *rows, size_t n, size_t first, size_t count, double tolerance) {
    bool noise = false;
    for (size_t i = first; i < first + count; i++, rows += n)
        if (has_sign(rows, n) || (i < n && rows[i] != 0)) noise |= clear_row(rows, n, i, tolerance);
    return noise;
}
