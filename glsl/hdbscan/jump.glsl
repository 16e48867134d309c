// Pointer jumping: both links of a merge lead 16 times as far, or to their ends; counts[0] is raised if one does not.
#define RAISE counts_atomic_max
#include "lib/raise.glsl"

// Returns true if a link has farther to go.
bool jump(uint rank) {
    uvec2 at = links(rank), far = uvec2(links(at.x).x, links(at.y).y);
    for (uint turn = 0u; turn < 16u && far != at; turn++) {
        at = far;
        far = uvec2(links(at.x).x, links(at.y).y);
    }
    next_store(rank, 0u, at);
    return far != at;
}

void kernel(uint group) {
    uint rank = group * LOCAL + gl_LocalInvocationIndex;
    raise(rank < count && jump(rank), 0u);
}
