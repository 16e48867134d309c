// Brings each list into the order of its numbers, of which no two are equal: a group counts, for each, how many are less. starts: where
// lists begin in `found`, and where the last one ends. Lists of more than MOST stay as they are.
#include "lib/barrier.glsl"
#define MOST 1024u

shared uint list[MOST];

uint count_less(uint own, uint count) {
    uint less = 0u;
    for (uint k = 0u; k < count; k++) less += uint(list[k] < own);
    return less;
}

void kernel(uint group) {
    uint from = starts(group), count = starts(group + 1u) - from;
    if (count > MOST) count = 0u;
    for (uint k = gl_LocalInvocationIndex; k < count; k += LOCAL) list[k] = found_load(from + k);
    group_barrier();
    for (uint k = gl_LocalInvocationIndex; k < count; k += LOCAL)
        found_store(from + count_less(list[k], count), list[k]);
    group_barrier();
}
