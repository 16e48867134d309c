// |a - b|, |a| + |b|, |a| · |b| and the root of |a|.
#include "lib/whole.glsl"

void kernel(uint group) {
    uint c = group * LOCAL + gl_LocalInvocationIndex;
    if (c >= cases) return;
    uvec2 a = given(c).xy, b = given(c).zw, x = uvec2(a.x, a.y & 0x7fffffffu), y = uvec2(b.x, b.y & 0x7fffffffu);
    found_store(c, 0u, uvec4(difference(a, b), plus(x, y)));
    found_store(c, 1u, uvec4(times(x, y), root(x)));
}
