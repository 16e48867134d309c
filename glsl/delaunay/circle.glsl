// Whether a site is in the circle of three others, in whole numbers of 64 and 128 bits, low word first.
#include "delaunay/whole.glsl"

#define WHOLE_BITS 30 // of differences, so that nothing overflows

uint bits_of(uvec2 v) {
    if ((v.y >> 31u) != 0u) v = ~v;
    return v.y != 0u ? 33u + uint(findMSB(v.y)) : v.x != 0u ? 1u + uint(findMSB(v.x)) : 0u;
}

int shifted(uvec2 v, uint by) {
    return by == 0u ? int(v.x) : by < 32u ? int((v.x >> by) | (v.y << (32u - by))) : int(v.y) >> int(by - 32u);
}

// The bits that a shift cuts off.
uint lost(uvec2 v, uint by) { return by < 32u ? v.x & ((1u << by) - 1u) : v.x | (v.y & ((1u << (by - 32u)) - 1u)); }

uint lost_of(uvec4 v, uint by) { return lost(v.xy, by) | lost(v.zw, by); }

ivec2 shifted_point(uvec4 v, uint by) { return ivec2(shifted(v.xy, by), shifted(v.zw, by)); }

uvec4 wide_plus(uvec4 a, uvec4 b) {
    uint c, d, e, f;
    uvec4 sum = uvec4(uaddCarry(a.x, b.x, c), uaddCarry(a.y, b.y, d), uaddCarry(a.z, b.z, e), a.w + b.w);
    sum.y = uaddCarry(sum.y, c, c);
    sum.z = uaddCarry(sum.z, c + d, f);
    sum.w += e + f;
    return sum;
}

// x·y + z·w
uvec2 sum_of_products(int x, int y, int z, int w) {
    ivec2 low, high;
    imulExtended(ivec2(x, z), ivec2(y, w), high, low);
    uint carry, sum = uaddCarry(uint(low.x), uint(low.y), carry);
    return uvec2(sum, uint(high.x) + uint(high.y) + carry);
}

// a is not negative.
uvec4 wide_product(uvec2 a, uvec2 b) {
    bool below = (b.y >> 31u) != 0u;
    if (below) b = whole_minus(uvec2(0u), b);
    uvec4 low, high;
    umulExtended(a.xxyy, b.xyxy, high, low);
    uvec4 product = wide_plus(uvec4(low.x, high.x, low.w, high.w), uvec4(0u, low.y, high.y, 0u));
    product = wide_plus(product, uvec4(0u, low.z, high.z, 0u));
    return below ? wide_plus(~product, uvec4(1u, 0u, 0u, 0u)) : product;
}

// Returns 1 if d is inside the circle of o, a and b, which are counter-clockwise; -1 if it is outside; 0 if it is on the
// circle; 2 if that is not certain, which it is if differences of whole coordinates have up to WHOLE_BITS bits.
int in_circle(uvec4 o, uvec4 a, uvec4 b, uvec4 d, bool are_whole) {
    a = uvec4(whole_minus(a.xy, o.xy), whole_minus(a.zw, o.zw));
    b = uvec4(whole_minus(b.xy, o.xy), whole_minus(b.zw, o.zw));
    d = uvec4(whole_minus(d.xy, o.xy), whole_minus(d.zw, o.zw));
    uint most = max(max(bits_of(a.xy), bits_of(a.zw)), max(bits_of(b.xy), bits_of(b.zw)));
    most = max(most, max(bits_of(d.xy), bits_of(d.zw)));
    uint by = most <= uint(WHOLE_BITS) ? 0u : most - uint(WHOLE_BITS);
    ivec2 p = shifted_point(a, by), q = shifted_point(b, by), r = shifted_point(d, by);
    uvec4 value = uvec4(0u);
    uint turns = min(n, 3u);                     // 3, which compilers do not know: so they do not write the loop out
    for (uint turn = 0u; turn < turns; turn++) { // |p|²(q × r) and so on
        value =
            wide_plus(value, wide_product(sum_of_products(p.x, p.x, p.y, p.y), sum_of_products(q.x, r.y, -q.y, r.x)));
        ivec2 was = p;
        p = q;
        q = r;
        r = was;
    }
    int high = int(value.w);
    bool exact = are_whole && (lost_of(a, by) | lost_of(b, by) | lost_of(d, by)) == 0u;
    // What was cut off is less than 2 units of each of six coordinates: less than 2^97 of the value.
    if (!exact && high >= -2 && high < 2) return 2;
    return high < 0 ? 1 : value == uvec4(0u) ? 0 : -1;
}
