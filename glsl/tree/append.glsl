// Places in lists that groups share; counts[which] is how many there are.
#define RESERVE counts_atomic_add
#include "lib/reserve.glsl"

// A place in list `which`, if so. All invocations of a group call this.
uint reserve(bool so, uint which) { return reserve(so ? 1u : 0u, which); }
