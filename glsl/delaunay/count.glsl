// A triangle's first edge leaves its corner of smallest row: place has, for that edge, how many triangles of the
// same first corner came before it, in any order. Other edges have NONE.
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
