// Places in lists that groups share; state[which] is how many there are.
#include "lib/barrier.glsl"

shared uint members, place_of_group;

// The first of `count` places in list `which`. All invocations of a group call this.
uint reserve(uint count_, uint which) {
    if (gl_LocalInvocationIndex == 0u) members = 0u;
    group_barrier();
    uint at = count_ != 0u ? atomicAdd(members, count_) : 0u;
    group_barrier();
    if (gl_LocalInvocationIndex == 0u) place_of_group = members != 0u ? state_atomic_add(which, members) : 0u;
    group_barrier();
    return place_of_group + at;
}
