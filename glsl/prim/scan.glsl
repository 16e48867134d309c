// One group scans a block of 4096 elements, starting from what the blocks before it sum to.
//   COMPACT 0: sums[e] is the sum of source[0 .. e)
//   COMPACT 1: source is 0 or 1; where it is 1, item e goes to kept[its sum] (if there is room)
//   COPY (with COMPACT) 0: the item is the index e; 1: the item is from[e]
// The group with the last element writes the sum of all into total[at].
#if COMPACT != 0 && COMPACT != 1
#error COMPACT is 0 or 1
#endif
#include "lib/barrier.glsl"

#define EACH 16u
#define BLOCK 4096u

shared uint tile[BLOCK + BLOCK / EACH];
shared uint window[2u * LOCAL];

// One spare word for every EACH, so that invocations that go through EACH words each use different banks.
uint slot(uint i) { return i + i / EACH; }

// The sum of x over the invocations before this one; window widths 1, 4, 16, 64, 256.
uint sum_before(uint me, uint x) {
    uint sum = x, at_ = 0u;
    for (uint width = 1u; width < LOCAL; width *= 4u) {
        window[at_ + me] = sum;
        group_barrier();
        for (uint i = 1u; i < 4u; i++)
            if (me >= i * width) sum += window[at_ + me - i * width];
        at_ = LOCAL - at_;
    }
    return sum - x;
}

void emit(uint e, uint sum) {
#if COMPACT
    if (source(e) == 0u || sum >= room) return;
#if COPY
    kept_store(sum, 0u, from(e));
#else
    kept_store(sum, 0u, e);
#endif
#else
    sums_store(e, 0u, sum);
#endif
}

void kernel(uint group) {
    uint me = gl_LocalInvocationIndex, first = group * BLOCK;
    for (uint i = me; i < BLOCK; i += LOCAL) tile[slot(i)] = first + i < n ? source(first + i) : 0u;
    group_barrier();
    uint own = 0u;
    for (uint i = 0u; i < EACH; i++) own += tile[slot(me * EACH + i)];
    // A product, not a branch: zink 22.3 on software Vulkan now and then takes a stale branch on a uniform.
    uint sum = sum_before(me, own) + carried * carry(group);
    for (uint i = 0u; i < EACH; i++) {
        uint x = tile[slot(me * EACH + i)];
        tile[slot(me * EACH + i)] = sum;
        sum += x;
    }
    group_barrier();
    for (uint i = me; i < BLOCK && first + i < n; i += LOCAL) emit(first + i, tile[slot(i)]);
    if (me == LOCAL - 1u && n - first <= BLOCK) total_store(at, 0u, sum);
}
