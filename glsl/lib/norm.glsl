// What the distance of two rows is made of, in double: the same bits as norm_add (src/base/norm.h).
//   POWER: which powers of differences are added; 0: the greatest difference is taken
// clang-format off
#define MULTIPLY(bit) if ((uint(POWER) >> (bit) & 1u) != 0u) product *= square; square *= square;
// clang-format on

// Adds a column to a sum.
double add(double sum, double d) {
#if POWER == 0
    return max(sum, abs(d));
#else
#if POWER == 1
    precise double s = sum + abs(d);
#elif POWER == 2
    precise double s = sum + d * d;
#else // in the order of norm_product (src/base/norm.h)
    precise double product = 1.0lf, square = abs(d);
#repeat 7 MULTIPLY(@u)
    precise double s = sum + product;
#endif
    return s;
#endif
}
