// Pointer jumping: both links of a merge lead 16 times as far, or to their ends; counts[0] is raised if one does not.
void kernel(uint group) {
    uint rank = group * LOCAL + gl_LocalInvocationIndex;
    if (rank >= count) return;
    uvec2 at = links(rank), far = uvec2(links(at.x).x, links(at.y).y);
    for (uint turn = 0u; turn < 16u && far != at; turn++) {
        at = far;
        far = uvec2(links(at.x).x, links(at.y).y);
    }
    next_store(rank, 0u, at);
    if (far != at) counts_atomic_max(0u, 1u);
}
