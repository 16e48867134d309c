// Lists the sides of a shape in the order of their triangles, and counts the triangles of its components.
//   FILL 0: count(t): sides of triangle t; root(t): 1 if t is the least triangle of a component
//        1: side(first(t) + …): the point where a side begins, its half edge 3t + k, its component, NONE. number(t): how many
//           roots are before t; tally(c) counts the triangles of component c
#include "alpha/side.glsl"

void kernel(uint group) {
    uint t = group * LOCAL + gl_LocalInvocationIndex;
    if (t >= triangles) return;
    uint own = label(t), found = 0u;
    for (uint k = 0u; k < 3u && own != NONE; k++) found |= is_side(t, k) ? 1u << k : 0u;
#if FILL == 0
    count_store(t, 0u, uint(bitCount(found)));
    root_store(t, 0u, own == t ? 1u : 0u);
#else
    if (own == NONE) return;
    uint component = number(own), at = first(t);
    tally_atomic_add(component, 1u);
    for (; found != 0u; found &= found - 1u, at++) {
        uint k = uint(findLSB(found));
        side_store(at, uvec4(vertex(t, (k + 1u) % 3u), 3u * t + k, component, NONE));
    }
#endif
}
