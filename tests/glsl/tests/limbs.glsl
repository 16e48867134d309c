// a·b + c - d of integers that are doubles, and its sign.
#include "exact/limbs.glsl"

void kernel(uint group) {
    uint c = group * LOCAL + gl_LocalInvocationIndex;
    if (c >= cases) return;
    uvec4 ab = given(c, 0u), cd = given(c, 1u);
    limbs r = limbs_mul(limbs_of(ab.xy), limbs_of(ab.zw));
    r = limbs_sub(limbs_add(r, limbs_of(cd.xy)), limbs_of(cd.zw));
    for (uint i = 0u; i < LIMBS; i++) found_store(c, i, r.limb[i]);
    found_store(c, LIMBS, uint(limbs_sign(r)));
}
