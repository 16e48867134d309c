// Makes the leaves: an edge between the two points of each. A block that starts at point s has the pairs of edges from
// 3s on, three for each of its points.
#include "delaunay/edges.glsl"

void kernel(uint group) {
    uint start = 2u * (group * LOCAL + gl_LocalInvocationIndex);
    if (start >= n) return;
    uint count = min(n - start, 2u), pair = 3u * start, used = count - 1u, end = pair + 3u * count;
    first_free = NONE;
    for (uint p = end; p-- > pair + used;) release(p);
    if (used == 1u)
        for (uint e = 2u * pair; e < 2u * pair + 2u; e++) {
            next_store(e, e);
            prev_store(e, e);
            origin_store(e, start + (e & 1u));
        }
    hull_store(start, used == 1u ? 2u * pair : NONE);
    if (used == 1u) hull_store(start + 1u, 2u * pair + 1u);
    state_store(start / 2u, uvec4(first_free, last_free, 0u, 0u));
}
