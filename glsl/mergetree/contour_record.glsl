// Nodes as contour_node has them: children of both trees from bits 0 and 31 on, parents; no edges, no arc, the number.
void kernel(uint group) {
    uint k = group * LOCAL + gl_LocalInvocationIndex;
    if (k >= count) return;
    uvec2 low = join(k), high = split(k);
    node_store(k, 0u, uvec4(low.y | high.y << 31, high.y >> 1, low.x, high.x));
    node_store(k, 1u, uvec4(0xffffffffu, 0xffffffffu, 0xffffffffu, k));
}
