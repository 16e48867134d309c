// A round that finds the spanning forest of a graph: each edge that is the first of a component at one of its ends is marked,
// and hooks that component's root to the other's. If two have the same first edge, the smaller root stays. The other edges
// stay alive, but for those within a component. picked: of each rank whether it is an edge of the forest.
#include "tree/append.glsl"

void kernel(uint group) {
    uint e = group * LOCAL + gl_LocalInvocationIndex, rank = 0u, a = 0u, b = 0u;
    bool a_picks = false, b_picks = false;
    if (e < count) {
        rank = first != 0u ? e : alive(e);
        uvec2 ends = items(rank).zw;
        a = label(ends.x);
        b = label(ends.y);
        a_picks = a != b && best(a) == rank;
        b_picks = a != b && best(b) == rank;
    }
    bool picks = a_picks || b_picks, stays = a != b && !picks;
    uint at = reserve(stays, 0u);
    if (stays) next_alive_store(at, 0u, rank);
    if (!picks) return;
    picked_store(rank, 0u, 1u);
    if (a_picks) parent_store(a, 0u, b_picks && a < b ? a : b);
    if (b_picks) parent_store(b, 0u, a_picks && b < a ? b : a);
}
