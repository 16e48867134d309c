// Every vertex is a component of its own that has picked no edge.
void kernel(uint group) {
    uint v = group * LOCAL + gl_LocalInvocationIndex;
    if (v >= n) return;
    label_store(v, 0u, v);
    parent_store(v, 0u, v);
    best_store(v, 0u, 0xffffffffu);
}
