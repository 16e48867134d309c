// Numbers the nodes, which are in order: number is, of the vertex of a node, one more than that.
void kernel(uint group) {
    uint k = group * LOCAL + gl_LocalInvocationIndex;
    if (k >= count) return;
    uint v = items(k).y;
    vertex_store(k, v);
    number_store(v, k + 1u);
}
