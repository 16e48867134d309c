// Brings each list into the order of its numbers, a group a list. starts: where lists begin in `found`, and where the last one ends; no
// two numbers of a list are equal. A short list is sorted by counting: each invocation counts the numbers that are less than its own.
// A longer one is sorted by Batcher's bitonic network. Lists of more than MOST stay as they are.
#include "lib/barrier.glsl"
#define MOST 1024u
#define SHORT 128u

shared uint list[MOST];

uint count_less(uint own, uint count) {
    uint less = 0u;
    for (uint k = 0u; k < count; k++) less += uint(list[k] < own);
    return less;
}

// Sorts `size` places, a power of two.
void sort_places(uint size) {
    for (uint run = 2u; run <= size; run *= 2u)
        for (uint step = run / 2u; step > 0u; step /= 2u) {
            for (uint k = gl_LocalInvocationIndex; k < size / 2u; k += LOCAL) {
                uint low = 2u * k - (k & (step - 1u)), high = low + step, a = list[low], b = list[high];
                bool falls = (low & run) != 0u;
                list[low] = falls ? max(a, b) : min(a, b);
                list[high] = falls ? min(a, b) : max(a, b);
            }
            group_barrier();
        }
}

void kernel(uint group) {
    uint from = starts(group), count = starts(group + 1u) - from, size = SHORT;
    if (count > MOST) count = 0u;
    while (size < count) size *= 2u;
    for (uint k = gl_LocalInvocationIndex; k < size; k += LOCAL)
        list[k] = k < count ? found_load(from + k) : 0xffffffffu;
    group_barrier();
    if (size > SHORT) sort_places(size);
    for (uint k = gl_LocalInvocationIndex; k < count; k += LOCAL)
        found_store(from + (size > SHORT ? k : count_less(list[k], count)), list[k]);
    group_barrier();
}
