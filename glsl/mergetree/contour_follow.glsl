// Follows pointers twice as far, of nodes in a list: all bits end a way, as does a node that points at itself. state[0]: some go on.
const uint NONE = 0xffffffffu;

void kernel(uint group) {
    uint i = group * LOCAL + gl_LocalInvocationIndex;
    if (i >= count) return;
    uint k = every != 0u ? i : list(i), at = to_load(k);
    if (at == NONE || at == k) return;
    uint next = to_load(at);
    if (next == at) return;
    to_store(k, next);
    state_atomic_max(0u, 1u);
}
