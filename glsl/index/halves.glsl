// A double, as two words, is about the sum of two floats: the first has its leading 24 bits, so the second is 0 if it is a
// float. What is left out is below 2^-47 of it. Magnitudes below 2^-126 are 0, above 2^128 they are 3e38.
vec2 halves(uvec2 words) {
    uint sign = words.y & 0x80000000u;
    int power = int(words.y >> 20 & 0x7ffu) - 896;
    if (power <= 0) return vec2(0.0);
    if (power > 254) return vec2(sign == 0u ? 3e38 : -3e38, 0.0);
    float high = uintBitsToFloat(sign | uint(power) << 23 | (words.y & 0xfffffu) << 3 | words.x >> 29);
    float low = power > 52 ? float(words.x & 0x1fffffffu) * uintBitsToFloat(uint(power - 52) << 23) : 0.0;
    return vec2(high, sign == 0u ? low : -low);
}
