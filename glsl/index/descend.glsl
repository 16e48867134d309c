// Sends points down the first `depth` levels of the tree. Element e is a point of its part of the `of`
// points, by chance, unless `chosen` is all of them (2^32).
//   cuts: of node v what is before it on its first side: value (two words), column, index
//   items: (0, the number of the node among those of its level, index)
#include "index/coordinate.glsl"
#include "index/order.glsl"

uint scrambled(uint x) {
    x = (x ^ (x >> 16)) * 0x45d9f3bu;
    x = (x ^ (x >> 16)) * 0x45d9f3bu;
    return x ^ (x >> 16);
}

// Where part e of the points begins, of 2^parts.
uint part_start(uint e) {
    uint high, low;
    umulExtended(e, of, high, low);
    return parts == 0u ? low : (high << (32u - parts)) | (low >> parts);
}

uint chosen(uint e) {
    if (all != 0u) return e;
    uint from = part_start(e);
    return from + scrambled(e) % max(part_start(e + 1u) - from, 1u);
}

void kernel(uint group) {
    uint e = group * LOCAL + gl_LocalInvocationIndex;
    if (e >= count) return;
    uint point = chosen(e), v = 1u;
    for (uint level = 0u; level < depth; level++) {
        uvec4 cut = cuts(v);
        uvec2 value = ordered_double(coordinate(point, cut.z)), at = ordered_double(cut.xy);
        v = 2u * v + (comes_first(value, at) || (value == at && point < cut.w) ? 0u : 1u);
    }
    items_store(e, 0u, uvec4(0u, v - (1u << depth), point, 0u));
}
