// Places in lists that groups share; state[which] is how many there are. RESERVE: the atomic sum of another array.
#include "lib/barrier.glsl"

#ifndef RESERVE
#define RESERVE state_atomic_add
#endif

shared uint members, place_of_group;

// The first of `count_` places in list `which`. All invocations of a group call this.
uint reserve(uint count_, uint which) {
    if (gl_LocalInvocationIndex == 0u) members = 0u;
    group_barrier();
    uint at = count_ != 0u ? atomicAdd(members, count_) : 0u;
    group_barrier();
    if (gl_LocalInvocationIndex == 0u) place_of_group = members != 0u ? RESERVE(which, members) : 0u;
    group_barrier();
    return place_of_group + at;
}
