#include "alpha/keys.h"

#include "alpha/mantissa.h"
#include "alpha/sides.h"

/* The first 64 bits of a, which is positive. */
static inline number number_of(wide a) {
    uint64_t limb[5] = {0, (uint64_t)a.low, (uint64_t)(a.low >> 64), (uint64_t)a.high,
                        (uint64_t)(a.high >> 64)};
    int top = 4;
    while (!limb[top]) top--;
    int left = __builtin_clzll(limb[top]);
    uint64_t rest = left ? limb[top - 1] >> (64 - left) : 0;
    return (number){limb[top] << left | rest, 64 * top - 1 - left};
}

/* ---- keys -------------------------------------------------------------------------------------- */

static inline uint64_t key_of(number x) { return (uint64_t)x.e << 54 | x.m << 1 >> 10; }

static inline uint64_t edge_key(const double *a, const double *b, bool small) {
    side s;
    set_side(&s, a, b, small);
    return key_of(number_of(squared_length(&s)));
}

static inline uint64_t triangle_key(const double *const p[3], unsigned *obtuse, bool small) {
    side s[3];
    number x = {UINT64_C(1) << 63, 0};
    for (int k = 0; k < 3; k++) {
        set_side(&s[k], p[k], p[(k + 1) % 3], small);
        x = product(x, number_of(squared_length(&s[k])));
    }
    number area = number_of(area_of(&s[0], &s[1]));
    *obtuse = 0;
    for (int k = 0; k < 3; k++) /* between sides k and k + 1 lies corner k + 1 */
        *obtuse |= (unsigned)is_dot_positive(&s[k], &s[(k + 1) % 3]) << (k + 1) % 3;
    return key_of(quotient(x, product(area, area)));
}

uint64_t alpha_edge_key(const alpha_faces *faces, uint32_t edge) {
    const uint32_t *v = faces->ends + 2 * (size_t)edge;
    const double *a = faces->points->xy + 2 * (size_t)v[0], *b = faces->points->xy + 2 * (size_t)v[1];
    return is_small(a) && is_small(b) ? edge_key(a, b, true) : edge_key(a, b, false);
}

uint64_t alpha_triangle_key(const alpha_faces *faces, uint32_t triangle, unsigned *obtuse) {
    const uint32_t *v = faces->vertex + 3 * (size_t)triangle;
    const double *xy = faces->points->xy;
    const double *const p[3] = {xy + 2 * (size_t)v[0], xy + 2 * (size_t)v[1], xy + 2 * (size_t)v[2]};
    return is_small(p[0]) && is_small(p[1]) && is_small(p[2]) ? triangle_key(p, obtuse, true)
                                                              : triangle_key(p, obtuse, false);
}
