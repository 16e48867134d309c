// What the head of a shader says of its variant: constants, formats by an axis, a port that may be missing; and lines
// that repeat, an axis's value times or a number of times.
void kernel(uint e) {
#if TIMES == 2
    uint own = 2u * source(e);
#else
    uint own = 3u * (source(e).x + source(e).y);
#endif
#if WITH
    own += more(e);
#endif
    uint bits = 0u;
#repeat TIMES bits |= 1u << (20 + @);
#repeat 2 bits += 1u << (28 + @);
    target = uint(BASE + PLUS) + own + bits;
}
