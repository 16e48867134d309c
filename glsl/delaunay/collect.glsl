// Writes the corners of triangle t, and the triangles across the edges opposite to them.
#include "delaunay/faces.glsl"

void kernel(uint group) {
    uint t = group * LOCAL + gl_LocalInvocationIndex;
    if (t >= triangles) return;
    uvec3 face, corner;
    face_of(triangle(t).y, face, corner);
    for (uint k = 0u; k < 3u; k++) {
        vertex_store(t, k, corner[k]);
        neighbor_store(t, k, left_triangle(face[(k + 1u) % 3u] ^ 1u));
    }
}
