// Compares the candidates that near.glsl has found in double, and brings the nearest `nearest` of each query to the place
// of its index, as finish.glsl does. A query is uncertain if a point that was left out may be as near as the last of them;
// uncertain_list gets its position.
//   KEEP: the size of the list in registers, at least `keep`, the number of candidates
// relative, absolute: of a distance in single precision: how far it may be off, in parts of it and beside that
#define POWER 2
#include "lib/norm.glsl"
#include "index/root.glsl"
#define NONE 0xffffffffu

uvec2 best[KEEP]; // sums, as words
uint index_at[KEEP];

uint index_in(uvec4 texel) { return columns % 2u == 0u ? texel.x : texel.z; }

double sum_of(uint query, uint position) {
    double s = 0.0lf;
    for (uint c = 0u; c < columns; c += 2u) {
        uvec4 a = queries(query, c / 2u), b = rows(position, c / 2u);
        precise double d = packDouble2x32(a.xy) - packDouble2x32(b.xy),
                       d2 = packDouble2x32(a.zw) - packDouble2x32(b.zw);
        s = add(s, d);
        if (c + 1u < columns) s = add(s, d2);
    }
    return s;
}

// clang-format off
#define SETTLE(at) { double b = packDouble2x32(best[at]); uint i = index_at[at]; if (s < b || (s == b && p < i)) { best[at] = unpackDouble2x32(s); index_at[at] = p; s = b; p = i; } }
// clang-format on

void take(double s, uint p) {
#repeat KEEP SETTLE(@)
}

uvec2 last_sum; // of the nearest
void store(uint a, uint query) {
    if (a >= nearest) return;
    index_store(query, a, index_at[a]);
    distances_store(query, a, distance_of(best[a]));
    last_sum = best[a];
}

bool is_certain(uint e) {
    if (found(e, keep - 1u) == NONE) return true; // all points are candidates
    double least = sqrt(double(near_sums(e, keep - 1u))) * (1.0lf - double(relative)) - double(absolute);
    return sqrt(packDouble2x32(last_sum)) * (1.0lf + 1e-9lf) < least;
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
#repeat KEEP store(uint(@), query);
    if (!is_certain(e)) uncertain_list_store(uncertain_atomic_add(0u, 1u), 0u, first + e);
}
