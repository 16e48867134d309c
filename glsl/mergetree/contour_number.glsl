// Numbers the nodes, which are in order: number is, of the vertex of a node, one more than that; by_vertex its place by vertex.
void kernel(uint group) {
    uint k = group * LOCAL + gl_LocalInvocationIndex;
    if (k >= count) return;
    uvec4 own = items(k);
    vertex_store(k, own.y);
    by_vertex_store(k, own.z);
    number_store(own.y, k + 1u);
}
