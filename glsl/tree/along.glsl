// Minima along chains, by age: a scan of RUN elements an invocation. w of an element is 0xffffffff unless it begins a chain.
//   STEP 0, of more than one group: blocks gets, of each, the oldest since the last element that begins a chain, whether there is one in w
//   STEP 1: along gets the oldest of each chain so far; before: what STEP 0 finds, scanned
#include "lib/barrier.glsl"
#include "tree/older.glsl"

#define RUN 8u
#define NONE 0xffffffffu
#define NOBODY uvec4(NONE, NONE, NONE, NONE)

shared uvec4 part[LOCAL];

// a comes before b.
uvec4 joined(uvec4 a, uvec4 b) {
    if (b.w != NONE) return b;
    uvec4 both = is_older(a, b) ? a : b;
    both.w = a.w;
    return both;
}

void kernel(uint group) {
    uint me = gl_LocalInvocationIndex, first = (group * LOCAL + me) * RUN;
    uint end = min(first + RUN, count); // no constant, as the end of widths: so compilers do not unroll the loops
    uvec4 sum = NOBODY;
    for (uint k = first; k < end; k++) sum = joined(sum, brought(k));
    for (uint width = 1u; width < min(LOCAL, count); width *= 2u) {
        part[me] = sum;
        group_barrier();
        if (me >= width) sum = joined(part[me - width], sum);
        group_barrier();
    }
#if STEP == 0
    if (me == LOCAL - 1u) blocks_store(group, 0u, sum);
#else
    part[me] = sum;
    group_barrier();
    uvec4 so_far = me > 0u ? part[me - 1u] : NOBODY;
    if (group > 0u) so_far = joined(before(group - 1u), so_far);
    for (uint k = first; k < end; k++) {
        so_far = joined(so_far, brought(k));
        along_store(k, 0u, so_far);
    }
#endif
}
