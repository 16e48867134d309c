// The pairs of edges and the squares that end them, by their owners: {vertex, key, key, vertex}, the second two of all bits
// where nothing ends the edge, or no pass knows.
#include "cubical/pivots.glsl"

void kernel(uint group) {
    uint e = group * LOCAL + gl_LocalInvocationIndex;
    if (e >= count) return;
    uvec2 column = columns(e, 0u);
    uint v = edges(e, 0u).x, w = (column.y & SETTLED) != 0u ? entries(column.x, 0u).x : NONE;
    pairs_store(e, 0u, uvec4(v, key(v), w == NONE ? NONE : key(w), w));
}
