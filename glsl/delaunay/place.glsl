// (second corner, first edge) of each triangle goes among those of its first corner.
void kernel(uint group) {
    uint e = group * LOCAL + gl_LocalInvocationIndex;
    if (e >= edges) return;
    uint at = place(e);
    if (at == 0xffffffffu) return;
    triangle_store(first(row(origin(e))) + at, uvec2(row(origin(e ^ 1u)), e));
}
