// Pointer jumping: of each root of this round, its ancestor 64 steps up, or its new root; counts[3] is raised if one is not
// there.
void kernel(uint group) {
    uint v = group * LOCAL + gl_LocalInvocationIndex;
    if (v >= n || label(v) != v) return;
    uint at = parent(v), above = parent(at);
    for (uint turn = 0u; turn < 64u && above != at; turn++) {
        at = above;
        above = parent(at);
    }
    next_store(v, 0u, at);
    if (above != at) counts_atomic_max(3u, 1u);
}
