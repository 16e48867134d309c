// The owners of the squares that end edges; NONE where nothing ends one, or no pass knows.
#include "cubical/pivots.glsl"

void kernel(uint group) {
    uint e = group * LOCAL + gl_LocalInvocationIndex;
    if (e >= count) return;
    uvec2 column = columns(e, 0u);
    ends_store(e, 0u, (column.y & SETTLED) != 0u ? entries(column.x, 0u).x : NONE);
}
