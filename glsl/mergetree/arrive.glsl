// Follows the hooks of this round from each component that ended in it, at most 64 steps a run. state[1] is raised if one
// has not arrived: the pass then runs again, from there. It keeps the label that it gets here.
#include "mergetree/ended.glsl"

void kernel(uint group) {
    uint c = group * LOCAL + gl_LocalInvocationIndex;
    if (c >= n || depth(c) != (ENDED | round)) return;
    uint at = label_load(c), next = c;
    for (uint step = 0u; step < 64u && next != at; step++) {
        next = at;
        at = label_load(at);
    }
    label_store(c, at);
    if (next != at) state_atomic_max(1u, 1u);
}
