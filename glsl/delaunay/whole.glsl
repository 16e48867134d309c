// Coordinates as whole numbers of 64 bits, low word first.

uvec2 whole_minus(uvec2 a, uvec2 b) {
    uint borrow, low = usubBorrow(a.x, b.x, borrow);
    return uvec2(low, a.y - b.y - borrow);
}

bool whole_less(uvec2 a, uvec2 b) { return a.y < b.y || (a.y == b.y && a.x < b.x); }

// a - b, rounded twice: within 2^-22 of itself. Exact if it is below 2^24.
float whole_apart(uvec2 a, uvec2 b) {
    bool below = whole_less(a, b);
    uvec2 d = below ? whole_minus(b, a) : whole_minus(a, b);
    float size = float(d.y) * 4294967296.0 + float(d.x);
    return below ? -size : size;
}
