// The first point of each chosen cluster.
#include "hdbscan/member.glsl"

void kernel(uint group) {
    uint v = group * LOCAL + gl_LocalInvocationIndex;
    if (v >= n) return;
    uint rank = holders(v), chosen = marks(of(rank)).x;
    if (is_member(chosen, lambdas(rank)) && v < appears_load(chosen)) appears_atomic_min(chosen, v);
}
