// Every stride-th radius from rank `start` on: its key, its face; then the corners of that face.
#include "alpha/corners.glsl"

void kernel(uint e, uint t) {
    uint r = start + e * stride, face = chosen(r);
    uvec3 corner = face < edges ? uvec3(ends(face), 0u) : corners(face - edges);
    sampled = t == 0u ? uvec4(radius(r), face, 0u) : uvec4(corner, 0u);
}
