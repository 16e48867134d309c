// The forest of branches as climb.glsl has it, by places; they jump nowhere. up: of each branch its parent, and how far up that is:
// 1, or 0 for one that does not end.
void kernel(uint group) {
    uint p = group * LOCAL + gl_LocalInvocationIndex;
    if (p >= n) return;
    uvec4 own = ends(p);
    bool falls = p >= essential;
    uint to = falls ? place(parent(n - 1u - p)) : p;
    branch_store(p, 0u, uvec4(~own.xy, to, p));
    up_store(p, 0u, uvec2(to, falls ? 1u : 0u));
}
