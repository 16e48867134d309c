// Doubles as words, the low one first.
bool is_less(uvec2 a, uvec2 b) { return a.y < b.y || (a.y == b.y && a.x < b.x); } // of none that is negative

uvec2 twice(uvec2 a) { return uvec2(a.x << 1, a.y << 1 | a.x >> 31); }
uvec2 next(uvec2 a) { return uvec2(a.x + 1u, a.y + uint(a.x == 0xffffffffu)); }
uvec2 added(uvec2 a, uvec2 b) { return uvec2(a.x + b.x, a.y + b.y + uint(a.x + b.x < a.x)); }
uvec2 subtracted(uvec2 a, uvec2 b) { return uvec2(a.x - b.x, a.y - b.y - uint(a.x < b.x)); }
