// Every point is a component of its own, has no candidate and has looked at none of its list; there are no edges.
void kernel(uint group) {
    uint v = group * LOCAL + gl_LocalInvocationIndex;
    if (v >= n) return;
    label_store(v, 0u, v);
    to_store(v, 0u, 0xffffffffu);
    sum_store(v, 0u, uvec2(0u));
    cursor_store(v, 0u, 0u);
    edges_store(v, 0u, uvec4(0xffffffffu));
}
