// The triangles inside the shape of a rank, in components that are joined across edges. label(t) is NONE outside; in the end
// it is the least triangle of t's component. A round is steps 1 and 2. A component that is not the only one around has a
// neighbor with a lesser label, or is that of one: so each round leaves at most half of them.
//   step 0: each triangle is alone
//        1: the least triangle of a component points to the least one across an edge; state(0) is raised if one does
//        2: each triangle points where the pointers lead, at most 64 on; state(1) is raised if they lead farther
#include "lib/raise.glsl"

const uint NONE = 0xffffffffu;

// Returns true if there is one.
bool join(uint t, uint own) {
    uint least = own;
    for (uint k = 0u; k < 3u; k++) {
        uint other = neighbor(t, k);
        if (other != NONE) least = min(least, label_load(other));
    }
    if (least == own) return false;
    label_atomic_min(own, least);
    return true;
}

// Returns true if there is farther to go.
bool go_on(uint t, uint at) {
    uint next = label_load(at);
    for (uint i = 0u; i < 64u && next != at; i++) {
        at = next;
        next = label_load(at);
    }
    label_store(t, at);
    return next != at;
}

void kernel(uint group) {
    uint t = group * LOCAL + gl_LocalInvocationIndex;
    if (step == 0u) {
        if (t < triangles) label_store(t, rank(edges + t) <= limit ? t : NONE);
        return;
    }
    uint at = t < triangles ? label_load(t) : NONE;
    bool raises = false;
    if (at != NONE) raises = step == 1u ? join(t, at) : go_on(t, at);
    raise(raises, step - 1u);
}
