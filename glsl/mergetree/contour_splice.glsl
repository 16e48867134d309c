// Leads from the nodes of a list past the parents that a round has taken away. state[0]: some go on.
const uint NONE = 0xffffffffu;

void kernel(uint group) {
    uint i = group * LOCAL + gl_LocalInvocationIndex;
    if (i >= count) return;
    uint k = list(i), up = parent_load(k);
    if (up == NONE || leaf(up) == NONE) return;
    parent_store(k, parent_load(up));
    state_atomic_max(0u, 1u);
}
