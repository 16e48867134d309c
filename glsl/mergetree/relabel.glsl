// Follows the hooks of this round from both ends of the edges from the `first` on, and keeps those that join two components: state[0]
// counts them. Who ended keeps the label it gets here. state[1] is raised if
// somebody has not arrived: run it again. An edge that has a lower twin, between the same two before this round, is not
// kept. Components that live on forget their lowest edge.
#include "mergetree/twins.glsl"

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

void forget(uint c) {
    if (label_load(c) != c) return;
    best_key_store(c, 0xffffffffu);
    best_at_store(c, 0xffffffffu);
}

bool has_lower_twin(uint e, uvec4 edge) {
    uint f = twin(meeting_place(edge.z, edge.w));
    uvec4 other = edges(f);
    if (f == e || min(other.z, other.w) != min(edge.z, edge.w) || max(other.z, other.w) != max(edge.z, edge.w))
        return false;
    return other.y < edge.y || other.x < edge.x || (other.x == edge.x && f < e);
}

void kernel(uint group) {
    uint e = group * LOCAL + gl_LocalInvocationIndex;
    if (e >= count) return;
    e += first;
    uvec4 edge = edges(e);
    bool spare = has_lower_twin(e, edge);
    edge.z = follow(edge.z);
    edge.w = follow(edge.w);
    if (spare || edge.z == edge.w) return;
    forget(edge.z);
    forget(edge.w);
    rest_store(state_atomic_add(0u, 1u), edge);
}
