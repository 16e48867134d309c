// Every component hooks its root to the root at the other end of its best edge. Edges are totally ordered, so
// the only circles are pairs that chose the same edge: of these the smaller root stays. state[0] counts
// components.
shared uint merged;

void meet() {
    memoryBarrierShared();
    barrier();
}

// The root that v's component hooks to; v itself if it stays.
uint target(uint v) {
    if (best_key(v) == 0xffffffffu) return v;
    uint lo = best_lo(v), hi = best_hi(v), other = label(lo);
    if (other == v) other = label(hi);
    bool mutual = best_key(other) != 0xffffffffu && best_lo(other) == lo && best_hi(other) == hi;
    return mutual && v < other ? v : other;
}

void kernel(uint group) {
    uint v = group * LOCAL + gl_LocalInvocationIndex;
    if (gl_LocalInvocationIndex == 0u) merged = 0u;
    meet();
    if (v < n) {
        uint root = label(v), next = root == v ? target(v) : root;
        parent_store(v, next);
        if (root == v && next != v) atomicAdd(merged, 1u);
    }
    meet();
    if (gl_LocalInvocationIndex == 0u && merged != 0u) state_atomic_add(0u, 0u - merged);
}
