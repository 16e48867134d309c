// The edges first … first + count - 1 that are not the facet of an apparent pair: rips/columns for the edge alone.
#include "lib/triangle.glsl"
#include "rips/gap.glsl"

void kernel(uint group) {
    uint r = group * LOCAL + gl_LocalInvocationIndex;
    if (r >= count) return;
    uvec2 ends = pair_of(first + r);
    float reach = gap(ends.x, ends.y);
    if (!(reach <= threshold)) return;
    bool pairs = false;
    for (uint w = n; w-- > 0u;) {
        if (w == ends.x || w == ends.y) continue;
        float to_a = gap(w, ends.x), to_b = gap(w, ends.y);
        if (to_a <= reach && to_b <= reach) {
            pairs = (w > ends.x || to_b != reach) && (w > ends.y || to_a != reach);
            break;
        }
    }
    if (!pairs) {
        uint at = found_atomic_add(0u, 1u);
        if (at < room) columns_store(at, 0u, uvec4(0u, first + r, floatBitsToUint(reach), 0u));
    }
}
