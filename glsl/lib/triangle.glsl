// The pair (a, b), a > b, with a(a-1)/2 + b = r < 2^32 - 2^17. The root of a float is a first guess.
uvec2 pair_of(uint r) {
    uint a = uint(0.5 + sqrt(2.0 * float(r) + 0.25));
    while (a * (a - 1u) / 2u > r) a--;
    while ((a + 1u) * a / 2u <= r) a++;
    return uvec2(a, r - a * (a - 1u) / 2u);
}
