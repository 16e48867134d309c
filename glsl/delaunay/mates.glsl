// The triangles across edges. The first triangle of an edge enters it into a hash table; the second one finds it there.
#include "delaunay/counters.glsl"
#define MOST_TURNS 10000u // far more than there are

uvec2 edge_of(uint t, uint corner) {
    uint a = vertex(t, (corner + 1u) % 3u), b = vertex(t, (corner + 2u) % 3u);
    return uvec2(min(a, b), max(a, b));
}

uint hash(uvec2 edge) {
    uint h = edge.x * 0x9e3779b1u ^ (edge.y + 0x7f4a7c15u) * 0x85ebca6bu;
    h = (h ^ (h >> 15u)) * 0x2c1b3c6du;
    return h ^ (h >> 13u);
}

void kernel(uint group) {
    uint t = group * LOCAL + gl_LocalInvocationIndex;
    if (t >= triangles) return;
    for (uint corner = 0u; corner < 3u; corner++) {
        uvec2 edge = edge_of(t, corner);
        uint at = hash(edge);
        for (uint turn = 0u; turn < MOST_TURNS; turn++, at++) {
            uint was = table_cas(at & mask, NONE, 3u * t + corner);
            if (was == NONE) break;
            if (edge_of(was / 3u, was % 3u) != edge) continue;
            neighbor_store(t, corner, was / 3u);
            neighbor_store(was / 3u, was % 3u, t);
            break;
        }
    }
}
