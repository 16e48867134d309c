// Counts or places triangles between open sites, which are given by rows.
#include "delaunay/place_face.glsl"

void kernel(uint group) {
    uint t = group * LOCAL + gl_LocalInvocationIndex;
    if (t < n) place_face(more(t).xyz);
}
