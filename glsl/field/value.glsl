// The values of keys, as doubles, the low word first. kind: 0: values of 0; else keys, xored with flip, are 1: of floats, 2: of
// signed, 3: of unsigned integers.
#include "lib/as_double.glsl"

// Denormal floats are normal doubles.
uvec2 double_of_float(uint bits) {
    uint power = bits >> 23 & 0xffu, rest = bits & 0x7fffffu, sign = bits & 0x80000000u;
    uvec2 small = as_double(rest); // rest * 2^-149
    if (power == 0u) return rest == 0u ? uvec2(0u, sign) : uvec2(small.x, small.y - (149u << 20) | sign);
    return uvec2(rest << 29, rest >> 3 | (power == 255u ? 2047u : power + 896u) << 20 | sign);
}

uvec2 value_of(uint ordered) {
    uint k = ordered ^ flip, one = k ^ 0x80000000u;
    if (kind == 1u) return double_of_float((k & 0x80000000u) != 0u ? one : ~k);
    if (kind == 2u) return int(one) < 0 ? as_double(0u - one) | uvec2(0u, 0x80000000u) : as_double(one);
    return kind == 3u ? as_double(k) : uvec2(0u);
}
