// Doubles that are not negative, as words, the low one first.
#include "lib/words.glsl"

#define INFINITE uvec2(0u, 0x7ff00000u)

// a / b, rounded as IEEE 754 has it, by long division. Both and the result are normal.
uvec2 quotient(uvec2 a, uvec2 b) {
    uint power = (a.y >> 20) + 1023u - (b.y >> 20);
    uvec2 rest = uvec2(a.x, (a.y & 0xfffffu) | 0x100000u), by = uvec2(b.x, (b.y & 0xfffffu) | 0x100000u),
          bits = uvec2(0u);
    if (is_less(rest, by)) {
        rest = twice(rest);
        power--;
    }
    for (uint bit = 0u; bit < 54u; bit++) { // one more than the result has
        bits = twice(bits);
        if (!is_less(rest, by)) {
            rest = subtracted(rest, by);
            bits.x |= 1u;
        }
        rest = twice(rest);
    }
    bool up = (bits.x & 1u) != 0u && (rest != uvec2(0u) || (bits.x & 2u) != 0u);
    bits = uvec2(bits.x >> 1 | bits.y << 31, bits.y >> 1);
    if (up) bits = next(bits);
    return uvec2(bits.x, bits.y - 0x100000u + (power << 20));
}
