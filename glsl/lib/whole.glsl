// Arithmetic of finite doubles, as words, in whole numbers: rounded as IEEE 754 has it, denormal numbers, too, on devices
// that emulate doubles, or have none. Results are finite.
#include "lib/words.glsl"

// A magnitude: m · 2^power, the first bit of m set, unless it is 0.
struct whole {
    uvec2 m;
    int power;
};

uvec2 shifted_left(uvec2 m, int by) {
    if (by == 0) return m;
    return by >= 32 ? uvec2(0u, m.x << uint(by - 32)) : uvec2(m.x << uint(by), m.y << uint(by) | m.x >> uint(32 - by));
}

// The last bit of the result is set if any that fell out was.
uvec2 shifted_right(uvec2 m, int by) {
    if (by <= 0) return m;
    if (by >= 64) return uvec2(uint(m != uvec2(0u)), 0u);
    uvec2 left = by == 32  ? uvec2(m.y, 0u)
                 : by > 32 ? uvec2(m.y >> uint(by - 32), 0u)
                           : uvec2(m.x >> uint(by) | m.y << uint(32 - by), m.y >> uint(by));
    left.x |= uint(shifted_left(left, by) != m);
    return left;
}

whole normal(uvec2 m, int power) {
    if (m == uvec2(0u)) return whole(m, -4096);
    int left = 31 - (m.y != 0u ? findMSB(m.y) : findMSB(m.x) - 32);
    return whole(shifted_left(m, left), power - left);
}

whole magnitude_of(uvec2 words) {
    uint exponent = words.y >> 20 & 0x7ffu;
    uvec2 m = uvec2(words.x, (words.y & 0xfffffu) | (exponent == 0u ? 0u : 0x100000u));
    return normal(m, int(max(exponent, 1u)) - 1075);
}

// The nearest double, the even one of two.
uvec2 rounded(whole a) {
    if (a.m == uvec2(0u)) return uvec2(0u);
    int exponent = a.power + 1086; // as its words have it; of denormal ones not above 0
    uvec2 m = shifted_right(a.m, 1 - exponent);
    uint rest = m.x & 0x7ffu;
    uvec2 words = uvec2(m.x >> 11 | m.y << 21, (m.y >> 11) + (exponent > 0 ? uint(exponent - 1) << 20 : 0u));
    return rest > 0x400u || (rest == 0x400u && (words.x & 1u) != 0u) ? next(words) : words;
}

// The sum of two numbers that are not negative.
uvec2 plus(uvec2 a, uvec2 b) {
    whole x = magnitude_of(is_less(a, b) ? b : a), y = magnitude_of(is_less(a, b) ? a : b);
    uvec2 sum = added(shifted_right(x.m, 1), shifted_right(y.m, min(x.power - y.power + 1, 64)));
    return rounded(normal(sum, x.power + 1));
}

// The distance |a - b|.
uvec2 difference(uvec2 a, uvec2 b) {
    uvec2 c = uvec2(a.x, a.y & 0x7fffffffu), d = uvec2(b.x, b.y & 0x7fffffffu);
    if (((a.y ^ b.y) & 0x80000000u) != 0u) return plus(c, d);
    whole x = magnitude_of(is_less(c, d) ? d : c), y = magnitude_of(is_less(c, d) ? c : d);
    return rounded(normal(subtracted(x.m, shifted_right(y.m, min(x.power - y.power, 64))), x.power));
}

// The product of two numbers that are not negative.
uvec2 times(uvec2 a, uvec2 b) {
    whole x = magnitude_of(a), y = magnitude_of(b);
    uint low, low_high, high_low, middle, carry, high, more;
    umulExtended(x.m.x, y.m.x, middle, low);
    umulExtended(x.m.y, y.m.y, high, more);
    umulExtended(x.m.x, y.m.y, high_low, low_high);
    middle += low_high;
    carry = uint(middle < low_high);
    uvec2 m = added(uvec2(more, high), uvec2(high_low, 0u));
    umulExtended(x.m.y, y.m.x, high_low, low_high);
    middle += low_high;
    carry += uint(middle < low_high);
    m = added(added(m, uvec2(high_low, 0u)), uvec2(carry, 0u));
    bool is_high = (m.y & 0x80000000u) != 0u;
    int power = x.power + y.power + 64;
    if (!is_high) m = uvec2(m.x << 1 | middle >> 31, m.y << 1 | m.x >> 31), middle <<= 1, power--;
    m.x |= uint((low | middle) != 0u);
    return rounded(m == uvec2(0u) ? whole(m, -4096) : whole(m, power));
}

// The square root of a number that is not negative: two digits at a time, one more than the result has.
uvec2 root(uvec2 a) {
    whole x = magnitude_of(a);
    if (x.m == uvec2(0u)) return uvec2(0u);
    bool is_odd = ((x.power + 63) & 1) != 0; // x.m is 64 bits in front of a point: from 1 to 4
    uvec2 digits = is_odd ? x.m : shifted_right(x.m, 1), rest = uvec2(0u), found = uvec2(0u);
    for (uint bit = 0u; bit < 54u; bit++) {
        rest = uvec2(rest.x << 2 | digits.y >> 30, rest.y << 2 | rest.x >> 30);
        digits = uvec2(digits.x << 2, digits.y << 2 | digits.x >> 30);
        uvec2 trial = uvec2(found.x << 2 | 1u, found.y << 2 | found.x >> 30);
        found = twice(found);
        if (!is_less(rest, trial)) {
            rest = subtracted(rest, trial);
            found.x |= 1u;
        }
    }
    found = shifted_left(found, 10); // 54 bits become 64
    found.x |= uint(rest != uvec2(0u));
    int half_power = (x.power + 63 - int(is_odd)) / 2; // of the first bit
    return rounded(whole(found, half_power - 63));
}
