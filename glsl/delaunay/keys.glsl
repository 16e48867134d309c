// The place of each point along Hilbert's curve of `levels` levels: (high word, low word, row).
#include "delaunay/fixed.glsl"

uint cell(uvec2 at) {
    return cut == 0u ? at.x : cut < 32u ? (at.x >> cut) | (at.y << (32u - cut)) : at.y >> (cut - 32u);
}

void kernel(uint e) {
    uvec4 at = fixed_point(points(e));
    uint x = cell(at.xy), y = cell(at.zw);
    uvec2 key = uvec2(0u);
    for (uint bit = levels; bit-- > 0u;) {
        uint right = (x >> bit) & 1u, up = (y >> bit) & 1u;
        key = uvec2((key.x << 2u) | (key.y >> 30u), (key.y << 2u) | (3u * right ^ up));
        if (up == 0u) {
            uint was = x;
            x = right == 0u ? y : ~y;
            y = right == 0u ? was : ~was;
        }
    }
    items = uvec4(key, e, 0u);
}
