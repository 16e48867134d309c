// Writes the triangles of each first corner in order of their second corners. A corner of more than MOST triangles has
// them in order already, if `sorted` is not 0; else it is counted.
#include "delaunay/counters.glsl"
#define MOST 64u

void kernel(uint group) {
    uint v = group * LOCAL + gl_LocalInvocationIndex;
    if (v >= n) return;
    uint begin = first(v), end = v + 1u < n ? first(v + 1u) : triangles;
    bool is_hub = end - begin > MOST;
    if (is_hub && sorted == 0u) {
        counters_atomic_add(HUBS, 1u);
        return;
    }
    for (uint t = begin; t < end; t++) {
        uvec2 rest = face(t);
        uint place = is_hub ? t : begin;
        for (uint other = begin; other < end && !is_hub; other++) place += uint(face(other).x < rest.x);
        vertex_store(place, 0u, v);
        vertex_store(place, 1u, rest.x);
        vertex_store(place, 2u, rest.y);
        for (uint c = 0u; c < 3u; c++) neighbor_store(place, c, NONE);
    }
}
