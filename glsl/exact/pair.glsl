// Numbers as the sum of two doubles, the larger first: 106 bits. The driver must round + - * correctly, as in
// lib/two_sum.glsl. Overflow and underflow are not handled.

// a + b = x + y exactly.
dvec2 pair_sum(double a, double b) {
    precise double s = a + b;
    precise double v = s - a;
    precise double e = (a - (s - v)) + (b - v);
    return dvec2(s, e);
}

// a - b, exactly.
dvec2 pair_difference(double a, double b) { return pair_sum(a, -b); }

// a · b = x + y exactly. (Dekker, Veltkamp.)
dvec2 pair_product(double a, double b) {
    precise double p = a * b;
    precise double ca = 134217729.0lf * a, cb = 134217729.0lf * b; // 2^27 + 1
    precise double ah = ca - (ca - a), bh = cb - (cb - b);
    precise double al = a - ah, bl = b - bh;
    precise double e = ((ah * bh - p) + ah * bl + al * bh) + al * bl;
    return dvec2(p, e);
}

// Within 2^-100 of the product.
dvec2 pair_mul(dvec2 a, dvec2 b) {
    dvec2 p = pair_product(a.x, b.x);
    precise double low = p.y + (a.x * b.y + a.y * b.x);
    return pair_sum(p.x, low);
}

// Within 2^-100 of the sum of magnitudes.
dvec2 pair_sub(dvec2 a, dvec2 b) {
    dvec2 s = pair_sum(a.x, -b.x);
    precise double low = s.y + (a.y - b.y);
    return pair_sum(s.x, low);
}
