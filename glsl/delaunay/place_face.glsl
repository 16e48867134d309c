// Counts a triangle by its corner of least row (FILL 0), or places it there: (second row, third row) (FILL 1). Its rows are
// counter-clockwise.
#include "delaunay/counters.glsl"

void place_face(uvec3 rows) {
    uint least = min(rows.x, min(rows.y, rows.z));
    uvec3 turned = rows.x == least ? rows : rows.y == least ? rows.yzx : rows.zxy;
#if FILL
    uint left = count_atomic_add(turned.x, NONE);
    face_store(first(turned.x) + left - 1u, 0u, turned.yz);
#else
    count_atomic_add(turned.x, 1u);
#endif
}
