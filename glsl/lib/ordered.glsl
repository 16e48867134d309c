// Unsigned integers that compare as the floats they stand for: a < b exactly when ordered(a) < ordered(b),
// and -0.0 counts as +0.0, so equal values have equal keys. Works on the bits alone: a driver that flushes
// denormals or rounds its own way gives the same keys. -inf … +inf map to 0x007fffff … 0xff800000; NaN has
// no place in the order and must not occur.
uint ordered_bits(uint bits) {
    if (bits == 0x80000000u) return 0x80000000u;
    return (bits & 0x80000000u) != 0u ? ~bits : bits | 0x80000000u;
}
uint ordered(float x) { return ordered_bits(floatBitsToUint(x)); }
