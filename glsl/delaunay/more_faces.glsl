// Triangles between open sites, which are given by rows, the least one first. FILL as in faces_of_stars.
#include "delaunay/counters.glsl"

void kernel(uint group) {
    uint t = group * LOCAL + gl_LocalInvocationIndex;
    if (t >= n) return;
    uvec4 rows = more(t);
#if FILL
    uint left = count_atomic_add(rows.x, NONE);
    face_store(first(rows.x) + left - 1u, 0u, rows.yz);
#else
    count_atomic_add(rows.x, 1u);
#endif
}
