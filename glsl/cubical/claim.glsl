// Columns at work claim their pivots: of several with the same one the first in the order of reduction gets it, which is the
// one of the last edge. claimed[i] becomes the slot of the pivot, WAITS or ADDS; or NONE: the column is not known, has no
// squares, or the search takes more than `most` slots. A column that loses its pivot, and was not at work, is at work in the
// next round.
#include "cubical/pivots.glsl"

// The slot where the search for a pivot of v begins: neighbors have neighboring slots.
uint first_slot(uint v) { return ((v >> 6) * 0x9e3779b1u >> (32u - slot_bits)) + (v & 63u); }

// Whether edge a comes before b in the order of reduction.
bool first(uint a, uint b) {
    uint v = edges(a, 0u).x, w = edges(b, 0u).x;
    return v == w ? a > b : lower(key(w), w, key(v), v);
}

void displace(uint e) {
    uvec2 column = columns_load(e, 0u);
    if ((column.y & SETTLED) == 0u) return;
    columns_store(e, 0u, uvec2(column.x, column.y ^ SETTLED));
    next_store(counts_atomic_add(ROUNDS + round + 1u, 1u), 0u, e);
}

void kernel(uint group) {
    uint i = group * LOCAL + gl_LocalInvocationIndex;
    if (i >= counts_load(ROUNDS + round)) return;
    uint e = listed == 0u ? i : working(i, 0u), at = NONE;
    uvec2 column = columns_load(e, 0u), pivot = uvec2(0u);
    if ((column.y & PENDING) != 0u) at = ADDS;
    bool goes_on = column.y != 0u && at == NONE;
    if (goes_on) pivot = entries(column.x, 0u);
    if (goes_on && pivot.y < STAYS) at = WAITS;
    if (pivot.y >= STAYS) {
        uint slot = first_slot(pivot.x), mask = (1u << slot_bits) - 1u;
        int part = findLSB(pivot.y);
        for (uint k = 0u; k < most && at == NONE; k++) {
            uint owner = slots_load(slot &= mask);
            if (owner == NONE) owner = slots_cas(slot, NONE, e);
            if (owner == NONE) at = slot;
            else {
                uvec2 other = entries(columns_load(owner, 0u).x, 0u);
                if (other.x != pivot.x || findLSB(other.y) != part) slot++;
                else if (first(owner, e)) at = slot;
                else if (slots_cas(slot, owner, e) == owner) {
                    displace(owner);
                    at = slot;
                }
            }
        }
    }
    claimed_store(i, 0u, at);
}
