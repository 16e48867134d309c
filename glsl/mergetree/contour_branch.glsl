// The nodes, in order, as items that a sort by the second word puts side by side on their branches: (key, node where the
// branch begins, node, vertex). place is, of a vertex, where its branch begins; in the split tree, which is made of the
// vertices from the last to the first, by these.
#include "mergetree/mirror.glsl"

void kernel(uint group) {
    uint k = group * LOCAL + gl_LocalInvocationIndex;
    if (k >= count) return;
    uint v = vertex(k);
    items_store(k, 0u, uvec4(key(v), number(mirror(place(mirror(v)))) - 1u, k, v));
}
