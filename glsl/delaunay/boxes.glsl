// The boxes of a level: (least x and y), (greatest x and y). Level 0 holds the boxes of 8 sites each.
#include "delaunay/whole.glsl"
#include "delaunay/counters.glsl"

uvec2 lesser(uvec2 a, uvec2 b) { return whole_less(b, a) ? b : a; }
uvec2 greater(uvec2 a, uvec2 b) { return whole_less(a, b) ? b : a; }

void kernel(uint group) {
    uint v = group * LOCAL + gl_LocalInvocationIndex;
    if (v >= count) return;
    uint bits = level == 0u ? LEAF_BITS : FAN_BITS, first = v << bits, end = min(first + (1u << bits), parts);
    uvec4 least = uvec4(NONE), most = uvec4(0u);
    for (uint e = first; e < end; e++) {
        uvec4 low = level == 0u ? site(e) : box_load(below + e, 0u), high = level == 0u ? low : box_load(below + e, 1u);
        if (low == uvec4(NONE)) continue;
        least = uvec4(lesser(least.xy, low.xy), lesser(least.zw, low.zw));
        most = uvec4(greater(most.xy, high.xy), greater(most.zw, high.zw));
    }
    box_store(base + v, 0u, least);
    box_store(base + v, 1u, most);
}
