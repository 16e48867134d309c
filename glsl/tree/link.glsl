// Gives edges the clusters that they join: where a component picked the edge, the last edge of its chain; where none did, the
// edge before it in its own chain.
// chains: as place.glsl leaves them, sorted by round, component and rank. The cluster of an edge is n and its rank.
void kernel(uint group) {
    uint e = group * LOCAL + gl_LocalInvocationIndex;
    if (e >= count) return;
    uvec4 own = chains(e);
    uint sides = picked(own.z);
    uvec4 before = chains(max(e, 1u) - 1u), behind = chains(min(e + 1u, count - 1u));
    bool is_first = e == 0u || before.xy != own.xy, is_last = e + 1u == count || behind.xy != own.xy;
    if (sides != 3u) child_store(own.z, sides == 1u ? 1u : 0u, is_first ? 0xffffffffu : n + before.z);
    if (is_last && own.w != 0xffffffffu) child_store(own.w >> 1, own.w & 1u, n + own.z);
}
