// Writes (second corner, first edge) of each triangle to its place among the triangles of its first corner.
void kernel(uint group) {
    uint e = group * LOCAL + gl_LocalInvocationIndex;
    if (e >= edges) return;
    uint at = place(e);
    if (at == 0xffffffffu) return;
    triangle_store(first(row(origin(e))) + at, uvec2(row(origin(e ^ 1u)), e));
}
