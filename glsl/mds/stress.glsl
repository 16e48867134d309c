// Normalized stress (equation 1.1) over all pairs. A group takes 4·LOCAL points (columns, four an invocation)
// against up to SPAN others (rows, four at a time), and writes Σ(d-δ)² and Σδ² of its pairs row < column into
// element `group` of partial. Every fetched texel serves four pairs.
#include "dist/points.glsl"

const uint SPAN = 1024u;
shared vec2 sums[LOCAL];

uvec4 column;  // of this invocation
vec4 delta[4], d[4];  // [row][column]: sums so far of both distances

void compare_rows(uvec4 row) {
    for (int r = 0; r < 4; r++) delta[r] = d[r] = vec4(0);
    for (uint t = 0u; t < TEXELS; t++) {
        vec4 a = points(column.x, t), b = points(column.y, t), c = points(column.z, t), e = points(column.w, t);
        for (int r = 0; r < 4; r++) {
            vec4 x = points(row[r], t);
            delta[r] += vec4(accumulate(x - a), accumulate(x - b), accumulate(x - c), accumulate(x - e));
        }
    }
    for (uint t = 0u; t < PLACE_TEXELS; t++) {
        vec4 a = place_in(column.x, t), b = place_in(column.y, t), c = place_in(column.z, t), e = place_in(column.w, t);
        for (int r = 0; r < 4; r++) {
            vec4 x = place_in(row[r], t);
            d[r] += vec4(dot(x - a, x - a), dot(x - b, x - b), dot(x - c, x - c), dot(x - e, x - e));
        }
    }
}

void kernel(uint group) {
    uint k = gl_LocalInvocationIndex, j0 = 4u * LOCAL * (group / chunks);
    uvec4 j = j0 + k + LOCAL * uvec4(0, 1, 2, 3);
    column = min(j, uvec4(n - 1u));
    uint first = SPAN * (group % chunks), last = min(first + SPAN, min(j0 + 4u * LOCAL, n));
    vec2 sum = vec2(0);
    for (uint i = first; i < last; i += 4u) {
        compare_rows(min(i + uvec4(0, 1, 2, 3), uvec4(n - 1u)));
        for (uint r = 0u; r < 4u; r++) {
            vec4 known = finish(delta[r]), rest = sqrt(d[r]) - known;
            vec4 counts = vec4(lessThan(uvec4(i + r), j)) * vec4(lessThan(j, uvec4(n)));
            sum += vec2(dot(rest * rest, counts), dot(known * known, counts));
        }
    }
    sums[k] = sum;
    for (uint width = LOCAL / 2u; width > 0u; width /= 2u) {
        memoryBarrierShared();
        barrier();
        if (k < width) sums[k] += sums[k + width];
    }
    if (k == 0u) partial_store(group, sums[0]);
}
