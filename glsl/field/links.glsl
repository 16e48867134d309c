// Passes over the edges of a graph, each from its higher end to its lower one. Every vertex points to the lowest of its
// lower neighbors, in two steps:
//   STEP 0: least[v] becomes the least key of these neighbors
//   STEP 1: basin[v] becomes the smallest vertex of that key
//   STEP 2: lists the edges between basins, as saddles.glsl does: (vertex, key, its basin, the other basin)
#if STEP < 0 || STEP > 2
#error STEP must be 0, 1 or 2
#endif
#include "field/order.glsl"

void descend(uint high, uint low) {
#if STEP == 0
    least_atomic_min(high, key(low));
#elif STEP == 1
    if (key(low) == least(high)) basin_atomic_min(high, low);
#else
    uint own = basin(high), other = basin(low);
    if (own == other) return;
    uint at = state_atomic_add(0u, 1u);
    if (at < room) edges_store(at, 0u, uvec4(high, key(high), own ^ ARRIVED, other ^ ARRIVED));
#endif
}

void kernel(uint group) {
    uint e = group * LOCAL + gl_LocalInvocationIndex;
    if (e >= count) return;
    uint a = links(e).x, b = links(e).y;
    if (a == b) return;
    if (lower(key(a), a, key(b), b)) descend(b, a);
    else descend(a, b);
}
