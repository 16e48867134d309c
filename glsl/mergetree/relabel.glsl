// Gives the edges from `first` on the components that their ends are part of now. Keeps those that join two; state[0] counts
// them. An edge is dropped if the table has a lower edge that was parallel to it before this round. Components that have not
// ended forget their lowest edge.
#include "mergetree/parallel.glsl"

void forget_lowest_edge(uint c) {
    best_key_store(c, 0xffffffffu);
    best_at_store(c, 0xffffffffu);
}

bool has_lower_parallel(uint e, uvec4 edge) {
    uint f = parallel(parallel_slot(edge.z, edge.w));
    uvec4 other = edges(f);
    if (f == e || min(other.z, other.w) != min(edge.z, edge.w) || max(other.z, other.w) != max(edge.z, edge.w))
        return false;
    if (other.y != edge.y) return other.y < edge.y;
    return other.x < edge.x || (other.x == edge.x && f < e);
}

void kernel(uint group) {
    uint e = group * LOCAL + gl_LocalInvocationIndex;
    if (e >= count) return;
    e += first;
    uvec4 edge = edges(e);
    bool spare = has_lower_parallel(e, edge);
    edge.z = label(edge.z);
    edge.w = label(edge.w);
    if (spare || edge.z == edge.w) return;
    forget_lowest_edge(edge.z);
    forget_lowest_edge(edge.w);
    rest_store(state_atomic_add(0u, 1u), edge);
}
