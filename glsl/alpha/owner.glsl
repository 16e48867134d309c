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
// The edge opposite corner k of triangle t: the first of its owner's, and those before k.
uint edge_of(uint t, uint k) {
    uvec4 corner = vertex(t), around = neighbour(t);
    uint e = start(t);
    for (uint j = 0u; j < k; j++) e += owned(corner, around, j);
    return e;
}

void kernel(uint group) {
    uint h = group * LOCAL + gl_LocalInvocationIndex;
    if (h >= n) return;
    uint t = h / 3u, k = h % 3u;
    uvec4 corner = vertex(t), around = neighbour(t);
    uint a = corner[(k + 1u) % 3u], b = corner[(k + 2u) % 3u], e;
    if (owned(corner, around, k) == 1u) {
        e = edge_of(t, k);
        half_edge_store(e, 0u, h);
        ends_store(e, 0u, uvec2(min(a, b), max(a, b)));
    } else {
        uvec4 back = neighbour(around[k]);
        e = edge_of(around[k], back.x == t ? 0u : back.y == t ? 1u : 2u);
    }
    sides_store(t, k, e);
}
#endif
