#include "alpha/keys.h"

#include "alpha/mantissa.h"
#include "alpha/sides.h"

/* The first 64 bits of a, which is positive. */
static inline number number_of_small(uint128 a) {
    bool wide = a >> 64;
    uint64_t high = (uint64_t)(a >> 64), low = (uint64_t)a, top = wide ? high : low;
    int left = __builtin_clzll(top);
    return (number){(uint64_t)(a << (wide ? left : 64 + left) >> 64), (wide ? 127 : 63) - left};
}

static inline number number_of(wide a) {
    if (!a.high) return number_of_small(a.low);
    bool wide = a.high >> 64;
    uint64_t top = (uint64_t)(wide ? a.high >> 64 : a.high), next = (uint64_t)(wide ? a.high : a.low >> 64);
    int left = __builtin_clzll(top);
    uint128 both = (uint128)top << 64 | next;
    return (number){(uint64_t)(both << left >> 64), (wide ? 255 : 191) - left};
}

/* ---- keys -------------------------------------------------------------------------------------- */

static inline uint64_t key_of(number x) { return (uint64_t)x.e << 54 | x.m << 1 >> 10; }

static inline uint64_t edge_key(const double *a, const double *b) {
    side s;
    set_side(&s, a, b, false);
    return key_of(number_of(squared_length(&s)));
}

static inline uint64_t triangle_key(const double *const p[3], unsigned *obtuse) {
    side s[3];
    number x = {UINT64_C(1) << 63, 0};
    for (int k = 0; k < 3; k++) {
        set_side(&s[k], p[k], p[(k + 1) % 3], false);
        x = product(x, number_of(squared_length(&s[k])));
    }
    number area = number_of(area_of(&s[0], &s[1]));
    *obtuse = 0;
    for (int k = 0; k < 3; k++) /* between sides k and k + 1 lies corner k + 1 */
        *obtuse |= (unsigned)is_dot_positive(&s[k], &s[(k + 1) % 3]) << (k + 1) % 3;
    return key_of(quotient(x, product(area, area)));
}

/* ---- keys of small coordinates: their products have less than 127 bits ------------------------------ */

__extension__ typedef __int128 int128;

typedef struct small_side {
    int64_t x, y;
} small_side;

static inline small_side small_side_of(const double *a, const double *b) {
    return (small_side){(int64_t)b[0] - (int64_t)a[0], (int64_t)b[1] - (int64_t)a[1]};
}

static inline int128 dot(small_side a, small_side b) { return (int128)a.x * b.x + (int128)a.y * b.y; }

static inline uint64_t small_edge_key(const double *a, const double *b) {
    small_side s = small_side_of(a, b);
    return key_of(number_of_small((uint128)dot(s, s)));
}

static inline uint64_t small_triangle_key(const double *const p[3], unsigned *obtuse) {
    small_side s[3];
    number x = {UINT64_C(1) << 63, 0};
    for (int k = 0; k < 3; k++) {
        s[k] = small_side_of(p[k], p[(k + 1) % 3]);
        x = product(x, number_of_small((uint128)dot(s[k], s[k])));
    }
    int128 twice = (int128)s[0].x * s[1].y - (int128)s[0].y * s[1].x;
    number area = number_of_small((uint128)(twice < 0 ? -twice : twice));
    *obtuse = 0;
    for (int k = 0; k < 3; k++) *obtuse |= (unsigned)(dot(s[k], s[(k + 1) % 3]) > 0) << (k + 1) % 3;
    return key_of(quotient(x, product(area, area)));
}

/* ---- all --------------------------------------------------------------------------------------- */

uint64_t alpha_edge_key(const alpha_faces *faces, uint32_t edge) {
    const uint32_t *v = faces->ends + 2 * (size_t)edge;
    const double *a = faces->points->xy + 2 * (size_t)v[0], *b = faces->points->xy + 2 * (size_t)v[1];
    return is_small(a) && is_small(b) ? small_edge_key(a, b) : edge_key(a, b);
}

uint64_t alpha_triangle_key(const alpha_faces *faces, uint32_t triangle, unsigned *obtuse) {
    const uint32_t *v = faces->vertex + 3 * (size_t)triangle;
    const double *xy = faces->points->xy;
    const double *const p[3] = {xy + 2 * (size_t)v[0], xy + 2 * (size_t)v[1], xy + 2 * (size_t)v[2]};
    return is_small(p[0]) && is_small(p[1]) && is_small(p[2]) ? small_triangle_key(p, obtuse)
                                                              : triangle_key(p, obtuse);
}
