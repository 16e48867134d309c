// Appends those of the edges first … first + count - 1 that are not the facet of an apparent pair to `columns`, as
// rips/columns does with larger simplices.
#include "rips/matrix.glsl"

void kernel(uint group) {
    uint r = group * LOCAL + gl_LocalInvocationIndex;
    if (r >= count) return;
    uvec2 ends = ends_of(first + r);
    float diameter = edge_length(ends.x, ends.y);
    if (!(diameter <= threshold)) return;
    bool apparent = false;
    for (uint w = n; w-- > 0u;) {
        if (w == ends.x || w == ends.y) continue;
        float to_a = edge_length(w, ends.x), to_b = edge_length(w, ends.y);
        if (to_a <= diameter && to_b <= diameter) {
            apparent = (w > ends.x || to_b != diameter) && (w > ends.y || to_a != diameter);
            break;
        }
    }
    if (!apparent) {
        uint at = found_atomic_add(0u, 1u);
        if (at < room) columns_store(at, 0u, uvec4(0u, first + r, floatBitsToUint(diameter), 0u));
    }
}
