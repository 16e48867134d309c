// One round of odd-even transposition: first (0,1) (2,3) … are put in order, then (1,2) (3,4) … Each element works out
// its new pair from the four around it. FLOAT 1: keys are floats.
// moved[e] is 1 where the pair changed. Elements from n on are copied.
#include "lib/ordered.glsl"

uvec2 pair(uint e) {
#if FLOAT
    return uvec2(floatBitsToUint(keys(e)), values(e));
#else
    return uvec2(keys(e), values(e));
#endif
}

bool before(uvec2 a, uvec2 b) {
#if FLOAT
    uint x = ordered_bits(a.x), y = ordered_bits(b.x);
#else
    uint x = a.x, y = b.x;
#endif
    return x < y || (x == y && a.y < b.y);
}

// The one of two neighboring pairs that belongs at the lower (or upper) place.
uvec2 choose(uvec2 lower, uvec2 upper, bool want_lower) { return before(upper, lower) == want_lower ? upper : lower; }

// What stands at e after the first half of the round.
uvec2 halfway(uint e) {
    uint other = e ^ 1u;
    if (other >= n) return pair(e);
    return choose(pair(min(e, other)), pair(max(e, other)), e < other);
}

uvec2 after(uint e) {
    uint other = (e & 1u) != 0u ? e + 1u : e - 1u; // of 0: 2^32 - 1
    if (other >= n) return halfway(e);
    return choose(halfway(min(e, other)), halfway(max(e, other)), e < other);
}

void kernel(uint e) {
    uvec2 was = pair(e), now = e < n ? after(e) : was;
#if FLOAT
    new_keys = uintBitsToFloat(now.x);
#else
    new_keys = now.x;
#endif
    new_values = now.y;
    moved = now == was ? 0u : 1u;
}
