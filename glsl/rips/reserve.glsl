// Places in lists that groups share; counts[which] is how many there are.
#include "lib/barrier.glsl"

shared uint members, place_of_group;

// The first of `wanted` places in list `which`. All invocations of a group call this.
uint reserve(uint wanted, uint which) {
    if (gl_LocalInvocationIndex == 0u) members = 0u;
    group_barrier();
    uint at = wanted != 0u ? atomicAdd(members, wanted) : 0u;
    group_barrier();
    if (gl_LocalInvocationIndex == 0u && members != 0u) place_of_group = counts_atomic_add(which, members);
    group_barrier();
    return place_of_group + at;
}
