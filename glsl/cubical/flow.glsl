// Lets the coboundaries of edges flow along the discrete gradient, modulo 2: cubical/flow.c says how. An invocation takes
// an edge (owner, number of the direction). It goes from vertex to vertex in their order, for about `most` turns of loops.
// ends[e]: (the place of the first of its squares in `squares`, how many are critical | how many are on their way << 16),
// or NONE: not all squares had room, and the edge is left to others. A square is (owner, its directions as bits; of
// critical ones also the number of critical squares there << 27). Squares come in order, those on their way last.
// state[0] counts squares, also those that there is no room for.
//
// The sets that loops go through are no constants, so compilers do not unroll the loops. around: all directions but the
// vertex itself; sides: a bit for each direction of an edge.
#include "mergetree/grid.glsl"
#include "mergetree/bits.glsl"

const uint FRONT = 64u;    // vertices that squares are on their way to
const uint CRITICAL = 32u; // vertices with critical squares
const uint SENT = 12u;     // vertices that one vertex rarely sends to
const uint VISIT = 100u;   // turns of the loops of a visit, about

// One array of all, too large for registers: of smaller ones, which some compilers keep there, Radeon's made a program
// that took it more than 10 s.
uint kept[3u * FRONT + 2u * CRITICAL], fronts = 0u, criticals = 0u, turns = 0u;
bool lost = false;
#define front_key(i) kept[i]
#define front_at(i) kept[FRONT + (i)]
#define front_set(i) kept[2u * FRONT + (i)]
#define critical_at(i) kept[3u * FRONT + (i)]
#define critical_set(i) kept[3u * FRONT + CRITICAL + (i)]

void push(uint k, uint v, uint square) {
    turns += fronts;
    for (uint i = 0u; i < fronts; i++)
        if (front_at(i) == v) {
            front_set(i) ^= square;
            return;
        }
    if (fronts == FRONT) {
        lost = true;
        return;
    }
    front_key(fronts) = k;
    front_at(fronts) = v;
    front_set(fronts++) = square;
}

// Takes the first vertex (vertex, its squares).
uvec2 pop() {
    uint first = 0u;
    turns += fronts;
    for (uint i = 1u; i < fronts; i++)
        if (lower(front_key(i), front_at(i), front_key(first), front_at(first))) first = i;
    uvec2 taken = uvec2(front_at(first), front_set(first));
    fronts--;
    front_key(first) = front_key(fronts);
    front_at(first) = front_at(fronts);
    front_set(first) = front_set(fronts);
    return taken;
}

ivec3 step_of(uint direction) {
    int d = int(direction), z = d / 9, y = d / 3 - 3 * z;
    return ivec3(d - 3 * y - 9 * z - 1, y - 1, z - 1);
}

uint direction_of(ivec3 step) { return uint(13 + step.x + 3 * step.y + 9 * step.z); }

// The step along edge i: -1 along z, y, x, then 1 along x, y, z.
ivec3 edge_step(uint i) {
    int axis = i < 3u ? 2 - int(i) : int(i) - 3, one = i < 3u ? -1 : 1;
    return ivec3(axis == 0 ? one : 0, axis == 1 ? one : 0, axis == 2 ? one : 0);
}

// The two edges of a square: a bit each.
uint edges_of(ivec3 square) {
    return (square.z == 0  ? 0u
            : square.z < 0 ? 1u
                           : 32u) |
           (square.y == 0  ? 0u
            : square.y < 0 ? 2u
                           : 16u) |
           (square.x == 0  ? 0u
            : square.x < 0 ? 4u
                           : 8u);
}

// Returns the squares that are in no pair of the star, of those that close circles of edges. The nodes of the graph are
// the cubes, each named by the last of its component, and 8 for those that are not there: four bits each.
uint critical_squares(uint below, uint closing) {
    uint nodes = 0u, critical = 0u;
    for (uint i = 0u; i < 8u; i++) {
        uint corners = 1u << 13;
        corners |= (i & 1u) != 0u ? corners << 1 : corners >> 1;
        corners |= (i & 2u) != 0u ? corners << 3 : corners >> 3;
        corners |= (i & 4u) != 0u ? corners << 9 : corners >> 9;
        nodes |= ((below & corners) == corners ? i : 8u) << 4u * i;
    }
    while (closing != 0u) {
        uint q = uint(findMSB(closing));
        ivec3 s = step_of(q);
        uint first = (s.x > 0 ? 1u : 0u) | (s.y > 0 ? 2u : 0u) | (s.z > 0 ? 4u : 0u);
        uint second = first | (s.x == 0 ? 1u : 0u) | (s.y == 0 ? 2u : 0u) | (s.z == 0 ? 4u : 0u);
        uint a = nodes >> 4u * first & 15u, b = nodes >> 4u * second & 15u, less = min(a, b);
        uint other = nodes ^ less * 0x11111111u;
        other |= other >> 1;
        other |= other >> 2;
        uint same = ~other & 0x11111111u;
        if (a == b) critical |= 1u << q;
        nodes += same * (max(a, b) - less);
        closing ^= 1u << q;
    }
    return critical;
}

