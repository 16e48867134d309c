// Integers of LIMBS 32-bit limbs in two's complement, the least significant limb first. All arithmetic is modulo
// 2^(32·LIMBS): a shader that defines LIMBS chooses it so that its final results fit; intermediate results may wrap
// around. It is unsigned integer arithmetic alone, which is exact on every driver.
// Functions are inlined, so loops rather than calls keep a program small. NVIDIA's compiler would unroll the loops:
// compiling then takes up to 1.5 s longer and the program is hardly faster. Other compilers ignore the pragma.
#pragma optionNV(unroll none)
#ifndef LIMBS
#error LIMBS is the number of limbs
#endif

struct limbs {
    uint limb[LIMBS];
};

// Bits p … p+31 of the 64-bit number (low, high); 0 where there are none.
uint limbs_window(uint low, uint high, int p) {
    if (p <= -32 || p >= 64) return 0u;
    if (p >= 32) return high >> uint(p - 32);
    if (p < 0) return low << uint(-p);
    return p == 0 ? low : (low >> uint(p)) | (high << uint(32 - p));
}

// Returns the integer whose bits as a double are given (x the low word, y the high one).
limbs limbs_of(uvec2 bits) {
    limbs r;
    int exponent = int((bits.y >> 20u) & 0x7ffu);
    uint high = exponent == 0 ? 0u : (bits.y & 0xfffffu) | 0x100000u;
    uint flip = (bits.y & 0x80000000u) != 0u ? 0xffffffffu : 0u, carry = flip & 1u;
    for (int i = 0; i < LIMBS; i++)
        r.limb[i] = uaddCarry(limbs_window(bits.x, high, 32 * i - (exponent - 1075)) ^ flip, carry, carry);
    return r;
}

limbs limbs_add(limbs a, limbs b) {
    limbs r;
    uint carry = 0u;
    for (int i = 0; i < LIMBS; i++) {
        uint first, second, sum = uaddCarry(a.limb[i], b.limb[i], first);
        r.limb[i] = uaddCarry(sum, carry, second);
        carry = first + second;
    }
    return r;
}

limbs limbs_sub(limbs a, limbs b) {
    limbs r;
    uint borrow = 0u;
    for (int i = 0; i < LIMBS; i++) {
        uint first, second, difference = usubBorrow(a.limb[i], b.limb[i], first);
        r.limb[i] = usubBorrow(difference, borrow, second);
        borrow = first + second;
    }
    return r;
}

limbs limbs_mul(limbs a, limbs b) {
    limbs r;
    for (int i = 0; i < LIMBS; i++) r.limb[i] = 0u;
    for (int i = 0; i < LIMBS; i++) {
        uint carry = 0u;
        for (int j = 0; j < LIMBS - i; j++) {
            uint high, low, first, second;
            umulExtended(a.limb[i], b.limb[j], high, low);
            low = uaddCarry(low, carry, first);
            r.limb[i + j] = uaddCarry(low, r.limb[i + j], second);
            carry = high + first + second;
        }
    }
    return r;
}

// -1, 0 or 1.
int limbs_sign(limbs a) {
    if ((a.limb[LIMBS - 1] & 0x80000000u) != 0u) return -1;
    uint any = 0u;
    for (int i = 0; i < LIMBS; i++) any |= a.limb[i];
    return any != 0u ? 1 : 0;
}
