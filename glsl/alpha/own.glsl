// A triangle's first edge leaves its corner of smallest name.
//   STEP  0: counts the triangles of each first corner; 1: puts (second corner, first edge) of each triangle
//         among those of its first corner, in any order
#include "alpha/faces.glsl"

void kernel(uint group) {
    uint e = group * LOCAL + gl_LocalInvocationIndex;
    if (e >= edges) return;
    uvec3 face, corner;
    if (!find_face(e, face, corner) || corner.x > corner.y || corner.x > corner.z) return;
    uint at = count_atomic_add(corner.x, 1u);
#if STEP
    triangle_store(first(corner.x) + at, uvec2(corner.y, e));
#endif
}
