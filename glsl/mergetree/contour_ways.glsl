// arc = of each node that has one, its row, and the branch of its other end in the tree in which the node was no leaf.
// items: as contour_arcs.glsl has them, in rows. below, above: reach in both trees.
void kernel(uint group) {
    uint r = group * LOCAL + gl_LocalInvocationIndex;
    if (r >= count) return;
    uvec4 own = items(r);
    arc_store(own.z, 0u, uvec2(r, own.w > own.z ? above(own.w).x : below(own.w).x));
}
