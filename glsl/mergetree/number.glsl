// A vertex that points nowhere is a minimum and takes the next number; state[0] counts them.
#include "mergetree/order.glsl"

void kernel(uint group) {
    uint v = group * LOCAL + gl_LocalInvocationIndex;
    if (v >= n || basin_load(v) != NONE) return;
    basin_store(v, ARRIVED | state_atomic_add(0u, 1u));
}
