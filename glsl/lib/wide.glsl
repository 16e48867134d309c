// Integers of `words` 32-bit words in two's complement, the least significant first, in registers: for
// predicates that are rarely needed. Loops are as long as `words` (no constant) says, so a shader stays small
// and compiles fast; lib/limbs.glsl, of a constant length, runs faster. All is mod 2^(32·words). Who includes this
// defines REGISTERS, and WIDEST, the most words.
#pragma optionNV(unroll none) // see lib/limbs.glsl
uint wide[REGISTERS * WIDEST];

// Bits p … p+31 of the 64-bit number (low, high); 0 where there are none.
uint wide_window(uint low, uint high, int p) {
    if (p <= -32 || p >= 64) return 0u;
    if (p >= 32) return high >> uint(p - 32);
    if (p < 0) return low << uint(-p);
    return p == 0 ? low : (low >> uint(p)) | (high << uint(32 - p));
}

// Word i of the magnitude of an integer that is a double (x low y high).
uint wide_word(uvec2 bits, uint i) {
    int exponent = int((bits.y >> 20u) & 0x7ffu);
    uint high = exponent == 0 ? 0u : (bits.y & 0xfffffu) | 0x100000u;
    return wide_window(bits.x, high, 32 * int(i) - (exponent - 1075));
}

// r = ±a ± b: the signs of doubles, the second one's turned.
void wide_difference(uint r, uvec2 a, uvec2 b) {
    uint flip_a = uint(int(a.y) >> 31), flip_b = ~uint(int(b.y) >> 31), carry = (flip_a & 1u) + (flip_b & 1u);
    for (uint i = 0u; i < words; i++) {
        uint first, second, sum = uaddCarry(wide_word(a, i) ^ flip_a, wide_word(b, i) ^ flip_b, first);
        wide[r * words + i] = uaddCarry(sum, carry, second);
        carry = first + second;
    }
}

// r = a + b, or a - b.
void wide_add(uint r, uint a, uint b, bool subtract) {
    uint flip = subtract ? 0xffffffffu : 0u, carry = flip & 1u;
    for (uint i = 0u; i < words; i++) {
        uint first, second, sum = uaddCarry(wide[a * words + i], wide[b * words + i] ^ flip, first);
        wide[r * words + i] = uaddCarry(sum, carry, second);
        carry = first + second;
    }
}

// r = a · b; r is neither of them.
void wide_mul(uint r, uint a, uint b) {
    for (uint i = 0u; i < words; i++) wide[r * words + i] = 0u;
    for (uint i = 0u; i < words; i++) {
        uint carry = 0u, x = wide[a * words + i];
        for (uint j = 0u; i + j < words; j++) {
            uint high, low, first, second, at = r * words + i + j;
            umulExtended(x, wide[b * words + j], high, low);
            low = uaddCarry(low, carry, first);
            wide[at] = uaddCarry(low, wide[at], second);
            carry = high + first + second;
        }
    }
}

// -1, 0 or 1.
int wide_sign(uint a) {
    uint any = 0u, top = 0u;
    for (uint i = 0u; i < words; i++) {
        top = wide[a * words + i];
        any |= top;
    }
    return (top & 0x80000000u) != 0u ? -1 : int(any != 0u);
}
