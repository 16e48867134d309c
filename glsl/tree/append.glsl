// Appends to a list that groups share. The including shader has the ports `list` and `counts`.
#include "lib/barrier.glsl"

shared uint members, place;

// Appends v, if so; counts[which] is how many there are. All invocations of a group call this.
void append(bool so, uint v, uint which) {
    if (gl_LocalInvocationIndex == 0u) members = 0u;
    group_barrier();
    uint at = so ? atomicAdd(members, 1u) : 0u;
    group_barrier();
    if (gl_LocalInvocationIndex == 0u && members != 0u) place = counts_atomic_add(which, members);
    group_barrier();
    if (so) list_store(place + at, 0u, v);
}
