// Error-free arithmetic. Correct rounding of + - * is all that it asks of the driver; `precise` forbids
// contraction and reassociation.

// a + b = x + y exactly, x = fl(a + b). (Knuth; no order of magnitudes assumed.)
vec2 two_sum(float a, float b) {
    precise float s = a + b;
    precise float v = s - a;
    precise float e = (a - (s - v)) + (b - v);
    return vec2(s, e);
}

// a * b = x + y exactly, x = fl(a * b), barring over- and underflow. (Dekker, with Veltkamp's split; fma is
// not fused everywhere.)
vec2 two_product(float a, float b) {
    precise float p = a * b;
    precise float ca = 4097.0 * a, cb = 4097.0 * b;
    precise float ah = ca - (ca - a), bh = cb - (cb - b);
    precise float al = a - ah, bl = b - bh;
    precise float e = ((ah * bh - p) + ah * bl + al * bh) + al * bl;
    return vec2(p, e);
}
