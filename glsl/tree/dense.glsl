// Finds the nearest vertex of another component for each vertex, a group a vertex, from its row of a matrix or from a list. If the
// candidate of the round before is still in another component, it is still the nearest: components only grow.
//   PACKED 0: matrix has n·n elements; 1: n elements, four values a texel; 2: no matrix, but lists: starts, of each point and one
//   more; of each place of a list neighbors and lengths. Vertex v is point n - 1 - v.
#include "lib/barrier.glsl"
#include "lib/ordered.glsl"

#if PACKED < 0 || PACKED > 2
#error PACKED must be 0, 1 or 2
#endif

#if PACKED == 2
#define maximum 0u
#endif

shared uvec2 best[LOCAL];

uvec2 lesser(uvec2 a, uvec2 b) { return b.x < a.x || (b.x == a.x && b.y < a.y) ? b : a; }

void consider(inout uvec2 least, float value, uint j, uint own) {
    if (j >= n || !(value < 3e38) || label(j) == own) return;
    uint k = ordered(value);
    least = lesser(least, uvec2(maximum != 0u ? ~k : k, j));
}

void kernel(uint v) {
    uint me = gl_LocalInvocationIndex, own = label(v), was = to_load(v);
    if (was != 0xffffffffu && label(was) != own) return;
    uvec2 least = uvec2(0xffffffffu);
#if PACKED == 2
    uint point = n - 1u - v, end = starts(point + 1u);
    for (uint t = starts(point) + me; t < end; t += LOCAL) consider(least, lengths(t), n - 1u - neighbors(t), own);
#elif PACKED
    for (uint t = me; 4u * t < n; t += LOCAL) {
        vec4 four = matrix(v, t);
        for (uint k = 0u; k < 4u; k++) consider(least, four[k], 4u * t + k, own);
    }
#else
    for (uint j = me; j < n; j += LOCAL) consider(least, matrix(v * n + j), j, own);
#endif
    best[me] = least;
    for (uint left = LOCAL / 2u; left > 0u; left /= 2u) {
        group_barrier();
        if (me < left) best[me] = lesser(best[me], best[me + left]);
    }
    if (me != 0u) return;
    key_store(v, best[0].x);
    to_store(v, best[0].y);
}
