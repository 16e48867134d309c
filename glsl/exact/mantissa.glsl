// Positive numbers with a mantissa of 64 bits: (m.y·2^32 + m.x)·2^(e - 63), the top bit of m.y set. Results are cut,
// not rounded: an operation has a relative error below 2^-61, and the same result on every driver.
struct number {
    uvec2 m;
    int e;
};

number number_of(limbs a) {
    int top = LIMBS - 1;
    while (top > 0 && a.limb[top] == 0u) top--;
    uint first = a.limb[top], second = top > 0 ? a.limb[top - 1] : 0u, third = top > 1 ? a.limb[top - 2] : 0u;
    int left = 31 - findMSB(first);
    if (left == 0) return number(uvec2(second, first), 32 * top + 31);
    uint right = uint(32 - left);
    return number(uvec2(second << uint(left) | third >> right, first << uint(left) | second >> right),
                  32 * top + 31 - left);
}

// The upper half of a product of 64-bit numbers, less 0, 1 or 2.
uvec2 upper_product(uvec2 a, uvec2 b) {
    uint high, low, high1, low1, high2, low2, carry, carries;
    umulExtended(a.y, b.y, high, low);
    umulExtended(a.y, b.x, high1, low1);
    umulExtended(a.x, b.y, high2, low2);
    uaddCarry(low1, low2, carries);
    low = uaddCarry(low, carries, carry);
    carries = carry;
    low = uaddCarry(low, high1, carry);
    carries += carry;
    low = uaddCarry(low, high2, carry);
    return uvec2(low, high + carries + carry);
}

number normal(uvec2 m, int e) {
    if ((m.y & 0x80000000u) != 0u) return number(m, e);
    return number(uvec2(m.x << 1, m.y << 1 | m.x >> 31), e - 1);
}

number product(number a, number b) { return normal(upper_product(a.m, b.m), a.e + b.e + 1); }

// Newton's y += y(1 - 2dy) towards 2^126/m from below, d = m/2^64, y/2^64 ~ 1/(2d). The first guess is off by 1/17 at
// most; the error is squared three times in 32 bits, and twice in 64.
uvec2 half_inverse(uvec2 m) {
    uint guess = 0x69696969u, high, low;
    umulExtended(m.y, 0xf0f0f0f0u, high, low);
    guess -= high;
    for (int i = 0; i < 3; i++) {
        umulExtended(m.y, guess, high, low);
        umulExtended(guess, 0u - high, high, low);
        guess = high << 1 | low >> 31;
    }
    uvec2 y = uvec2(0u, guess);
    for (int i = 0; i < 2; i++) {
        uvec2 t = upper_product(m, y);
        uint borrow;
        t.x = usubBorrow(0u, t.x, borrow);
        t.y = 0u - t.y - borrow;
        uvec2 next = upper_product(y, t);
        y = uvec2(next.x << 1, next.y << 1 | next.x >> 31);
    }
    return y;
}

number quotient(number a, number b) { return normal(upper_product(a.m, half_inverse(b.m)), a.e - b.e); }
