// On which side of a line, and of a circle, a point lies: exactly. Points are integers that are kept as
// doubles (x low, x high, y low, y high).
//
// A determinant in double precision decides if it is larger than its rounding errors can be; their bounds
// here are at least four times those of correct rounding. It also decides where the magnitudes of its terms
// add up to less than 2^52: everything that it was made of is then an integer that a double holds. Else the
// integers are taken apart and multiplied in limbs.
//   LIMBS  words of these; 0: none, and who asks is left uncertain (limbs take long to compile)
#if LIMBS
#include "lib/limbs.glsl"
#endif

#define UNCERTAIN 2

// Loop turns of one exact_sign, at most: see GPU_TURNS.
#define EXACT_TURNS uint(15 * (LIMBS * LIMBS / 2 + 5 * LIMBS + 1) + 19 * LIMBS + 3)

uint exact_count = 0u;

dvec2 real(uvec4 p) { return dvec2(packDouble2x32(p.xy), packDouble2x32(p.zw)); }

int sign_of(double det, double magnitude, double relative_error) {
    if (abs(det) <= magnitude * relative_error && magnitude >= 4503599627370496.0lf) return UNCERTAIN;
    return int(det > 0.0lf) - int(det < 0.0lf);
}

// 1 if a, b, c turn left, -1 if right, 0 if they are on one line.
int turn(uvec4 a, uvec4 b, uvec4 c) {
    dvec2 p = real(a) - real(c), q = real(b) - real(c);
    double x = p.x * q.y, y = p.y * q.x;
    return sign_of(x - y, abs(x) + abs(y), 8.8817841970012523e-16lf); // 2^-50
}

// 1 if d is inside the circle through a, b, c, which turn left, -1 if outside, 0 if on it.
int circle(uvec4 a, uvec4 b, uvec4 c, uvec4 d) {
    dvec2 o = real(d), p = real(a) - o, q = real(b) - o, r = real(c) - o;
    dvec3 lift = dvec3(dot(p, p), dot(q, q), dot(r, r));
    dvec3 left = dvec3(q.x * r.y, r.x * p.y, p.x * q.y), right = dvec3(q.y * r.x, r.y * p.x, p.y * q.x);
    return sign_of(dot(lift, left - right), dot(lift, abs(left) + abs(right)), 3.5527136788005009e-15lf); // 2^-48
}

// The two above, in limbs: circle(p[0], p[1], p[2], p[3]), or turn(p[1], p[2], p[3]).
int exact_sign(uvec4 p[4], bool is_circle) {
#if LIMBS
    limbs x[3], y[3], sum, cross, lift;
    exact_count++;
    for (int i = 0; i < 3; i++) {
        x[i] = limbs_sub(limbs_of(p[i].xy), limbs_of(p[3].xy));
        y[i] = limbs_sub(limbs_of(p[i].zw), limbs_of(p[3].zw));
    }
    for (int i = 0; i < LIMBS; i++) sum.word[i] = 0u;
    // One place where limbs are multiplied keeps the shader small.
    for (int step = 0; step < (is_circle ? 15 : 2); step++) {
        int i = step / 5, j = (i + 1) % 3, k = (i + 2) % 3, part = step % 5;
        limbs f = lift, g = cross;
        if (part == 0) f = x[j], g = y[k];
        if (part == 1) f = y[j], g = x[k];
        if (part == 2) f = x[i], g = x[i];
        if (part == 3) f = y[i], g = y[i];
        limbs product = limbs_mul(f, g);
        if (part == 0) cross = product;
        if (part == 1) cross = limbs_sub(cross, product);
        if (part == 2) lift = product;
        if (part == 3) lift = limbs_add(lift, product);
        if (part == 4) sum = limbs_add(sum, product);
    }
    if (is_circle) return limbs_sign(sum);
    return limbs_sign(cross);
#else
    return UNCERTAIN;
#endif
}
