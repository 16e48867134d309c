// Finds the best edge of each vertex, among edges that all join two components: its key (STEP 0), then the least other
// end of an edge with that key (STEP 1).
#if STEP != 0 && STEP != 1
#error STEP must be 0 or 1
#endif

void offer(uint v, uint other, uint k) {
#if STEP == 0
    key_atomic_min(v, k);
#else
    if (key(v) == k) to_atomic_min(v, other);
#endif
}

void kernel(uint group) {
    uint e = group * LOCAL + gl_LocalInvocationIndex;
    if (e >= count) return;
    uvec4 edge = edges(e);
    offer(edge.x, edge.y, edge.z);
    offer(edge.y, edge.x, edge.z);
}
