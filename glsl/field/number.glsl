// Numbers the minima, the vertices that point nowhere; state[0] counts them.
#include "field/order.glsl"

void kernel(uint group) {
    uint v = group * LOCAL + gl_LocalInvocationIndex;
    if (v >= n || basin_load(v) != NONE) return;
    basin_store(v, ARRIVED | state_atomic_add(0u, 1u));
}
