// A round that finds the spanning forest of a graph: each edge that is the first of a component at one of its ends is marked,
// and hooks that component's root to the other's. If two have the same first edge, the smaller root stays. The other edges
// stay alive, but for those within a component. alive: as offer.glsl leaves it; picked: of each rank whether it is an edge of
// the forest.
#include "tree/append.glsl"

void kernel(uint group) {
    uint e = group * LOCAL + gl_LocalInvocationIndex;
    uvec4 edge = e < count ? alive(e) : uvec4(0u);
    uint a = edge.y, b = edge.z;
    bool joins = a != b, a_picks = joins && best(a) == edge.x, b_picks = joins && best(b) == edge.x;
    bool picks = a_picks || b_picks, stays = joins && !picks;
    uint at = reserve(stays, 0u);
    if (stays) next_alive_store(at, 0u, edge);
    if (!picks) return;
    picked_store(edge.x, 0u, 1u);
    if (a_picks) parent_store(a, 0u, b_picks && a < b ? a : b);
    if (b_picks) parent_store(b, 0u, a_picks && b < a ? b : a);
}
