// Stores branches that the CPU has found. A branch is (its number, depth, parent, jump), (key and vertex of its end, -, -).
void kernel(uint group) {
    uint e = group * LOCAL + gl_LocalInvocationIndex;
    if (e >= count) return;
    uvec4 at = ends(e, 0u), end = ends(e, 1u);
    branch_store(at.x, uvec4(end.xy, at.zw));
    depth_store(at.x, at.y);
}
