// Doubles that are not negative, as words, the low one first: their order is that of their words.
#define INFINITE uvec2(0u, 0x7ff00000u)

bool is_less(uvec2 a, uvec2 b) { return a.y < b.y || (a.y == b.y && a.x < b.x); }

uvec2 twice(uvec2 a) { return uvec2(a.x << 1, a.y << 1 | a.x >> 31); }

// a / b, rounded as IEEE 754 has it, by long division. Both and the result are normal.
uvec2 quotient(uvec2 a, uvec2 b) {
    uint power = (a.y >> 20) + 1023u - (b.y >> 20);
    uvec2 rest = uvec2(a.x, (a.y & 0xfffffu) | 0x100000u), by = uvec2(b.x, (b.y & 0xfffffu) | 0x100000u), bits = uvec2(0u);
    if (is_less(rest, by)) {
        rest = twice(rest);
        power--;
    }
    for (uint bit = 0u; bit < 54u; bit++) { // one more than the result has
        bits = twice(bits);
        if (!is_less(rest, by)) {
            rest = uvec2(rest.x - by.x, rest.y - by.y - uint(rest.x < by.x));
            bits.x |= 1u;
        }
        rest = twice(rest);
    }
    bool up = (bits.x & 1u) != 0u && (rest != uvec2(0u) || (bits.x & 2u) != 0u);
    bits = uvec2(bits.x >> 1 | bits.y << 31, bits.y >> 1);
    if (up) bits = uvec2(bits.x + 1u, bits.y + uint(bits.x == 0xffffffffu));
    return uvec2(bits.x, bits.y - 0x100000u + (power << 20));
}
