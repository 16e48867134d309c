// Marks the components that others see: those of the first and the last plane of a slab, which begin at `first` and at
// `last`, and those outside.
#include "mergetree/ended.glsl"

void kernel(uint group) {
    uint k = group * LOCAL + gl_LocalInvocationIndex;
    if (k >= 2u * plane) return;
    uint c = basin(k < plane ? first + k : last + (k - plane)) ^ ARRIVED;
    if ((c & OUTSIDE) == 0u) depth_store(c, SEEN);
    depth_store(minima + k, SEEN);
}
