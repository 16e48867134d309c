// Coordinates of points as the input has them. A coordinate is a double, as two words, the low one first; all that is
// done with it here is done in whole numbers, as some devices have no fast doubles.
// Values times 2^exponent are coordinates, none of which is a denormal double.
//   FLOATS 0: values are doubles, none of them denormal unless exponent is 0; 1: they are floats
#if FLOATS
// A float times 2^exponent, as a double that is none of the denormal ones.
uvec2 widened(uint bits) {
    uint sign = bits & 0x80000000u, magnitude = bits ^ sign, mantissa = magnitude & 0x7fffffu;
    int power = int(magnitude >> 23) + 896 + exponent;
    if (magnitude == 0u) return uvec2(0u, sign);
    if (magnitude < 0x800000u) { // denormal
        int shift = 23 - findMSB(magnitude);
        mantissa = (magnitude << uint(shift)) & 0x7fffffu;
        power += 1 - shift;
    }
    return uvec2(mantissa << 29, sign | uint(power) << 20 | mantissa >> 3);
}

uvec2 coordinate(uint point, uint column) { return widened(values(point, column)); }
#else
uvec2 coordinate(uint point, uint column) {
    uvec2 words = values(point, column);
    if ((words.x | (words.y & 0x7fffffffu)) != 0u) words.y += uint(exponent) << 20;
    return words;
}
#endif
