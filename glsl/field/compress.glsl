// Path compression: follows the pointers down to the minima, at most 64 steps a run, in place. Whatever the pointer of a
// vertex holds by now is a vertex further down the same path. state[1] is raised if some vertex has not arrived: the pass
// then runs again. begin: stores the vertex of each minimum.
#include "field/order.glsl"

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
