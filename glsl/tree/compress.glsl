// Path compression by pointer jumping: label[v] becomes the root of v. A run takes at most 64 steps; if some vertex
// needs more, label[v] is its ancestor 64 steps up, state[1] is raised, and the pass runs again on these labels. A
// component that remains forgets the edge it chose.
void kernel(uint group) {
    uint v = group * LOCAL + gl_LocalInvocationIndex;
    if (v >= n) return;
    uint at = parent(v), next = parent(at);
    for (uint step = 0u; step < 64u && next != at; step++) {
        at = next;
        next = parent(at);
    }
    label_store(v, at);
    if (next != at) state_atomic_max(1u, 1u);
    if (at != v) return;
    best_key_store(v, 0xffffffffu);
    best_lo_store(v, 0xffffffffu);
    best_hi_store(v, 0xffffffffu);
}
