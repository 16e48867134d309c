// The thresholds of edges and vertices, as ranks, from those of the faces they bound.
//   EDGES  1: edge_ranks of an edge: its own rank (0: attached); the first rank of its triangles; the last one (0 on the
//             hull). Of its ends: low, the rank of the first edge; high, NONE if the edge is on the hull
//          0: of the corners of a triangle: high, the rank of the last triangle; solid, the rank of the first one
const uint NONE = 0xffffffffu;

#if EDGES
void kernel(uint group) {
    uint e = group * LOCAL + gl_LocalInvocationIndex;
    if (e >= edges) return;
    uint h = half_edge(e), own = rank(e), one = rank(edges + h / 3u), two = one, other = neighbor(h / 3u, h % 3u);
    if (other != NONE) two = rank(edges + other);
    edge_ranks_store(e, 0u, own);
    edge_ranks_store(e, 1u, min(one, two));
    edge_ranks_store(e, 2u, other == NONE ? 0u : max(one, two));
    uvec2 end = ends(e);
    uint birth = own != 0u ? own : min(one, two);
    if (low_load(end.x) > birth) low_atomic_min(end.x, birth);
    if (low_load(end.y) > birth) low_atomic_min(end.y, birth);
    if (other != NONE) return;
    high_atomic_max(end.x, NONE);
    high_atomic_max(end.y, NONE);
}
#else
#include "alpha/corners.glsl"

void kernel(uint group) {
    uint t = group * LOCAL + gl_LocalInvocationIndex;
    if (t >= triangles) return;
    uvec3 corner = corners(t);
    uint r = rank(edges + t);
    for (uint k = 0u; k < 3u; k++) { // an atomic operation only where it changes something
        if (high_load(corner[k]) < r) high_atomic_max(corner[k], r);
        if (solid_load(corner[k]) > r) solid_atomic_min(corner[k], r);
    }
}
#endif
