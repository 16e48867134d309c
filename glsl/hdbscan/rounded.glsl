// Quotients and roots of doubles that are neither negative nor denormal, rounded as IEEE 754 has it. OpenGL asks of the
// driver that sums and products are rounded so, but not these: what it computes is mended by what is left. Results may be 0.
#include "lib/words.glsl"
#define INFINITE uvec2(0u, 0x7ff00000u)

// x · y - p, where p is x · y rounded (Dekker, with Veltkamp's split).
double product_rest(double x, double y, double p) {
    precise double cx = 134217729.0lf * x, cy = 134217729.0lf * y;
    precise double xh = cx - (cx - x), yh = cy - (cy - y);
    precise double xl = x - xh, yl = y - yh;
    precise double e = ((xh * yh - p) + xh * yl + xl * yh) + xl * yl;
    return e;
}

// a - x · y, exactly where that has 53 bits, as it has where x · y is within a unit of the last place of a.
double rest_of(double a, double x, double y) {
    precise double p = x * y;
    precise double r = (a - p) - product_rest(x, y, p);
    return r;
}

uvec2 neighbor(uvec2 x, bool up) { return up ? next(x) : uvec2(x.x - 1u, x.y - uint(x.x == 0u)); }

// The distance of x from the next double away from 0, or where x is a power of 2, towards it.
double place_of(uvec2 x, bool up) {
    uint power = x.y & 0x7ff00000u;
    bool half_ = !up && x.x == 0u && (x.y & 0xfffffu) == 0u;
    return packDouble2x32(uvec2(0u, power - ((half_ ? 53u : 52u) << 20)));
}

// Whether it is more than half a place from x. rest: what is left of it, in units of `by`.
double quotient(double a, double b) {
    if (a == b) return 1.0lf;
    if (a == 0.0lf) return 0.0lf;
    precise double q = a / b;
    precise double better = q + rest_of(a, q, b) / b;
    double rest = rest_of(a, better, b);
    uvec2 words = unpackDouble2x32(better);
    bool up = rest > 0.0lf;
    precise double twice_ = 2.0lf * abs(rest), place = place_of(words, up) * b;
    return twice_ > place ? packDouble2x32(neighbor(words, up)) : better;
}

double root(double s) {
    if (s == 0.0lf) return 0.0lf;
    precise double r = sqrt(s);
    precise double better = r + rest_of(s, r, r) / (2.0lf * r);
    double rest = rest_of(s, better, better);
    uvec2 words = unpackDouble2x32(better);
    bool up = rest > 0.0lf;
    precise double place = place_of(words, up) * better;
    bool moves = up ? rest > place : -rest >= place;
    return moves ? packDouble2x32(neighbor(words, up)) : better;
}
