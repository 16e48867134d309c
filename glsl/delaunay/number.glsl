// Triangle t has the edges of the face of its first edge.
#include "delaunay/faces.glsl"

void kernel(uint group) {
    uint t = group * LOCAL + gl_LocalInvocationIndex;
    if (t >= triangles) return;
    uvec3 face, corner;
    find_face(triangle(t).y, face, corner);
    number_store(face.x, t);
    number_store(face.y, t);
    number_store(face.z, t);
}
