// Leads from the nodes of a list past the parents that a round has taken away. state[0]: some go on.
#include "lib/raise.glsl"

const uint NONE = 0xffffffffu;

bool goes_on(uint k) {
    uint up = parent_load(k);
    if (up == NONE || leaf(up) == NONE) return false;
    parent_store(k, parent_load(up));
    return true;
}

void kernel(uint group) {
    uint i = group * LOCAL + gl_LocalInvocationIndex;
    raise(i < count && goes_on(list(i)), 0u);
}
