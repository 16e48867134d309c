// Makes triplets minimal (Nigmetov, Morozov, algorithm 5): other[u] becomes the oldest vertex of u's component at
// saddle[u]. Works in place: what other invocations have stored by then leads to the same vertex. state[1] is raised if
// some u has not arrived after `steps` steps: the pass then runs again.
#include "field/order.glsl"

bool no_later(uint a, uint b) { return a != NONE && !lower(key(b), b, key(a), a); }

void kernel(uint group) {
    uint u = group * LOCAL + gl_LocalInvocationIndex;
    if (u >= n) return;
    uint s = saddle(u), at = other_load(u), step = 0u;
    if (s == NONE) return;
    for (; step < steps && no_later(saddle(at), s); step++) at = other_load(at);
    if (step == 0u) return;
    other_store(u, at);
    if (step == steps) state_atomic_max(1u, 1u);
}
