// Normalized stress (equation 1.1) over all pairs. A group takes 4·LOCAL points (columns, four an invocation)
// against up to span others (rows, four at a time), and writes Σw(d-δ)² and Σwδ² of its pairs row < column into
// element `group` of partial. Every texel of the layout that is fetched serves four pairs.
#include "lib/barrier.glsl"
#include "dist/source.glsl"
#include "mds/place.glsl"
#include "mds/weights.glsl"

shared vec2 sums[LOCAL];

void layout_distances(uvec4 i, uvec4 j, out vec4 of[4]) {
    for (int k = 0; k < 4; k++) of[k] = vec4(0);
    for (uint t = 0u; t < PLACE_TEXELS; t++) {
        vec4 a = place_in(j.x, t), b = place_in(j.y, t), c = place_in(j.z, t), d = place_in(j.w, t);
        for (int k = 0; k < 4; k++) {
            vec4 x = place_in(i[k], t);
            of[k] += vec4(dot(x - a, x - a), dot(x - b, x - b), dot(x - c, x - c), dot(x - d, x - d));
        }
    }
    for (int k = 0; k < 4; k++) of[k] = sqrt(of[k]);
}

vec2 compare(uvec4 i, uvec4 j) {
    vec4 delta[4], d[4];
    uvec4 last = uvec4(n - 1u);
    dissimilarities(min(i, last), min(j, last), delta);
    layout_distances(min(i, last), min(j, last), d);
    vec2 sum = vec2(0);
    for (int k = 0; k < 4; k++) {
        vec4 counts =
            vec4(lessThan(uvec4(i[k]), j)) * vec4(lessThan(j, uvec4(n))) * vec4(lessThan(delta[k], vec4(NONE)));
        vec4 known = mix(vec4(0), delta[k], greaterThan(counts, vec4(0))), rest = d[k] - known;
        vec4 w = weight(min(i[k], n - 1u), min(j, last));
        sum += vec2(dot(w * rest * rest, counts), dot(w * known, known));
    }
    return sum;
}

void kernel(uint group) {
    uint k = gl_LocalInvocationIndex, j0 = 4u * LOCAL * (group / chunks);
    uvec4 j = j0 + k + LOCAL * uvec4(0, 1, 2, 3);
    uint first = span * (group % chunks), last = min(first + span, min(j0 + 4u * LOCAL, n));
    vec2 sum = vec2(0);
    for (uint i = first; i < last; i += 4u) sum += compare(i + uvec4(0, 1, 2, 3), j);
    sums[k] = sum;
    for (uint width = LOCAL / 2u; width > 0u; width /= 2u) {
        group_barrier();
        if (k < width) sums[k] += sums[k + width];
    }
    if (k == 0u) partial_store(group, sums[0]);
}
