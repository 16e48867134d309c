// Follows the hooks of this round from both ends of the edges from `first` on, at most 64 steps a run. Keeps the edges that
// join two components; state[0] counts them. A component that has ended keeps the label that it gets here. state[1] is
// raised if some end has not arrived: the pass then runs again. An edge is dropped if the table has a lower edge that was
// parallel to it before this round. Components that have not ended forget their lowest edge.
#include "mergetree/parallel.glsl"

uint follow(uint c) {
    uint at = label_load(c), next = c;
    if (at == c) return c;
    for (uint step = 0u; step < 64u && next != at; step++) {
        next = at;
        at = label_load(at);
    }
    label_store(c, at);
    if (next != at) state_atomic_max(1u, 1u);
    return at;
}

void forget_lowest_edge(uint c) {
    if (label_load(c) != c) return;
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
    edge.z = follow(edge.z);
    edge.w = follow(edge.w);
    if (spare || edge.z == edge.w) return;
    forget_lowest_edge(edge.z);
    forget_lowest_edge(edge.w);
    rest_store(state_atomic_add(0u, 1u), edge);
}
