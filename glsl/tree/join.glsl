// Every component hooks its root to the component at the other end of its least edge. Edges are totally ordered, so the
// only circles are two components that chose the same edge: the smaller of their roots stays. One listed point of each
// component has the least edge. edges: of a root that was hooked, by what: the sum, the high word first, and both ends.
uint index_of(uint position) {
    uvec4 texel = rows(position, columns / 2u);
    return columns % 2u == 0u ? texel.x : texel.z;
}

bool chose(uint component, uvec4 edge) {
    return edge == uvec4(best_high(component), best_low(component), best_a(component), best_b(component));
}

void kernel(uint group) {
    uint e = group * LOCAL + gl_LocalInvocationIndex;
    if (e >= count) return;
    uint v = list(e), own = label(v), other = label(to(v)), a = index_of(v), b = index_of(to(v));
    uvec4 edge = uvec4(sum(v).y, sum(v).x, min(a, b), max(a, b));
    if (!chose(own, edge)) return;
    bool stays = own < other && chose(other, edge);
    parent_store(own, 0u, stays ? own : other);
    if (!stays) edges_store(own, 0u, edge);
}
