// Normalized stress, sampled: for each point Σw(d-δ)² and Σwδ² over 64 partners (equation 1.1 restricted to them).
#include "dist/source.glsl"
#include "mds/place.glsl"
#include "mds/partners.glsl"
#include "mds/weights.glsl"

void kernel(uint e) {
    uint start = perm(e);
    vec2 sums = vec2(0);
    for (uint k = 0u; k < 64u; k += 4u) {
        uvec4 j = partners(start, offset + k, m);
        vec4 delta = dissimilarity(e, j, k / 4u);
        bvec4 counts = lessThan(delta, vec4(NONE));
        vec4 known = mix(vec4(0), delta, counts), rest = mix(vec4(0), layout_distance(e, j) - known, counts);
        vec4 w = weight(e, j);
        sums += vec2(dot(w * rest, rest), dot(w * known, known));
    }
    terms = sums;
}
