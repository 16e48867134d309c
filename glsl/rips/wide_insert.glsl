// Adds up equal cells: the first of them that gets a slot of the table stands for all. Cells whose sum has changed are listed
// for the next round, if they are not settled. OF_TERMS: the same of terms, which are not listed.
#include "rips/wide.glsl"

// The cell that stands for cell k; NONE: the search takes more than `most` slots.
uint owner_of(uint k, uvec3 key) {
    uint at = scattered(key) >> (32u - slot_bits), mask = (1u << slot_bits) - 1u, found = NONE;
    for (uint tried = 0u; tried < most && found == NONE; tried++, at++) {
        uint owner = slots_load(at & mask);
        if (owner == NONE) owner = slots_cas(at & mask, NONE, k);
        if (owner == NONE) owner = k;
        if (owner == k || key_of(cells(owner, 0u)) == key) found = owner;
    }
    return found;
}

// Adds to the sum of a cell. Returns whether it is to be listed. stands: it stands for all that are equal.
bool add(uint owner, uint coefficient, bool stands) {
    uint was = sums_load(owner), seen = was, now;
    do {
        was = seen;
        now = (was & ~COEFFICIENT) | ((was & COEFFICIENT) + coefficient) % modulus;
#if OF_TERMS
        if (stands) now |= FIRST;
#else
        if ((was & SETTLED) == 0u) now |= LISTED;
#endif
        seen = sums_cas(owner, was, now);
    } while (seen != was);
    return ((was ^ now) & LISTED) != 0u;
}

void kernel(uint group) {
#if OF_TERMS
    uint begin = first, end = min(state_load(TERMS), room);
#else
    uint begin = state_load(BEGINS + round % 2u), end = min(state_load(CELLS), room);
#endif
    for (uint base = begin + group * LOCAL; base < end; base += all_groups * LOCAL) {
        uint k = base + gl_LocalInvocationIndex, owner = NONE;
        bool listed = false;
        if (k < end) {
            uvec4 cell = cells(k, 0u);
            owner = owner_of(k, key_of(cell));
            if (owner == NONE) state_atomic_or(FULL, OF_TERMS != 0 ? 2u : 1u);
            else listed = add(owner, cell.z & COEFFICIENT, owner == k);
        }
#if !OF_TERMS
        uint at = reserve(listed ? 1u : 0u, ROUNDS + (round + 1u) % ROUND_LISTS);
        if (listed) touched_store((round + 1u) % 2u * room + at, 0u, owner);
#endif
    }
#if !OF_TERMS
    if (group == 0u && gl_LocalInvocationIndex == 0u) {
        state_atomic_exchange(BEGINS + (round + 1u) % 2u, end);
        state_atomic_exchange(LISTED_LEFT, 0u);
    }
    if (group == 0u && gl_LocalInvocationIndex < ALL_PARTS) state_atomic_exchange(PARTS + gl_LocalInvocationIndex, 0u);
#endif
}
