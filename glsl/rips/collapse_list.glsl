// Lists the edges: the ends a > b, the place of b in the list of a, and that of a in the list of b.
#include "rips/lists.glsl"

void kernel(uint group) {
    uint k = group * LOCAL + gl_LocalInvocationIndex;
    if (k >= count) return;
    uvec2 of = ends_of(k);
    if (of.x > of.y)
        edges_store(found_atomic_add(0u, 1u), 0u, uvec4(of, k, find_place(start(of.y), start(of.y + 1u), of.x)));
}
