// Finds the lowest edge of each component, by (key, vertex): its key (STEP 0), then the least vertex of that key (STEP 1).
// An edge is (vertex, key, its two components). The values only decrease, so a load before the atomic is an upper bound.
// In the same way the table of parallel edges gets one of the edges of lowest key of each slot.
#if STEP != 0 && STEP != 1
#error STEP must be 0 or 1
#endif
#include "mergetree/parallel.glsl"

void offer(uint c, uint k, uint v) {
#if STEP == 0
    if (k < best_key_load(c)) best_key_atomic_min(c, k);
#else
    if (k == best_key(c) && v < best_at_load(c)) best_at_atomic_min(c, v);
#endif
}

void kernel(uint group) {
    uint e = group * LOCAL + gl_LocalInvocationIndex;
    if (e >= count) return;
    uvec4 edge = edges(e);
    offer(edge.z, edge.y, edge.x);
    offer(edge.w, edge.y, edge.x);
    uint slot = parallel_slot(edge.z, edge.w);
#if STEP == 0
    if (edge.y < parallel_key_load(slot)) parallel_key_atomic_min(slot, edge.y);
#else
    if (edge.y == parallel_key(slot)) parallel_store(slot, e);
#endif
}
