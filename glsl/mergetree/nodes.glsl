// Marks the vertex of each node of a contour tree with one more than the node's number, and finds the vertex where the
// branch that it lies on begins. split: place is that of the split tree, which is made of the vertices from the last to the first.
#include "mergetree/mirror.glsl"

void kernel(uint group) {
    uint k = group * LOCAL + gl_LocalInvocationIndex;
    if (k >= count) return;
    uint v = node(k);
    number_store(v, k + 1u);
    birth_store(k, mirror(place(mirror(v))));
}
