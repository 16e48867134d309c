// The lowest edge of each component, by (key, vertex): STEP 0 its key, STEP 1 of those the least vertex. An edge is
// (vertex, key, its two components). What a component has so far only decreases: a stale value is an upper bound.
// In the same way the table finds the lowest of the edges that meet at a place: twin is one of these.
#if STEP != 0 && STEP != 1
#error STEP must be 0 or 1
#endif
#include "mergetree/twins.glsl"

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
    uint place = meeting_place(edge.z, edge.w);
#if STEP == 0
    if (edge.y < twin_key_load(place)) twin_key_atomic_min(place, edge.y);
#else
    if (edge.y == twin_key(place)) twin_store(place, e);
#endif
}
