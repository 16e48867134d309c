// The tree of no edges: every vertex u begins a component that never ends, (u, none, u), in record u.
void kernel(uint group) {
    uint u = group * LOCAL + gl_LocalInvocationIndex;
    if (u >= n) return;
    record_store(u, 0u, u);
    saddle_store(u, 0u, 0xffffffffu);
    other_store(u, 0u, u);
}
