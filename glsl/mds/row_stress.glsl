// Normalized stress (equation 1.1) of rows of a matrix: a group takes row first + group, element `group` of given
// (and, if WEIGHTED, of weights), against all later points. Here points are in the order of the matrix.
#include "lib/barrier.glsl"
#include "dist/source.glsl"
#include "mds/place.glsl"

shared vec2 sums[LOCAL];

void kernel(uint group) {
    uint k = gl_LocalInvocationIndex, i = first + group;
    vec2 sum = vec2(0);
    for (uint t = i / 4u + k; 4u * t < n; t += LOCAL) {
        vec4 delta = given(group, t);
        uvec4 j = 4u * t + uvec4(0, 1, 2, 3), safe = min(j, uvec4(n - 1u));
        bvec4 counts = lessThan(delta, vec4(NONE));
        for (int c = 0; c < 4; c++) counts[c] = counts[c] && j[c] > i && j[c] < n;
        vec4 known = mix(vec4(0), delta, counts), rest = mix(vec4(0), layout_distance(i, safe) - known, counts);
#if WEIGHTED
        vec4 w = mix(vec4(0), weights(group, t), counts);
#else
        const vec4 w = vec4(1);
#endif
        sum += vec2(dot(w * rest, rest), dot(w * known, known));
    }
    sums[k] = sum;
    for (uint width = LOCAL / 2u; width > 0u; width /= 2u) {
        group_barrier();
        if (k < width) sums[k] += sums[k + width];
    }
    if (k == 0u) partial_store(group, sums[0]);
}
