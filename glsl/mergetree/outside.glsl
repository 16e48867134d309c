// The ends of edges that lie outside of a slab get numbers behind its minima; or, BACK, what they were.
#include "field/order.glsl"

uint number(uint c) {
#if BACK
    return c < minima ? c : OUTSIDE | (c - minima);
#else
    return (c & OUTSIDE) == 0u ? c : minima + (c ^ OUTSIDE);
#endif
}

void kernel(uint group) {
    uint e = group * LOCAL + gl_LocalInvocationIndex;
    if (e >= count) return;
    uvec4 edge = edges_load(e);
    edges_store(e, uvec4(edge.xy, number(edge.z), number(edge.w)));
}
