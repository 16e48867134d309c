// Simplices as long and short columns keep them: the vertices, the greatest first, 16 bits each; the lowest 16 bits of the third
// word are a coefficient, and the fourth word is the diameter.
const uint COEFFICIENT = 0xffffu, NONE = 0xffffffffu;

// By conditions: an index into a vector goes through memory.
uint vertex(uvec4 simplex, uint k) {
    uint word = k < 2u ? simplex.x : k < 4u ? simplex.y : simplex.z;
    return (k & 1u) == 0u ? word >> 16 : word & 0xffffu;
}

uint negative(uint coefficient) { return coefficient == 0u ? 0u : modulus - coefficient; }

// Puts vertex x at place k.
void put(inout uvec4 simplex, uint k, uint x) {
    uint bits = (k & 1u) == 0u ? x << 16 : x;
    if (k < 2u) simplex.x |= bits;
    else if (k < 4u) simplex.y |= bits;
    else simplex.z |= bits;
}

uvec3 key_of(uvec4 simplex) { return uvec3(simplex.xy, simplex.z & ~COEFFICIENT); }

uint scattered(uvec3 key) {
    uint h = key.x * 0x9e3779b1u ^ key.y * 0x85ebca6bu ^ key.z * 0xc2b2ae35u;
    h ^= h >> 15;
    return h * 0x2c1b3c6du;
}
