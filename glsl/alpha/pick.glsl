// Takes the item at the place of each entry of list, and the next one; then the corners of their faces.
#include "alpha/corners.glsl"

void kernel(uint e, uint t) {
    uvec4 it = item(list(e) + (t & 1u));
    uvec3 corner = it.z < edges ? uvec3(ends(it.z), 0u) : corners(it.z - edges);
    picked = t < 2u ? it : uvec4(corner, 0u);
}
