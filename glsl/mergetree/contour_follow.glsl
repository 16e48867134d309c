// Follows pointers twice as far, of nodes in a list: all bits end a way, as does a node that points at itself. state[0]: some go on.
const uint NONE = 0xffffffffu;

void kernel(uint group) {
    uint i = group * LOCAL + gl_LocalInvocationIndex;
    if (i >= count) return;
    uint k = every != 0u ? i : list(i), at = to(k), next = at;
    if (at != NONE && at != k) next = to(at);
    if (next != at) state_atomic_max(0u, 1u);
    further_store(k, next);
}
