// Follows the pointers down to the minima, in place: whatever an ancestor's pointer holds by now is an ancestor.
// state[1] is raised if somebody has not arrived: run it again. begin: minima store where they are.
#include "mergetree/order.glsl"

void kernel(uint group) {
    uint v = group * LOCAL + gl_LocalInvocationIndex;
    if (v >= n) return;
    uint at = basin_load(v);
    if ((at & ARRIVED) != 0u) {
        if (begin != 0u && (at & OUTSIDE) == 0u) minimum_store(at ^ ARRIVED, v);
        return;
    }
    for (uint step = 0u; step < 64u && (at & ARRIVED) == 0u; step++) at = basin_load(at);
    basin_store(v, at);
    if ((at & ARRIVED) == 0u) state_atomic_max(1u, 1u);
}
