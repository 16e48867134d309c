// The nodes, which come by vertex, as items that a sort by the first word puts in order: (key, vertex, -, -).
void kernel(uint group) {
    uint i = group * LOCAL + gl_LocalInvocationIndex;
    if (i >= count) return;
    uint v = listed(i);
    items_store(i, 0u, uvec4(key(v), v, 0u, 0u));
}
