// The first edge out of each component. items: of each rank, {key, key, smaller end, larger end}; alive: the ranks of the edges
// that join two components, or, if all do, none.
void lower(uint component, uint rank) {
    if (rank < best_load(component)) best_atomic_min(component, rank);
}

void kernel(uint group) {
    uint e = group * LOCAL + gl_LocalInvocationIndex;
    if (e >= count) return;
    uint rank = all != 0u ? e : alive(e);
    uvec2 ends = items(rank).zw;
    uint a = label(ends.x), b = label(ends.y);
    if (a == b) return;
    lower(a, rank);
    lower(b, rank);
}
