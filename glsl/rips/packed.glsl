// Simplices as long and short columns keep them: the vertices, the greatest first, BITS bits each, or 16; the lowest 16 bits of
// the third word are a coefficient, and the fourth word is the diameter.
const uint COEFFICIENT = 0xffffu, NONE = 0xffffffffu;

#ifdef BITS
// The place of the lowest bit of vertex k among 96, of which the third word has the lowest.
uint lowest_bit(uint k) { return 96u - uint(BITS) * (k + 1u); }

uint vertex(uvec4 simplex, uint k) {
    uint at = lowest_bit(k), shift = at & 31u;
    uint low = at < 32u ? simplex.z : at < 64u ? simplex.y : simplex.x;
    uint high = at < 32u ? simplex.y : at < 64u ? simplex.x : 0u;
    return (low >> shift | (shift == 0u ? 0u : high << (32u - shift))) & ((1u << uint(BITS)) - 1u);
}

// Puts vertex x at place k.
void put(inout uvec4 simplex, uint k, uint x) {
    uint at = lowest_bit(k), shift = at & 31u, low = x << shift, high = shift == 0u ? 0u : x >> (32u - shift);
    if (at >= 64u) simplex.x |= low;
    else if (at >= 32u) simplex.xy |= uvec2(high, low);
    else simplex.yz |= uvec2(high, low);
}
#else
// By conditions: an index into a vector goes through memory.
uint vertex(uvec4 simplex, uint k) {
    uint word = k < 2u ? simplex.x : k < 4u ? simplex.y : simplex.z;
    return (k & 1u) == 0u ? word >> 16 : word & 0xffffu;
}

// Puts vertex x at place k.
void put(inout uvec4 simplex, uint k, uint x) {
    uint bits = (k & 1u) == 0u ? x << 16 : x;
    if (k < 2u) simplex.x |= bits;
    else if (k < 4u) simplex.y |= bits;
    else simplex.z |= bits;
}
#endif

uint negative(uint coefficient) { return coefficient == 0u ? 0u : modulus - coefficient; }

uvec3 key_of(uvec4 simplex) { return uvec3(simplex.xy, simplex.z & ~COEFFICIENT); }

uint scattered(uvec3 key) {
    uint h = key.x * 0x9e3779b1u ^ key.y * 0x85ebca6bu ^ key.z * 0xc2b2ae35u;
    h ^= h >> 15;
    return h * 0x2c1b3c6du;
}
