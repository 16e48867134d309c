// Adds candidates to the lists of points first, first + 1, …: those that another rank has found, `keep` of each. A point that
// it has given up is given up, as is one that was offered more than its list has room for.
void kernel(uint group) {
    uint i = group * LOCAL + gl_LocalInvocationIndex, row = i / keep, at = 3u * (first + row);
    if (row >= count || progress_load(at + 1u) == 0xffffffffu) return;
    uvec2 candidate = given(row, i % keep);
    if (candidate.y == 0xffffffffu) {
        if (candidate.x == 0u) progress_atomic_add(at, uint(CAPACITY) + 1u);
        return;
    }
    uint slot = progress_atomic_add(at, 1u);
    if (slot < uint(CAPACITY)) list_store(first + row, slot, candidate);
}
