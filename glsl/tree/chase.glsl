// Pointer doubling, 64 steps at a time: label[v] is v's root, or, with state[1] raised, an ancestor 64 steps
// up; run again on that. Components that remain forget their choice.
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
