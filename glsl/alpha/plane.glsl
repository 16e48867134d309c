// Points as integers of lib/limbs.glsl, and differences of them. Port: points (the bits of two doubles, low word
// first). Loops whose ends the data decide keep programs small: compilers do not unroll them.
#include "lib/limbs.glsl"

const uint HULL = 0xffffffffu;

struct span {
    limbs x, y;
};

span between(uint a, uint b) {
    uvec4 from = points(a), to = points(b);
    return span(limbs_sub(limbs_of(to.xy), limbs_of(from.xy)), limbs_sub(limbs_of(to.zw), limbs_of(from.zw)));
}

limbs inner(span a, span b) { return limbs_add(limbs_mul(a.x, b.x), limbs_mul(a.y, b.y)); }
