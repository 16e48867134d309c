// Each edge belongs to one triangle: that in which its ends come in ascending order, or the only one.
const uint HULL = 0xffffffffu;

uint owned(uvec4 corner, uvec4 around, uint k) {
    return around[k] == HULL || corner[(k + 1u) % 3u] < corner[(k + 2u) % 3u] ? 1u : 0u;
}

#if STEP == 0
// How many edges triangle t has of its own.
void kernel(uint t) {
    uvec4 corner = vertex(t), around = neighbour(t);
    count = owned(corner, around, 0u) + owned(corner, around, 1u) + owned(corner, around, 2u);
}
#else
// The edge of triangle u that it has in common with t: the first of its own, and those before it.
uint edge_of(uint u, uint t) {
    uvec4 corner = vertex(u), around = neighbour(u);
    uint j = around.x == t ? 0u : around.y == t ? 1u : 2u, e = start(u);
    if (j > 0u) e += owned(corner, around, 0u);
    if (j > 1u) e += owned(corner, around, 1u);
    return e;
}

void kernel(uint group) {
    uint t = group * LOCAL + gl_LocalInvocationIndex;
    if (t >= n) return;
    uvec4 corner = vertex(t), around = neighbour(t);
    uint next = start(t);
    for (uint k = 0u; k < 3u; k++) {
        uint a = corner[(k + 1u) % 3u], b = corner[(k + 2u) % 3u], e = next;
        if (owned(corner, around, k) == 1u) {
            half_edge_store(e, 0u, 3u * t + k);
            ends_store(e, 0u, uvec2(min(a, b), max(a, b)));
            next++;
        } else {
            e = edge_of(around[k], t);
        }
        sides_store(t, k, e);
    }
}
#endif
