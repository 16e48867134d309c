// Follows the hooks of this round from both ends of each edge, and keeps those edges that join two components: state[0]
// counts them, with those that there is no room for. Who ended keeps the label it gets here. state[1] is raised if
// somebody has not arrived: run it again on what is left. Components that live on forget their lowest edge.
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

void kernel(uint group) {
    uint e = group * LOCAL + gl_LocalInvocationIndex;
    if (e >= count) return;
    uvec4 edge = edges(e);
    edge.z = follow(edge.z);
    edge.w = follow(edge.w);
    if (edge.z == edge.w) return;
    forget(edge.z);
    forget(edge.w);
    uint at = state_atomic_add(0u, 1u);
    if (at < room) rest_store(at, 0u, edge);
}
