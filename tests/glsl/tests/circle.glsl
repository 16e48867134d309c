// The sign of delaunay/circle.glsl for four points, if they are whole, and if parts of units were cut off.
#include "delaunay/circle.glsl"

void kernel(uint group) {
    uint c = group * LOCAL + gl_LocalInvocationIndex;
    if (c >= cases) return;
    for (uint whole = 0u; whole < 2u; whole++)
        found_store(c, whole, uint(in_circle(given(c, 0u), given(c, 1u), given(c, 2u), given(c, 3u), whole == 1u)));
}
