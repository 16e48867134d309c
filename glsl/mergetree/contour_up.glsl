// parent, of each node, all bits if it has none, and how many children it has. forks: of each slot, turned, whether
// branches end there.
#include "mergetree/contour_turned.glsl"

const uint NONE = 0xffffffffu;

void kernel(uint group) {
    uint t = group * LOCAL + gl_LocalInvocationIndex;
    if (t >= count) return;
    uvec4 own = items(turned(t));
    uint to = NONE, children = ending(own.z);
    forks_store(t, children != 0u ? 1u : 0u);
    if (t > 0u && items(turned(t - 1u)).y == own.y) children++;
    uvec4 behind = t + 1u < count ? items(turned(t + 1u)) : uvec4(NONE);
    if (t + 1u < count && behind.y == own.y) to = behind.z;
    else {
        to = ends(row(own.y)).y;
        if (to == count) to = NONE;
    }
    parent_store(own.z, to);
    children_store(own.z, children);
}
