// Contracts each edge that is the first of a component at one of its ends, and hooks that component's root to the other's.
// If two have the same first edge, the smaller root stays. The other edges stay alive.
// picked: of each rank, bit 0: the component at its smaller end picked it, bit 1: that at its larger. child: of each rank
// and end, the cluster that is joined there: in the first round, where components are vertices, the vertex.
// counts[4] is raised for an edge within one component: the edges are no tree.
#include "tree/append.glsl"

void kernel(uint group) {
    uint e = group * LOCAL + gl_LocalInvocationIndex, rank = 0u, a = 0u, b = 0u;
    uvec2 ends = uvec2(0u);
    bool a_picks = false, b_picks = false;
    if (e < count) {
        rank = first != 0u ? e : alive(e);
        ends = items(rank).zw;
        a = label(ends.x);
        b = label(ends.y);
        a_picks = best(a) == rank;
        b_picks = best(b) == rank;
    }
    bool picked = a_picks || b_picks;
    uint at = reserve(picked, 1u);
    if (picked) next_waiting_store(at, 0u, rank);
    at = reserve(e < count && !picked, 0u);
    if (e < count && !picked) next_alive_store(at, 0u, rank);
    if (e < count && a == b) counts_atomic_max(4u, 1u);
    if (!picked) return;
    picked_store(rank, 0u, uint(a_picks) | uint(b_picks) << 1u);
    if (a_picks) parent_store(a, 0u, b_picks && a < b ? a : b);
    if (b_picks) parent_store(b, 0u, a_picks && b < a ? b : a);
    if (first != 0u && a_picks) child_store(rank, 0u, ends.x);
    if (first != 0u && b_picks) child_store(rank, 1u, ends.y);
}
