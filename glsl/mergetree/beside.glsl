// Finds the node that each regular vertex follows on its branch of the join tree; in the split tree, the node that follows
// it. place is the vertex where its branch begins. The nodes on a branch are in order in the slots from low to high of the
// node where it begins: at(slot) = (vertex, key). Searches among them.
#include "mergetree/mirror.glsl"
#include "field/order.glsl"

void kernel(uint group) {
    uint v = group * LOCAL + gl_LocalInvocationIndex;
    if (v >= n || number(v) != 0u) return;
    uint k = key(v), begin = number(mirror(place_load(mirror(v)))) - 1u, slot = low(begin);
    for (uint count = high(begin) - slot; count > 1u; count -= count / 2u) {
        uint half_ = count / 2u;
        uvec2 below = at(slot + half_ - 1u);
        if (lower(below.y, below.x, k, v)) slot += half_;
    }
    uvec2 here = at(slot);
    if (lower(here.y, here.x, k, v)) slot++;
    if (split == 0u) slot--;
    place_store(mirror(v), number(at(slot).x) - 1u);
}
