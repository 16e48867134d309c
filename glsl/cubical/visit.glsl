// A vertex that squares flow through along the discrete gradient, modulo 2: cubical/flow.c says how. Who includes this has
// push(key, vertex, square), which is called for squares on their way to another vertex.
//
// The sets that loops go through are no constants, so compilers do not unroll the loops. rows: nine, of three neighbors each,
// whose keys are on their way together; sides: a bit for each direction of an edge. filter_ended: there is `ended`, a byte a
// vertex for its critical squares that cubes end; where these are all that it has, they are left out.
#include "field/beside.glsl"
#include "field/grid.glsl"

void push(uint k, uint v, uint square);

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

// What step d along an axis adds to an index.
uint part_of(uvec3 along, int d) { return d < 0 ? along.x : d > 0 ? along.z : along.y; }

// Lets squares that are on their way to v pass it, or begins with an edge there. Those that go on to other vertices are
// pushed. Returns the critical ones that are left here. Edges are three bits each, as are the names of their components: their
// first edges.
uint visit(uint v, uint squares, uint edges) {
    uint stay = 0u;
    uvec3 p = uvec3(place(v)), xs = beside(p.x, nx, 1u, 1u), ys = beside(p.y, ny, 2u, nx),
          zs = beside(p.z, nz, 4u, nx * ny);
    uint own = key(v), below = 0u, there = in_grid(p.x, p.y, p.z), closing = 0u, names = 0x2c688u;
    for (uint row = 0u; row < rows; row++) {
        int dy = int(row % 3u) - 1, dz = int(row / 3u) - 1;
        uint base = part_of(ys, dy) + part_of(zs, dz), at = 3u * row;
        uvec3 w = xs + base, keys = uvec3(key(w.x), key(w.y), key(w.z));
        below |= ((lower(keys.x, w.x, own, v) ? 1u : 0u) | (lower(keys.y, w.y, own, v) ? 2u : 0u) |
                  (lower(keys.z, w.z, own, v) ? 4u : 0u))
                 << at;
    }
    below = (below & there) | 1u << 13;
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
        uint by_cubes = filter_ended == 0u ? 0u : ended(v >> 2, 0u) >> 8u * (v & 3u) & 255u;
        if (by_cubes != uint(bitCount(critical))) stay = left;
    }
    for (; edges != 0u; edges &= edges - 1u) {
        ivec3 along = edge_step(uint(findLSB(edges)) / 3u);
        for (uint rest = sides; rest != 0u; rest &= rest - 1u) {
            ivec3 side = edge_step(uint(findLSB(rest)));
            uint near_bit = 1u << direction_of(side), both = near_bit | 1u << direction_of(side + along);
            if (along * along == side * side || (there & near_bit) == 0u || (below & both) == both) continue;
            uint near = part_of(xs, side.x) + part_of(ys, side.y) + part_of(zs, side.z), near_key = key(near);
            ivec3 beyond = side + along;
            uint far = part_of(xs, beyond.x) + part_of(ys, beyond.y) + part_of(zs, beyond.z), far_key = key(far);
            bool to_far = lower(near_key, near, far_key, far);
            uint square = 1u << direction_of((to_far ? -along : along) - side);
            push(to_far ? far_key : near_key, to_far ? far : near, square);
        }
    }
    return stay;
}
