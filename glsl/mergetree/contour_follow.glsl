// Follows pointers twice as far, of nodes in a list: all bits end a way, as does a node that points at itself. state[0]: some go on.
#include "lib/raise.glsl"

const uint NONE = 0xffffffffu;

bool goes_on(uint k) {
    uint at = to_load(k);
    if (at == NONE || at == k) return false;
    uint next = to_load(at);
    if (next == at) return false;
    to_store(k, next);
    return true;
}

void kernel(uint group) {
    uint i = group * LOCAL + gl_LocalInvocationIndex;
    raise(i < count && goes_on(every != 0u ? i : list(i)), 0u);
}
