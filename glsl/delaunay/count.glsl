// Counts the triangles by first corner, the one of smallest row. The first edge of a triangle leaves that corner.
// place(e), of a first edge e, is how many triangles of the same corner were counted before, in any order; of another
// edge it is NONE.
#include "delaunay/faces.glsl"

void kernel(uint group) {
    uint e = group * LOCAL + gl_LocalInvocationIndex;
    if (e >= edges) return;
    uvec3 face, corner;
    bool first = face_of(e, face, corner) && corner.x < corner.y && corner.x < corner.z;
    uint at = NONE;
    if (first) at = count_atomic_add(corner.x, 1u);
    place_store(e, at);
}
