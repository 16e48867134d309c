// Edges with their heights in place of sums, as keys whose order is theirs (key_of in src/tree/dendrogram.c).
// edges, keyed: {high word, low word, smaller end, larger end}; all bits set: it is none, and stays last.
//   ROOT, factor_low, factor_high: as in index/root.glsl
#include "index/root.glsl"

void kernel(uint group) {
    uint e = group * LOCAL + gl_LocalInvocationIndex;
    if (e >= count) return;
    uvec4 edge = edges(e);
    uvec2 words = distance_of(edge.yx);
    bool none = edge.z == 0xffffffffu;
    keyed_store(e, 0u, none ? edge : uvec4(words.y | 0x80000000u, words.x, edge.zw));
}
