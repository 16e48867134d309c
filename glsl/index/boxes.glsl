// The boxes of nodes first … first + count - 1, and the least index of their points.
//   LEAVES 1: they are leaves; 0: their halves are bounded
#include "index/order.glsl"

#if LEAVES
#include "index/leaf.glsl"

void bound_column(uint v, uint column, uint from, uint end) {
    uvec2 low = uvec2(0u, 0x7ff00000u), high = uvec2(0u, 0xfff00000u);
    for (uint at = from; at < end; at++) {
        uvec4 texel = rows(at, column / 2u);
        uvec2 x = column % 2u == 0u ? texel.xy : texel.zw;
        if (is_less(x, low)) low = x;
        if (is_less(high, x)) high = x;
    }
    boxes_store(v, column, uvec4(low, high));
}

void bound(uint v) {
    uint from = leaf_start(v - first), end = leaf_start(v - first + 1u), least = 0xffffffffu;
    for (uint column = 0u; column < columns; column++) bound_column(v, column, from, end);
    for (uint at = from; at < end; at++) {
        uvec4 texel = rows(at, columns / 2u);
        least = min(least, columns % 2u == 0u ? texel.x : texel.z);
    }
    leasts_store(v, 0u, least);
}
#else
void bound(uint v) {
    for (uint column = 0u; column < columns; column++) {
        uvec4 a = boxes_load(2u * v, column), b = boxes_load(2u * v + 1u, column);
        boxes_store(v, column, uvec4(is_less(b.xy, a.xy) ? b.xy : a.xy, is_less(a.zw, b.zw) ? b.zw : a.zw));
    }
    leasts_store(v, 0u, min(leasts_load(2u * v, 0u), leasts_load(2u * v + 1u, 0u)));
}
#endif

void kernel(uint group) {
    uint e = group * LOCAL + gl_LocalInvocationIndex;
    if (e < count) bound(first + e);
}
