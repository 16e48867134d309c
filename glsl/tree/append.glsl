// Places in lists that groups share; counts[which] is how many there are.
#include "lib/barrier.glsl"

shared uint members, place;

// A place in list `which`, if so. All invocations of a group call this.
uint reserve(bool so, uint which) {
    if (gl_LocalInvocationIndex == 0u) members = 0u;
    group_barrier();
    uint at = so ? atomicAdd(members, 1u) : 0u;
    group_barrier();
    if (gl_LocalInvocationIndex == 0u && members != 0u) place = counts_atomic_add(which, members);
    group_barrier();
    return place + at;
}
