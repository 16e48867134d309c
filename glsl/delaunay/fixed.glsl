// From doubles that are whole numbers to units of 2^unit above the least coordinate. What is less than a unit is dropped.
#include "delaunay/whole.glsl"

uvec2 fixed_of(uvec2 bits, uvec2 least) {
    int exponent = int((bits.y >> 20u) & 0x7ffu), by = exponent - 1075 - unit;
    uvec2 m = exponent == 0 ? uvec2(0u) : uvec2(bits.x, (bits.y & 0xfffffu) | 0x100000u);
    if (by <= -64) m = uvec2(0u);
    else if (by <= -32) m = uvec2(m.y >> uint(-by - 32), 0u);
    else if (by < 0) m = uvec2((m.x >> uint(-by)) | (m.y << uint(32 + by)), m.y >> uint(-by));
    else if (by > 0) m = uvec2(m.x << uint(by), (m.y << uint(by)) | (m.x >> uint(32 - by))); // by is below 11
    if ((bits.y >> 31u) != 0u) m = whole_minus(uvec2(0u), m);
    return whole_minus(m, least);
}

uvec4 fixed_point(uvec4 bits) {
    return uvec4(fixed_of(bits.xy, uvec2(least_x_low, least_x_high)),
                 fixed_of(bits.zw, uvec2(least_y_low, least_y_high)));
}
