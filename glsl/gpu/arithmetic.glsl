// The self-test of the arithmetic that exact stages rely on (src/gpu/selftest.c judges the results).
#include "lib/two_sum.glsl"

// The square of the 64-bit number (x, y), most significant limb first.
uvec4 square_64(uint x, uint y) {
    uint ll_h, ll_l, xy_h, xy_l, hh_h, hh_l, c1, c2, carry;
    umulExtended(y, y, ll_h, ll_l);
    umulExtended(x, y, xy_h, xy_l);
    umulExtended(x, x, hh_h, hh_l);
    uint limb1 = uaddCarry(ll_h, xy_l, c1);
    limb1 = uaddCarry(limb1, xy_l, c2);
    carry = c1 + c2;
    uint limb2 = uaddCarry(hh_l, xy_h, c1);
    limb2 = uaddCarry(limb2, xy_h, c2);
    uint high = hh_h + c1 + c2;
    limb2 = uaddCarry(limb2, carry, c1);
    return uvec4(high + c1, limb2, limb1, ll_l);
}

void kernel(uint group) {
    uint c = gl_LocalInvocationIndex;
    uvec4 g = given(c);
    float a = uintBitsToFloat(g.x), b = uintBitsToFloat(g.y);
    found_store(4u * c, floatBitsToUint(vec4(two_sum(a, b), two_product(a, b))));
    uint high, low, carry;
    umulExtended(g.z, g.w, high, low);
    uint sum = uaddCarry(g.z, g.w, carry);
    found_store(4u * c + 1u, uvec4(high, low, carry, sum));
    found_store(4u * c + 2u, square_64(g.z, g.w));
    // Doubles with the signs and high bits of a and b, and exponents of -20 … 11 and 0 … 31.
    precise double x = packDouble2x32(uvec2(g.z, (g.x & 0x800fffffu) | ((1003u + (g.w & 31u)) << 20)));
    precise double y = packDouble2x32(uvec2(g.w, (g.y & 0x800fffffu) | ((1023u + (g.z & 31u)) << 20)));
    precise double s = x + y, p = x * y;
    found_store(4u * c + 3u, uvec4(unpackDouble2x32(s), unpackDouble2x32(p)));
}
