// Differences of points as integers of exact/limbs.glsl. Port `points`: the bits of two doubles, low word first. With 2
// limbs differences are below 2^31, with 4 below 2^53: then doubles hold them exactly. Loops that end at a value from
// the data keep programs small, as compilers do not unroll them.
#include "exact/limbs.glsl"

struct difference {
    limbs x, y;
};

#if LIMBS == 2
limbs whole(double d) {
    int i = int(d);
    limbs r;
    r.limb[0] = uint(i);
    r.limb[1] = uint(i >> 31);
    return r;
}
#else
limbs whole(double d) { return limbs_of(unpackDouble2x32(d)); }
#endif

limbs coordinate_difference(uvec2 from, uvec2 to) {
#if LIMBS <= 4
    precise double d = packDouble2x32(to) - packDouble2x32(from);
    return whole(d);
#else
    return limbs_sub(limbs_of(to), limbs_of(from));
#endif
}

difference difference_of(uint a, uint b) {
    uvec4 from = points(a), to = points(b);
    return difference(coordinate_difference(from.xy, to.xy), coordinate_difference(from.zw, to.zw));
}

limbs dot_product(difference a, difference b) { return limbs_add(limbs_mul(a.x, b.x), limbs_mul(a.y, b.y)); }
