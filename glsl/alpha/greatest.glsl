// The greatest keys among the first n ranks, one for each 16384 of them.
#include "lib/barrier.glsl"

shared uvec2 most[LOCAL];

uvec2 greater(uvec2 a, uvec2 b) { return a.y > b.y || (a.y == b.y && a.x > b.x) ? a : b; }

void kernel(uint group) {
    uint me = gl_LocalInvocationIndex, first = group * 64u * LOCAL + me;
    uvec2 found = uvec2(0u);
    for (uint k = 0u, i = first; k < 64u && i < n; k++, i += LOCAL) found = greater(found, radius(i));
    most[me] = found;
    for (uint left = LOCAL / 2u; left > 0u; left >>= 1) {
        group_barrier();
        if (me < left) most[me] = greater(most[me], most[me + left]);
    }
    if (me == 0u) found_store(group, 0u, most[0]);
}
