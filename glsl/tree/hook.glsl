// Every component hooks its root to the root at the other end of its best edge. Edges are totally ordered, so the only
// circles are two components that chose the same edge: the smaller of their roots stays. state[0] counts components.
#include "lib/barrier.glsl"

shared uint merged;

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
    group_barrier();
    if (v < n) {
        uint root = label(v), next = root == v ? target(v) : root;
        parent_store(v, next);
        if (root == v && next != v) atomicAdd(merged, 1u);
    }
    group_barrier();
    if (gl_LocalInvocationIndex == 0u && merged != 0u) state_atomic_add(0u, 0u - merged);
}
