// Counts or places the triangles of closed stars, each by its closed corner of least row. FILL 0 also lists the seams:
// edges between open sites that have one of these triangles on their left.
#include "delaunay/place_face.glsl"
#define MOST 12u // neighbors, as in ring.glsl

void kernel(uint group) {
    uint e = group * LOCAL + gl_LocalInvocationIndex;
    if (e >= n) return;
    uvec2 s = star(e);
    if (s.y == 0u || s.y > MOST) return;
    uint own = row(e), a = list(s.x + s.y - 1u), row_a = row(a);
    bool a_is_open = star(a).y == 0u;
    for (uint i = 0u; i < s.y; i++) {
        uint b = list(s.x + i), row_b = row(b);
        bool b_is_open = star(b).y == 0u;
        if ((a_is_open || own < row_a) && (b_is_open || own < row_b)) place_face(uvec3(own, row_a, row_b));
#if !FILL
        if (a_is_open && b_is_open) seam_store(counters_atomic_add(SEAMS, 1u), 0u, uvec2(row_a, row_b));
#endif
        row_a = row_b;
        a_is_open = b_is_open;
    }
}
