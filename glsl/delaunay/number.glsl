// Notes for each edge of triangle t that t is on its left.
#include "delaunay/faces.glsl"

void kernel(uint group) {
    uint t = group * LOCAL + gl_LocalInvocationIndex;
    if (t >= triangles) return;
    uvec3 face, corner;
    face_of(triangle(t).y, face, corner);
    left_triangle_store(face.x, t);
    left_triangle_store(face.y, t);
    left_triangle_store(face.z, t);
}
