// Indices of simplices: whole numbers of 64 bits, the upper half first.
uvec2 add64(uvec2 a, uvec2 b) {
    uint low = a.y + b.y;
    return uvec2(a.x + b.x + uint(low < a.y), low);
}

// a - b, which is not negative.
uvec2 subtract64(uvec2 a, uvec2 b) { return uvec2(a.x - b.x - uint(a.y < b.y), a.y - b.y); }

bool less64(uvec2 a, uvec2 b) { return a.x < b.x || (a.x == b.x && a.y < b.y); }
