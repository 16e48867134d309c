// Sets state[which] to 1 if any invocation of a group wants that, by one atomic operation a group: many on one word
// wait for one another. All invocations of a group call this. RAISE: the atomic maximum of another array.
#include "lib/barrier.glsl"

#ifndef RAISE
#define RAISE state_atomic_max
#endif

shared uint wanted_here;

void raise(bool wanted, uint which) {
    if (gl_LocalInvocationIndex == 0u) wanted_here = 0u;
    group_barrier();
    if (wanted) wanted_here = 1u;
    group_barrier();
    if (gl_LocalInvocationIndex == 0u && wanted_here != 0u) RAISE(which, 1u);
}
