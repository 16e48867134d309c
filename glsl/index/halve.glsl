// Coordinates in single precision, for walks that look for candidates.
//   PAIRS 0: all are floats; 1: each is the sum of two
//   BOXES 0: halved gets rows: of each point the coordinates, then their rests; zeros behind
//         1: halved gets boxes: of each node and column the least and the greatest value, then their rests; without rests
//            two columns are in a texel
#include "index/halves.glsl"

#if BOXES
vec4 ends_of(uint v, uint column) {
    uvec4 box = column < columns ? boxes(v, column) : uvec4(0u);
    vec2 low = halves(box.xy), high = halves(box.zw);
    return vec4(low.x, high.x, low.y, high.y);
}

vec4 texel_of(uint v, uint t) {
#if PAIRS
    return ends_of(v, t);
#else
    return vec4(ends_of(v, 2u * t).xy, ends_of(v, 2u * t + 1u).xy);
#endif
}
#else
float word_of(uint position, uint word) {
    uint column = word < columns ? word : word - columns;
    if (column >= columns) return 0.0;
    uvec4 texel = rows(position, column / 2u);
    vec2 parts = halves(column % 2u == 0u ? texel.xy : texel.zw);
    return word < columns ? parts.x : parts.y;
}

vec4 texel_of(uint e, uint t) {
    return vec4(word_of(e, 4u * t), word_of(e, 4u * t + 1u), word_of(e, 4u * t + 2u), word_of(e, 4u * t + 3u));
}
#endif

void kernel(uint group) {
    uint e = group * LOCAL + gl_LocalInvocationIndex;
    if (e >= count) return;
    for (uint t = 0u; t < texels; t++) halved_store(e, t, texel_of(e, t));
}
