// Columns at work that do not own their pivots add those that do, modulo 2, and are at work in the next round; the others are
// settled. A column that waits for its squares, or for room, is left as it is, and is at work in the next round. Columns that
// have more than `brief` entries together are listed, for whole groups (add_long.glsl).
#include "cubical/pivots.glsl"
#include "tree/append.glsl"

// Adds the entries of two columns up, from place `to` on, and returns how many there are.
uint sum(uvec2 a, uvec2 b, uint to) {
    uint i = 0u, j = 0u, made = 0u, all_a = a.y & COUNT, all_b = b.y & COUNT;
    uvec2 x = entries_load(a.x, 0u), y = entries_load(b.x, 0u);
    uint key_x = key(x.x), key_y = key(y.x);
    while (i < all_a || j < all_b) {
        bool same = i < all_a && j < all_b && x.x == y.x && ((x.y ^ y.y) & STAYS) == 0u;
        bool less = x.x == y.x ? x.y < STAYS : lower(key_x, x.x, key_y, y.x);
        bool from_a = same || j >= all_b || (i < all_a && less);
        uvec2 entry = from_a ? x : y;
        if (same) entry.y = ((x.y ^ y.y) & DIRECTIONS) | (x.y & STAYS);
        if ((entry.y & DIRECTIONS) != 0u) entries_store(to + made++, 0u, entry);
        if (from_a && ++i < all_a) {
            x = entries_load(a.x + i, 0u);
            key_x = key(x.x);
        }
        if ((same || !from_a) && ++j < all_b) {
            y = entries_load(b.x + j, 0u);
            key_y = key(y.x);
        }
    }
    return made;
}

void kernel(uint group) {
    uint i = group * LOCAL + gl_LocalInvocationIndex, e = NONE, slot = NONE;
    uint all = 0u;
    uvec2 column = uvec2(0u), other = uvec2(0u);
    if (i < counts_load(ROUNDS + round)) {
        e = listed == 0u ? i : working(i, 0u);
        slot = claimed(i, 0u);
    }
    bool goes_on = slot == WAITS, is_long = slot == ADDS;
    if (slot < ADDS) {
        uint owner = slots(slot, 0u);
        column = columns_load(e, 0u);
        other = columns_load(owner, 0u);
        if (owner == e) columns_store(e, 0u, uvec2(column.x, column.y | SETTLED));
        else all = (column.y & COUNT) + (other.y & COUNT);
        is_long = all > brief;
    }
    if (is_long) longs_store(counts_atomic_add(LONGS + round % LISTS, 1u), 0u, i);
    bool adds = all != 0u && !is_long, fits = counts_load(USED) <= room;
    uint to = reserve(adds && fits ? all : 0u, USED);
    if (adds) {
        uint made = column.y;
        if (fits && to <= room && all <= room - to) {
            made = sum(column, other, to);
            columns_store(e, 0u, uvec2(to, made));
        }
        goes_on = made != 0u;
    }
    uint at = reserve(goes_on, ROUNDS + round + 1u);
    if (goes_on) next_store(at, 0u, e);
}
