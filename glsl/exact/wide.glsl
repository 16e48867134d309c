// Integers in two's complement, the least significant limb first, all in one array: for predicates that are rarely
// needed. An integer is named by the place of its first limb; the caller says how many limbs it has. The length of a
// loop is not a constant, so a shader stays small and compiles fast. exact/limbs.glsl, of a constant length, runs
// faster.
// Uniform `limbs`: the limbs of a difference of points, at most WIDEST.
#pragma optionNV(unroll none) // see exact/limbs.glsl
#define WIDEST 4
uint wide[18 * WIDEST];

// Bits p … p+31 of the 64-bit number (low, high); 0 where there are none.
uint wide_window(uint low, uint high, int p) {
    if (p <= -32 || p >= 64) return 0u;
    if (p >= 32) return high >> uint(p - 32);
    if (p < 0) return low << uint(-p);
    return p == 0 ? low : (low >> uint(p)) | (high << uint(32 - p));
}

// Returns limb i of the magnitude of an integer that is given as a double (x the low word, y the high one).
uint wide_limb(uvec2 bits, uint i) {
    int exponent = int((bits.y >> 20u) & 0x7ffu);
    uint high = exponent == 0 ? 0u : (bits.y & 0xfffffu) | 0x100000u;
    return wide_window(bits.x, high, 32 * int(i) - (exponent - 1075));
}

// Integer r, of `limbs` limbs, = a - b; a and b are doubles with signs.
void wide_difference(uint r, uvec2 a, uvec2 b) {
    uint flip_a = uint(int(a.y) >> 31), flip_b = ~uint(int(b.y) >> 31), carry = (flip_a & 1u) + (flip_b & 1u);
    for (uint i = 0u; i < limbs; i++) {
        uint first, second, sum = uaddCarry(wide_limb(a, i) ^ flip_a, wide_limb(b, i) ^ flip_b, first);
        wide[r + i] = uaddCarry(sum, carry, second);
        carry = first + second;
    }
}

// r += a, or r -= a; fresh: takes r as 0.
void wide_add(uint r, uint a, uint count, bool subtract, bool fresh) {
    uint flip = subtract ? 0xffffffffu : 0u, carry = flip & 1u;
    for (uint i = 0u; i < count; i++) {
        uint first, second, sum = uaddCarry(fresh ? 0u : wide[r + i], wide[a + i] ^ flip, first);
        wide[r + i] = uaddCarry(sum, carry, second);
        carry = first + second;
    }
}

bool wide_negative(uint a, uint count) { return (wide[a + count - 1u] & 0x80000000u) != 0u; }

// r = a · b. r has twice as many limbs as a and b and overlaps neither.
void wide_mul(uint r, uint a, uint b, uint count) {
    for (uint i = 0u; i < count; i++) wide[r + i] = 0u;
    for (uint i = 0u; i < count; i++) {
        uint carry = 0u, x = wide[a + i];
        for (uint j = 0u; j < count; j++) {
            uint high, low, first, second, at = r + i + j;
            umulExtended(x, wide[b + j], high, low);
            low = uaddCarry(low, carry, first);
            wide[at] = uaddCarry(low, wide[at], second);
            carry = high + first + second;
        }
        wide[r + i + count] = carry;
    }
    // The limbs of a negative number, read without a sign, are 2^(32·count) too large.
    uint if_a = wide_negative(a, count) ? 0xffffffffu : 0u, if_b = wide_negative(b, count) ? 0xffffffffu : 0u,
         borrow = 0u;
    for (uint i = 0u; i < count; i++) {
        uint first, second, third, rest = usubBorrow(wide[r + count + i], wide[b + i] & if_a, first);
        rest = usubBorrow(rest, wide[a + i] & if_b, second);
        wide[r + count + i] = usubBorrow(rest, borrow, third);
        borrow = first + second + third;
    }
}

// -1, 0 or 1.
int wide_sign(uint a, uint count) {
    uint any = 0u;
    for (uint i = 0u; i < count; i++) any |= wide[a + i];
    return wide_negative(a, count) ? -1 : int(any != 0u);
}
