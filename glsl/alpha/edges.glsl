// Numbers the edges. Each edge belongs to one triangle: the one in which its ends come in ascending order, or the only
// one.
#include "alpha/corners.glsl"

const uint NONE = 0xffffffffu;

uvec3 neighbors(uint t) { return uvec3(neighbor(t, 0u), neighbor(t, 1u), neighbor(t, 2u)); }

uint belongs(uvec3 corner, uvec3 across, uint k) {
    return across[k] == NONE || corner[(k + 1u) % 3u] < corner[(k + 2u) % 3u] ? 1u : 0u;
}

#if STEP == 0
// Counts the edges that belong to triangle t.
void kernel(uint t) {
    uvec3 corner = corners(t), across = neighbors(t);
    count = belongs(corner, across, 0u) + belongs(corner, across, 1u) + belongs(corner, across, 2u);
}
#else
// Returns the number of the edge that triangles u and t share, which belongs to u: u's first edge, plus those of u
// before it.
uint edge_of(uint u, uint t) {
    uvec3 corner = corners(u), across = neighbors(u);
    uint j = across.x == t ? 0u : across.y == t ? 1u : 2u, e = start(u);
    if (j > 0u) e += belongs(corner, across, 0u);
    if (j > 1u) e += belongs(corner, across, 1u);
    return e;
}

void kernel(uint group) {
    uint t = group * LOCAL + gl_LocalInvocationIndex;
    if (t >= n) return;
    uvec3 corner = corners(t), across = neighbors(t);
    uint next = start(t);
    for (uint k = 0u; k < 3u; k++) {
        uint a = corner[(k + 1u) % 3u], b = corner[(k + 2u) % 3u], e = next;
        if (belongs(corner, across, k) == 1u) {
            half_edge_store(e, 0u, 3u * t + k);
            ends_store(e, 0u, uvec2(min(a, b), max(a, b)));
            next++;
        } else {
            e = edge_of(across[k], t);
        }
        triangle_edge_store(t, k, e);
    }
}
#endif
