// The stages of exact/predicates.glsl, one after another, of four points: in_circle and orient2d (of the last three).
#include "exact/predicates.glsl"

void kernel(uint group) {
    uint c = group * LOCAL + gl_LocalInvocationIndex;
    if (c >= cases) return;
    uvec4 p[4] = uvec4[4](given(c, 0u), given(c, 1u), given(c, 2u), given(c, 3u));
    found_store(c, 0u, uint(in_circle(p[0], p[1], p[2], p[3])));
    found_store(c, 1u, uint(orient2d(p[1], p[2], p[3])));
    found_store(c, 2u, uint(pair_sign(p, true)));
    found_store(c, 3u, uint(pair_sign(p, false)));
    found_store(c, 4u, uint(wide_determinant(p, true)));
    found_store(c, 5u, uint(wide_determinant(p, false)));
}
