// Makes the steps of a diagram on a line (compare/slices), in order: a group each, by Batcher's bitonic sort.
//   points     births and deaths, whole numbers of 2^-29 of half the range of all values, from its middle
//   turns      of a line, the first of which is `from`: cosine and sine of its angle, divided by the root of two, whole numbers of 2^-30
#include "lib/barrier.glsl"

#define MOST 4096u

shared uint list[MOST];

// Half the range, and half a unit, are added before bits below the unit are cut off: places are rounded and not negative.
uint place_of(int x, int cosine, int y, int sine, uint bits) {
    int x_high, x_low, y_high, y_low;
    uint low, high, carry;
    imulExtended(x, cosine, x_high, x_low);
    imulExtended(y, sine, y_high, y_low);
    low = uaddCarry(uint(x_low), uint(y_low), carry);
    high = uint(x_high) + uint(y_high) + carry;
    low = uaddCarry(low, 1u << (bits - 1u), carry);
    high += carry + (1u << (bits - 3u));
    return high << (32u - bits) | low >> bits;
}

void exchange(uint a, uint b) {
    uint first = list[a], second = list[b];
    list[a] = min(first, second);
    list[b] = max(first, second);
}

void kernel(uint group) {
    uint me = gl_LocalInvocationIndex, i = group % n, line = group / n, begin = first(i), size = 2u;
    uint count = first(i + 1u) - begin;
    ivec2 turn = ivec2(turns(from + line));
    for (; size < count; size *= 2u) {}
    for (uint k = me; 2u * k < size; k += 256u) {
        uvec2 both = uvec2(0xffffffffu);
        if (2u * k < count) {
            ivec2 point = ivec2(points(begin / 2u + k));
            both.x = place_of(point.x, turn.x, point.y, turn.y, 30u) << 1;
            both.y = place_of(point.x + point.y, turn.x + turn.y, 0, 0, 31u) << 1 | 1u;
        }
        list[2u * k] = both.x;
        list[2u * k + 1u] = both.y;
    }
    group_barrier();
    for (uint block = 2u; block <= size; block *= 2u)
        for (uint apart = block / 2u; apart > 0u; apart /= 2u) {
            for (uint k = me; 2u * k < size; k += 256u) {
                uint a = 2u * k - (k & (apart - 1u));
                exchange(a, apart == block / 2u ? a ^ (block - 1u) : a + apart);
            }
            group_barrier();
        }
    for (uint k = me; k < count; k += 256u) steps_store(begin + line * stride + k, list[k]);
}
