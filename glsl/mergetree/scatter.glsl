// The fates found elsewhere: (branch, its depth, parent, jump), (key and vertex of its end, -, -).
void kernel(uint group) {
    uint e = group * LOCAL + gl_LocalInvocationIndex;
    if (e >= count) return;
    uvec4 at = fates(e, 0u), end = fates(e, 1u);
    branch_store(at.x, uvec4(end.xy, at.zw));
    depth_store(at.x, at.y);
}
