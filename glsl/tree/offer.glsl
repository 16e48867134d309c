// The first edge out of each component of a graph, among those that are alive. alive: {rank, component, component, -} of each, which
// learns of the components that its ends are part of now. first: they are the items, and components are vertices.
void lower(uint component, uint rank) {
    if (rank < best_load(component)) best_atomic_min(component, rank);
}

void kernel(uint group) {
    uint e = group * LOCAL + gl_LocalInvocationIndex;
    if (e >= count) return;
    uvec4 edge;
    if (first != 0u) edge = uvec4(e, items(e).zw, 0u);
    else {
        edge = alive_load(e, 0u);
        edge.y = label(edge.y);
        edge.z = label(edge.z);
    }
    alive_store(e, 0u, edge);
    if (edge.y == edge.z) return;
    lower(edge.y, edge.x);
    lower(edge.z, edge.x);
}
