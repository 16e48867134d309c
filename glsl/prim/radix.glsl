// One digit of a stable radix sort. A group takes TILE consecutive items.
//   MOVE  0: counts[digit · parts + part] = how many items of the part have the digit
//         1: counts has been scanned: where the part's items of the digit go
// To move them, a group first sorts them by the digit, four bits at a time: each invocation counts those of EACH
// consecutive items, for two values of the four bits in one word, and these counts are added up. So items that go to one
// place are stored side by side.
#include "lib/barrier.glsl"

#define DIGITS 256u
#define EACH 8u
#define TILE (LOCAL * EACH)
#define WORDS 8u // of counts of an invocation: 16 values of four bits, two in each

uint digit(uvec4 item) { return (shift < 32u ? item.y >> shift : item.x >> (shift - 32u)) & (DIGITS - 1u); }

#if !MOVE
shared uint counter[DIGITS];

void kernel(uint group) {
    uint me = gl_LocalInvocationIndex, first = group * TILE;
    counter[me] = 0u;
    group_barrier();
    for (uint k = 0u; k < EACH; k++) {
        uint e = first + k * LOCAL + me;
        if (e < n) atomicAdd(counter[digit(items(e))], 1u);
    }
    group_barrier();
    counts_store(me * parts + group, 0u, counter[me]);
}
#else
// An item is its digit and, from bit 16 on, its place in the tile.
shared uint list[2u * TILE];
shared uint counter[WORDS * LOCAL], window[2u * LOCAL], start[DIGITS];

// The sum of x over the invocations before this one; total: of all.
uint sum_before(uint me, uint x, out uint total) {
    uint sum = x, at = 0u;
    for (uint width = 1u; width < LOCAL; width *= 4u) {
        window[at + me] = sum;
        group_barrier();
        for (uint i = 1u; i < 4u; i++)
            if (me >= i * width) sum += window[at + me - i * width];
        at = LOCAL - at;
    }
    window[at + me] = sum;
    group_barrier();
    total = window[at + LOCAL - 1u];
    return sum - x;
}

uint half_of(uint word, uint value) { return word >> (value >> 3 << 4) & 0xffffu; }

// Sorts the list from one half of it to the other by four bits. Values below 8 are counted in the low halves of words.
void split(uint me, uint from, uint bits) {
    for (uint w = 0u; w < WORDS; w++) counter[w * LOCAL + me] = 0u;
    for (uint k = 0u; k < EACH; k++) {
        uint value = list[from + me * EACH + k] >> bits & 15u;
        counter[(value & 7u) * LOCAL + me] += 1u << (value >> 3 << 4);
    }
    group_barrier();
    uint own = 0u, total;
    for (uint w = 0u; w < WORDS; w++) own += counter[me * WORDS + w];
    uint sum = sum_before(me, own, total);
    for (uint w = 0u; w < WORDS; w++) {
        uint x = counter[me * WORDS + w];
        counter[me * WORDS + w] = sum;
        sum += x;
    }
    group_barrier();
    for (uint k = 0u; k < EACH; k++) {
        uint item = list[from + me * EACH + k], value = item >> bits & 15u, at = (value & 7u) * LOCAL + me;
        uint to = half_of(counter[at], value) + (value > 7u ? total & 0xffffu : 0u);
        counter[at] += 1u << (value >> 3 << 4);
        list[TILE - from + to] = item;
    }
    group_barrier();
}

void kernel(uint group) {
    uint me = gl_LocalInvocationIndex, first = group * TILE, count = min(n - first, TILE);
    for (uint k = 0u; k < EACH; k++) {
        uint i = k * LOCAL + me; // those behind the last item come last
        list[i] = (i < count ? digit(items(first + i)) : DIGITS - 1u) | i << 16;
    }
    group_barrier();
    // A loop whose end is no constant, because compilers write calls out.
    for (uint bits = 0u; bits < (n != 0u ? 8u : 0u); bits += 4u) split(me, bits == 0u ? 0u : TILE, bits);
    for (uint k = 0u; k < EACH; k++) {
        uint i = k * LOCAL + me, d = list[i] & 0xffu;
        if (i == 0u || (list[i - 1u] & 0xffu) != d) start[d] = counts(d * parts + group) - i;
    }
    group_barrier();
    for (uint k = 0u; k < EACH; k++) {
        uint i = k * LOCAL + me, item = list[i];
        if (item >> 16 < count) moved_store(start[item & 0xffu] + i, 0u, items(first + (item >> 16)));
    }
}
#endif
