// Finds the least edge of each component, 32 bits at a time. The high words of sums are compared before; then come:
//   STEP 0: the low words; points whose candidates have the least high word are listed
//   STEP 1: of the listed, the smaller end; STEP 2: the larger end
// A value only decreases, so the load before the atomic spares those that would change nothing.
#define NONE 0xffffffffu
#if STEP == 0
#include "tree/append.glsl"

void kernel(uint group) {
    uint v = group * LOCAL + gl_LocalInvocationIndex, own = v < n ? label(v) : 0u;
    bool leads = v < n && to(v) != NONE && sum(v).y == best_high(own);
    if (leads && sum(v).x < best_low_load(own)) best_low_atomic_min(own, sum(v).x);
    uint at = reserve(leads, 1u);
    if (leads) list_store(at, 0u, v);
}
#else
uint index_of(uint position) {
    uvec4 texel = rows(position, columns / 2u);
    return columns % 2u == 0u ? texel.x : texel.z;
}

void kernel(uint group) {
    uint e = group * LOCAL + gl_LocalInvocationIndex;
    if (e >= count) return;
    uint v = list(e), own = label(v);
    if (sum(v).x != best_low(own)) return;
    uint a = index_of(v), b = index_of(to(v)), least = min(a, b);
#if STEP == 1
    if (least < best_a_load(own)) best_a_atomic_min(own, least);
#else
    if (least == best_a(own) && max(a, b) < best_b_load(own)) best_b_atomic_min(own, max(a, b));
#endif
}
#endif
