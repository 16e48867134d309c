// Columns at work whose first squares are on their way let them flow on, from vertex to vertex in their order, until a critical
// square comes first, or for about `most` turns of loops. A column for which there is no room is left as it is. If more than
// `brief` entries that were there are still there, these become the column, which is PENDING: what is to be added to it is a
// list, whose place is in `pending`; its first entry says how many follow, and behind them is room for both together
// (add_long.glsl).
#include "cubical/visit.glsl"
#include "cubical/pivots.glsl"

const uint FRONT = 64u;  // squares that vertices have sent to others
const uint SENT = 24u;   // the most squares that one vertex sends
const uint VISIT = 100u; // turns of the loops of a visit, about

// A heap of squares that were sent, by vertex, the first one first. One array, as flow.glsl says.
uint kept[4u * FRONT], fronts = 0u;
#define front_key(i) kept[i]
#define front_at(i) kept[FRONT + (i)]
#define front_set(i) kept[2u * FRONT + (i)]

void put(uint at, uint k, uint v, uint set) {
    front_key(at) = k;
    front_at(at) = v;
    front_set(at) = set;
}

void push(uint k, uint v, uint set) {
    uint at = fronts++;
    while (at != 0u) {
        uint up = (at - 1u) >> 1;
        if (!lower(k, v, front_key(up), front_at(up))) break;
        put(at, front_key(up), front_at(up), front_set(up));
        at = up;
    }
    put(at, k, v, set);
}

void drop_first() {
    uint at = 0u, last = --fronts, k = front_key(last), v = front_at(last), set = front_set(last);
    while (2u * at + 1u < fronts) {
        uint child = 2u * at + 1u;
        if (child + 1u < fronts &&
            lower(front_key(child + 1u), front_at(child + 1u), front_key(child), front_at(child)))
            child++;
        if (!lower(front_key(child), front_at(child), k, v)) break;
        put(at, front_key(child), front_at(child), front_set(child));
        at = child;
    }
    put(at, k, v, set);
}

// The first entry of the column comes from the heap, or from those that were there, which lie in order from place `at` on; of
// one vertex those on their way come first. What is left is written in order from place `to` on.
void kernel(uint group) {
    uint i = group * LOCAL + gl_LocalInvocationIndex;
    if (i >= counts_load(ROUNDS + round)) return;
    uint e = listed == 0u ? i : working(i, 0u), at = 0u, to = 0u, made = 0u, all = 0u, turns = 0u;
    uvec2 column = columns_load(e, 0u), x = uvec2(NONE, STAYS), stay = uvec2(NONE, 0u);
    if (column.y == 0u || (column.y & PENDING) != 0u) return;
    x = entries_load(column.x, 0u);
    if (x.y >= STAYS) return;
    uint key_x = key(x.x);
    bool flows = true, is_long = false;
    fronts = 0u;
    while (true) {
        // All of the first vertex.
        uvec2 next = uvec2(NONE, 0u);
        bool there = at < column.y;
        if (fronts != 0u && (!there || !lower(key_x, x.x, front_key(0u), front_at(0u)))) next.x = front_at(0u);
        else if (there && (x.y < STAYS || !flows)) next = uvec2(x.x, x.y & STAYS);
        if (flows && (next.x == NONE || stay.y != 0u || turns >= most || fronts + SENT >= FRONT)) {
            flows = false;
            is_long = column.y - at > brief;
            all = column.y - at + fronts + 1u;
            if (is_long) all += fronts + 2u;
            to = counts_load(USED) <= room ? counts_atomic_add(USED, all) : NONE;
            if (to > room || all > room - to) return;
            if (is_long) {
                columns_store(e, 0u, uvec2(column.x + at, (column.y - at) | PENDING));
                pending_store(e, 0u, to++);
                at = column.y;
            }
            if (stay.y != 0u) {
                if (at < column.y && x == uvec2(stay.x, x.y | STAYS)) {
                    stay.y ^= x.y & DIRECTIONS;
                    if (++at < column.y) x = entries_load(column.x + at, 0u);
                    key_x = key(x.x);
                }
                if (stay.y != 0u) entries_store(to + made++, 0u, uvec2(stay.x, stay.y | STAYS));
            }
            continue;
        }
        if (next.x == NONE) break;
        while (fronts != 0u && front_at(0u) == next.x && next.y < STAYS) {
            next.y ^= front_set(0u);
            drop_first();
        }
        if (at < column.y && x.x == next.x && ((x.y ^ next.y) & STAYS) == 0u) {
            next.y ^= x.y & DIRECTIONS;
            if (++at < column.y) {
                x = entries_load(column.x + at, 0u);
                key_x = key(x.x);
            }
        }
        if ((next.y & DIRECTIONS) == 0u) continue;
        if (!flows) entries_store(to + made++, 0u, next);
        else {
            uint lower_star = star(next.x, 0u);
            uvec2 left = visit(next.x, lower_star, next.y, 0u);
            for (uint i = 0u; i < squares_of(left.y); i++) {
                uvec3 sent = send(next.x, lower_star, left.y, i);
                if (sent.z != 0u) push(sent.x, sent.y, sent.z);
            }
            stay = uvec2(next.x, left.x);
            turns += VISIT;
        }
    }
    if (is_long) entries_store(to - 1u, 0u, uvec2(made, 0u));
    else columns_store(e, 0u, uvec2(to, made));
}
