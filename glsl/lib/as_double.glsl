// Doubles as two words, the low one first, made of integers alone.
uvec2 as_double(uint number) {
    uint power = uint(max(findMSB(number), 0)),
         rest = number << (31u - power) & 0x7fffffffu; // all behind the first bit
    return number == 0u ? uvec2(0u) : uvec2(rest << 21, rest >> 11 | (power + 1023u) << 20);
}
