// A histogram: each group counts (key >> shift) & mask over `span` keys.
//   PRIVATE 1: in shared memory first (mask < 1024), then one addition for each group and bin; 0: straight into bins
#include "lib/barrier.glsl"

#if PRIVATE
shared uint counts[1024];
#endif

void count(uint bin) {
#if PRIVATE
    atomicAdd(counts[bin], 1u);
#else
    bins_atomic_add(bin, 1u);
#endif
}

void kernel(uint group) {
    uint me = gl_LocalInvocationIndex, first = group * span;
#if PRIVATE
    for (uint b = me; b <= mask; b += LOCAL) counts[b] = 0u;
    group_barrier();
#endif
    for (uint i = me; i < span && first + i < n; i += LOCAL) count((keys(first + i) >> shift) & mask);
#if PRIVATE
    group_barrier();
    for (uint b = me; b <= mask; b += LOCAL)
        if (counts[b] != 0u) bins_atomic_add(b, counts[b]);
#endif
}
