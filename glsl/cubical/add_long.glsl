// A group adds two columns that are long, as add.glsl does those that are not: of both together, in order, an invocation finds
// the entry of its place.
#include "cubical/pivots.glsl"
#include "lib/barrier.glsl"

shared uint sums[LOCAL], place;

// Whether entry x of the column at work comes before y of the owner, or is the same vertex's.
bool first_or_same(uvec2 x, uvec2 y) {
    if (x.x == y.x) return x.y < STAYS || y.y >= STAYS;
    return lower(key(x.x), x.x, key(y.x), y.x);
}

bool same(uvec2 x, uvec2 y) { return x.x == y.x && ((x.y ^ y.y) & STAYS) == 0u; }

// How many of the entries at places a … a + all_a - 1 and b … are the first d of all.
uint split(uint a, uint all_a, uint b, uint all_b, uint d) {
    uint low = d > all_b ? d - all_b : 0u, high = min(d, all_a);
    while (low < high) {
        uint middle = (low + high) / 2u;
        if (first_or_same(entries_load(a + middle, 0u), entries_load(b + d - 1u - middle, 0u))) low = middle + 1u;
        else high = middle;
    }
    return low;
}

// The entry at place d of both, none if it cancels or has been added to the one before.
uvec2 entry_at(uint a, uint all_a, uint b, uint all_b, uint d) {
    uint i = split(a, all_a, b, all_b, d), j = d - i;
    uvec2 x = i < all_a ? entries_load(a + i, 0u) : uvec2(NONE, 0u);
    uvec2 y = j < all_b ? entries_load(b + j, 0u) : uvec2(NONE, 0u);
    if (j >= all_b || (i < all_a && first_or_same(x, y))) {
        if (same(x, y)) x.y = ((x.y ^ y.y) & DIRECTIONS) | (x.y & STAYS);
        return x;
    }
    if (i != 0u && same(entries_load(a + i - 1u, 0u), y)) y.y = 0u;
    return y;
}

// The sum of what the invocations up to this one have.
uint sum_up_to(uint own) {
    uint lane = gl_LocalInvocationIndex;
    sums[lane] = own;
    group_barrier();
    for (uint step = 1u; step < LOCAL; step *= 2u) {
        uint before = lane >= step ? sums[lane - step] : 0u;
        group_barrier();
        sums[lane] += before;
        group_barrier();
    }
    return sums[lane];
}

// Adds what a slot says to a column: the owner, or what the column flows to, for which there is room.
void add(uint e, uint slot) {
    uint lane = gl_LocalInvocationIndex, list = slot == ADDS ? pending(e, 0u) : NONE;
    uvec2 column = columns_load(e, 0u), other = uvec2(0u);
    if (slot == ADDS) other = uvec2(list + 1u, entries_load(list, 0u).x);
    else other = columns_load(slots(slot, 0u), 0u);
    column.y &= COUNT;
    other.y &= COUNT;
    uint all = column.y + other.y, made = column.y, to = other.x + other.y;
    if (slot != ADDS) {
        if (lane == 0u) place = all <= longest && counts_load(USED) <= room ? counts_atomic_add(USED, all) : NONE;
        group_barrier();
        to = place;
    }
    bool fits = to <= room && all <= room - to;
    if (fits) made = 0u;
    for (uint begin = 0u; fits && begin < all; begin += LOCAL) {
        uvec2 entry = uvec2(0u);
        if (begin + lane < all) entry = entry_at(column.x, column.y, other.x, other.y, begin + lane);
        uint own = (entry.y & DIRECTIONS) != 0u ? 1u : 0u, upto = sum_up_to(own);
        if (own != 0u) entries_store(to + made + upto - 1u, 0u, entry);
        made += sums[LOCAL - 1u];
        group_barrier();
    }
    if (lane != 0u) return;
    if (fits) columns_store(e, 0u, uvec2(to, made));
    if (made != 0u && (fits || all <= longest)) next_store(counts_atomic_add(ROUNDS + round + 1u, 1u), 0u, e);
}

void kernel(uint group) {
    uint count = counts_load(LONGS + round % LISTS);
    if (group == 0u && gl_LocalInvocationIndex == 0u) counts_atomic_exchange(LONGS + (round + 1u) % LISTS, 0u);
    for (uint k = group; k < count; k += all_groups) {
        uint i = longs(k, 0u);
        uint e = listed == 0u ? i : working(i, 0u);
        group_barrier();
        add(e, claimed(i, 0u));
    }
}
