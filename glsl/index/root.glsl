// What a sum becomes, as two words, the low one first.
//   ROOT 0: it is multiplied by a factor; 1: so is its square root, which is rounded as IEEE 754 has it
#if ROOT
double neighbor(double r, int step) { // the next double, or the one before; r > 0 is normal
    uvec2 words = unpackDouble2x32(r);
    if (step > 0) words = uvec2(words.x + 1u, words.y + uint(words.x == 0xffffffffu));
    else words = uvec2(words.x - 1u, words.y - uint(words.x == 0u));
    return packDouble2x32(words);
}

// s - r², exactly, if r is about the root of s (Dekker's product).
double rest_of(double s, double r) {
    precise double split = 134217729.0lf * r, high = split - (split - r), low = r - high;
    precise double square = r * r, error = ((high * high - square) + 2.0lf * high * low) + low * low;
    precise double rest = (s - square) - error;
    return rest;
}

// The root lies between r and the next double; which is nearer, the rest says: all is a multiple of one unit, and no
// double has its root half way.
double corrected(double s, double r) {
    double rest = rest_of(s, r), above = neighbor(r, 1), below = neighbor(r, -1);
    precise double up = r * (above - r), down = r * (r - below);
    return rest > up ? above : rest <= -down ? below : r;
}

double two_to(int power) { return packDouble2x32(uvec2(0u, uint(power + 1023) << 20)); }

// The rest of a small sum would be too small for a double.
double root_of(double s) {
    bool small = s < two_to(-500);
    precise double scaled = small ? s * two_to(600) : s;
    double r = scaled > 0.0lf ? sqrt(scaled) : 0.0lf;
    if (scaled > 0.0lf) r = corrected(scaled, corrected(scaled, r));
    return small ? r * two_to(-300) : r;
}
#endif

uvec2 distance_of(uvec2 sum) {
    precise double s = packDouble2x32(sum);
#if ROOT
    s = root_of(s);
#endif
    s *= packDouble2x32(uvec2(factor_low, factor_high));
    return unpackDouble2x32(s);
}
