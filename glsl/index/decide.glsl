// Compares the candidates that near.glsl has found in double, and brings the nearest `nearest` of each query to the place
// of its index, as finish.glsl does. A query is uncertain if a point that was left out may be as near as the last of them;
// uncertain_list gets its position.
//   KEEP: the size of the list in registers, at least `keep`, the number of candidates
//   WHOLE 0: by doubles; 1: the same bits by whole numbers
// relative, absolute: of a distance in single precision: how far it may be off, in parts of it and beside that
#include "lib/words.glsl"
#if WHOLE
#include "lib/whole.glsl"

uvec2 add_square(uvec2 s, uvec2 a, uvec2 b) {
    uvec2 d = difference(a, b);
    return plus(s, times(d, d));
}

uvec2 distance_of(uvec2 s) {
#if ROOT
    s = root(s);
#endif
    return times(s, uvec2(factor_low, factor_high));
}
#else
#define POWER 2
#include "index/root.glsl"
#include "lib/norm.glsl"

uvec2 add_square(uvec2 s, uvec2 a, uvec2 b) {
    precise double d = packDouble2x32(a) - packDouble2x32(b);
    return unpackDouble2x32(add(packDouble2x32(s), d));
}
#endif
#define NONE 0xffffffffu

uvec2 best[KEEP]; // sums, as words
uint index_at[KEEP];

uint index_in(uvec4 texel) { return columns % 2u == 0u ? texel.x : texel.z; }

uvec2 sum_of(uint query, uint position) {
    uvec2 s = uvec2(0u);
    for (uint c = 0u; c < columns; c++) {
        uvec4 a = queries(query, c / 2u), b = rows(position, c / 2u);
        s = c % 2u == 0u ? add_square(s, a.xy, b.xy) : add_square(s, a.zw, b.zw);
    }
    return s;
}

// clang-format off
#define SETTLE(at) { uvec2 b = best[at]; uint i = index_at[at]; if (is_less(s, b) || (s == b && p < i)) { best[at] = s; index_at[at] = p; s = b; p = i; } }
// clang-format on

void take(uvec2 s, uint p) {
#repeat KEEP SETTLE(@)
}

uvec2 last_sum; // of the nearest
void store(uint query, uint a, uvec2 sum, uint index) {
    index_store(query, a, index);
    distances_store(query, a, distance_of(sum));
    last_sum = sum;
}

// One call stores all, because compilers write calls out, and a root is long.
void store_all(uint query) {
    for (uint a = 0u; a < nearest; a++) {
        uvec2 sum = uvec2(0u);
        uint index = 0u;
#repeat KEEP if (a == uint(@)) { sum = best[@]; index = index_at[@]; }
        store(query, a, sum, index);
    }
}

// A float that is greater, if that can be; no denormal one.
float above(uvec2 words) {
    int power = int(words.y >> 20) - 896;
    if (power <= 0) return uintBitsToFloat(0x800000u);
    if (power > 254) return uintBitsToFloat(0x7f800000u);
    return uintBitsToFloat((uint(power) << 23 | (words.y & 0xfffffu) << 3 | words.x >> 29) + 1u);
}

// What roots and products may be off.
#define MARGIN 1e-6

bool is_certain(uint e) {
    if (found(e, keep - 1u) == NONE) return true; // all points are candidates
    float least = sqrt(near_sums(e, keep - 1u)) * (1.0 - MARGIN - relative) - absolute;
    return sqrt(above(last_sum)) * (1.0 + MARGIN) < least;
}

void kernel(uint group) {
    uint e = group * LOCAL + gl_LocalInvocationIndex;
    if (e >= count) return;
#repeat KEEP best[@] = uvec2(0u, 0x7ff00000u); index_at[@] = NONE;
    for (uint a = 0u; a < keep; a++) {
        uint position = found(e, a);
        if (position != NONE) take(sum_of(first + e, position), index_in(rows(position, columns / 2u)));
    }
    uint query = index_in(queries(first + e, columns / 2u));
    store_all(query);
    if (!is_certain(e)) uncertain_list_store(uncertain_atomic_add(0u, 1u), 0u, first + e);
}