// Lets squares that are on their way to v pass it, or begins with an edge there. Edges are three bits each, as are the
// names of their components: their first edges.
void visit(uint v, uint squares, uint edges) {
    turns += VISIT;
    ivec3 p = place(v);
    bool inside = inner(p);
    uint own = key(v), below = 1u << 13, there = 0u, closing = 0u, names = 0x2c688u;
    for (uint rest = around; rest != 0u; rest &= rest - 1u) {
        ivec3 s = step_of(uint(findLSB(rest)));
        uint w = neighbor(v, p, inside, s.x, s.y, s.z), bit = rest & (0u - rest);
        if (w == NONE) continue;
        there |= bit;
        if (lower(key(w), w, own, v)) below |= bit;
    }
    uint has = (below >> 4 & 1u) | (below >> 9 & 2u) | (below >> 10 & 4u) | (below >> 11 & 8u) | (below >> 12 & 16u) |
               (below >> 17 & 32u);
    for (uint rest = below & 0x2aa8aaau; rest != 0u; rest &= rest - 1u) {
        uint q = uint(findLSB(rest)), both = edges_of(step_of(q));
        if (bitCount(both) != 2 || (has & both) != both) continue;
        uint i = 3u * uint(findLSB(both)), j = 3u * uint(findMSB(both)), a = names >> i & 7u, b = names >> j & 7u;
        uint left = (squares >> q ^ edges >> i ^ edges >> j) & 1u, last = max(a, b);
        if (a == b) {
            closing |= 1u << q;
            squares = squares & ~(1u << q) | left << q;
            continue;
        }
        uint other = names ^ last * 0x9249u;
        uint same = ~(other | other >> 1 | other >> 2) & 0x9249u; // the edges of the component that ends
        names -= same * (last - min(a, b));
        edges ^= same * left;
    }
    if ((squares & closing) != 0u) {
        uint critical = critical_squares(below, closing), left = critical & squares;
        if (left != 0u) {
            critical_at(criticals) = v;
            critical_set(criticals++) = left | uint(bitCount(critical)) << 27;
        }
    }
    for (; edges != 0u; edges &= edges - 1u) {
        ivec3 along = edge_step(uint(findLSB(edges)) / 3u);
        for (uint rest = sides; rest != 0u; rest &= rest - 1u) {
            ivec3 side = edge_step(uint(findLSB(rest)));
            uint near_bit = 1u << direction_of(side), both = near_bit | 1u << direction_of(side + along);
            if (along * along == side * side || (there & near_bit) == 0u || (below & both) == both) continue;
            uint near = neighbor(v, p, inside, side.x, side.y, side.z), near_key = key(near);
            ivec3 beyond = side + along;
            uint far = neighbor(v, p, inside, beyond.x, beyond.y, beyond.z), far_key = key(far);
            bool to_far = lower(near_key, near, far_key, far);
            uint square = 1u << direction_of((to_far ? -along : along) - side);
            push(to_far ? far_key : near_key, to_far ? far : near, square);
        }
    }
}

// Each function is called once: compilers write calls out.
void kernel(uint group) {
    uint e = group * LOCAL + gl_LocalInvocationIndex;
    if (e >= count) return;
    uvec2 edge = edges(e, 0u), next = uvec2(edge.x, 0u);
    uint begin = 1u << 3u * edge.y, at = 0u, on_way = 0u;
    bool ends = false, fits = false;
    fronts = criticals = turns = 0u;
    lost = false;
    while (true) {
        if (!ends) {
            if ((begin | next.y) != 0u) visit(next.x, next.y, begin);
            begin = 0u;
            ends = turns >= most || lost || fronts == 0u || fronts > FRONT - SENT || criticals == CRITICAL;
            if (ends && !lost) {
                at = state_atomic_add(0u, criticals + fronts);
                fits = at + criticals + fronts <= room;
                for (uint i = 0u; i < criticals && fits; i++)
                    squares_store(at + i, 0u, uvec2(critical_at(i), critical_set(i)));
            }
        } else if (fits && next.y != 0u) squares_store(at + criticals + on_way++, 0u, next);
        if (fronts == 0u || lost) break;
        next = pop();
    }
    ends_store(e, 0u, lost ? uvec2(NONE, 0u) : uvec2(at, criticals | on_way << 16));
}
