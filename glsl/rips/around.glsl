// The points that may make cofacets, AT_ONCE of them by one look. LISTS 0: all points, by whole texels of the matrix. LISTS 1: the
// neighbors of one vertex, by one texel each; their distances are in the matrix, too. LISTS 2: the same, and all distances are in lists.
#ifndef LISTS
#define LISTS 0
#endif

#if LISTS == 2
#include "rips/lists.glsl"
#endif

struct points_around {
    uint first, looks;
};

#if LISTS
const uint AT_ONCE = 1u;

points_around around_point(uint v) {
    uint begin = start(v);
    return points_around(begin, min(start(v + 1u) - begin, n));
}
points_around fewer(points_around a, points_around b) { return a.looks < b.looks ? a : b; }
uint point_of(points_around all, uint q, uint c) { return neighbors(all.first + q); }

#if LISTS == 2
vec4 distances(uint v, points_around all, uint q) {
    uint k = all.first + q;
    return vec4(start(v) == all.first ? lengths(k) : edge_length(v, neighbors(k)));
}
#else
vec4 distances(uint v, points_around all, uint q) {
    uint w = point_of(all, q, 0u);
    vec4 some = dist(v, w / 4u);
    return vec4((w & 2u) == 0u ? ((w & 1u) == 0u ? some.x : some.y) : (w & 1u) == 0u ? some.z : some.w);
}
#endif
#else
const uint AT_ONCE = 4u;

points_around around_point(uint v) { return points_around(0u, (n + 3u) / 4u); }
points_around fewer(points_around a, points_around b) { return a; }
uint point_of(points_around all, uint q, uint c) { return 4u * q + c; }
vec4 distances(uint v, points_around all, uint q) { return dist(v, q); }
#endif
