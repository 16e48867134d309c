// Which side goes on from the end of each: turns around that end through triangles inside, at most 64 a run. state(0) is
// raised if one has farther to go; it goes on from there. side: as of alpha/sides; the last number becomes the next side.
#include "alpha/side.glsl"

void kernel(uint group) {
    uint s = group * LOCAL + gl_LocalInvocationIndex;
    if (s >= sides) return;
    uvec4 it = side_load(s);
    if (it.w != NONE) return;
    uint t = it.y / 3u, k = (it.y + 1u) % 3u;
    for (uint turn = 0u; turn < 64u && !is_side(t, k); turn++) {
        uint other = neighbor(t, k);
        k = neighbor(other, 0u) == t ? 1u : neighbor(other, 1u) == t ? 2u : 0u; // behind the edge that both share
        t = other;
    }
    if (is_side(t, k)) {
        it.w = first(t);
        for (uint before = 0u; before < k; before++) it.w += is_side(t, before) ? 1u : 0u;
    } else {
        it.y = 3u * t + (k + 2u) % 3u;
        state_atomic_max(0u, 1u);
    }
    side_store(s, it);
}
