// A vertex that squares flow through along the discrete gradient, modulo 2: cubical/flow.c says how. First visit() lets them
// pass, then send() says where they go on to.
//
// The sets that loops go through are no constants, so compilers do not unroll the loops. star: of each vertex (star.glsl).
// filter_ended: there is `ended`, a byte a vertex for its critical squares that cubes end; where these are all that it has,
// they are left out.
#include "field/order.glsl"
#include "cubical/star.glsl"

const uint SQUARES = 0x2aa8aaau; // the directions that squares have

// The edges of a square, the lower number first: four bits each, in the order of the squares' directions.
uvec2 edges_of(uint square) {
    uint at = 2u * square - 2u & 31u;
    return (square < 16u ? uvec2(0x20110000u, 0x40324321u) : uvec2(0x43213u, 0x55554u)) >> at & 15u;
}

// Returns the squares that are in no pair of the star, of those that close circles of edges. The nodes of the graph are
// the cubes, each named by the last of its component, and 8 for those that are not there: four bits each.
uint critical_squares(uint star, uint closing) {
    uint nodes = 0u, critical = 0u;
    for (uint i = 0u; i < 8u; i++) nodes |= ((star & cube_bit(i)) != 0u ? i : 8u) << 4u * i;
    while (closing != 0u) {
        uint q = uint(findMSB(closing)), x = q % 3u, y = q / 3u % 3u, z = q / 9u; // the middle one: 1
        uint first = (x > 1u ? 1u : 0u) | (y > 1u ? 2u : 0u) | (z > 1u ? 4u : 0u);
        uint second = first | (x == 1u ? 1u : 0u) | (y == 1u ? 2u : 0u) | (z == 1u ? 4u : 0u);
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

// Lets squares that are on their way to vertex v pass it, or begins with an edge there. star: its lower star. Returns the
// critical squares that are left here, and the edges whose other squares go on. Edges are three bits each, as are the names of
// their components: their first edges.
uvec2 visit(uint v, uint star, uint squares, uint edges) {
    uint stay = 0u, closing = 0u, names = 0x2c688u;
    for (uint rest = star & SQUARES; rest != 0u; rest &= rest - 1u) {
        uint q = uint(findLSB(rest));
        uvec2 both = 3u * edges_of(q);
        uint a = names >> both.x & 7u, b = names >> both.y & 7u, last = max(a, b);
        uint left = (squares >> q ^ edges >> both.x ^ edges >> both.y) & 1u;
        uint other = names ^ last * 0x9249u;
        uint same = ~(other | other >> 1 | other >> 2) & 0x9249u; // the edges of the component that ends
        if (a == b) {
            closing |= 1u << q;
            squares = squares & ~(1u << q) | left << q;
        } else {
            names -= same * (last - min(a, b));
            edges ^= same * left;
        }
    }
    if ((squares & closing) != 0u) {
        uint critical = critical_squares(star, closing), left = critical & squares;
        uint by_cubes = filter_ended == 0u ? 0u : ended(v >> 2, 0u) >> 8u * (v & 3u) & 255u;
        if (by_cubes != uint(bitCount(critical))) stay = left;
    }
    return uvec2(stay, edges);
}

// How many squares there are at the edges: four at each.
uint squares_of(uint edges) { return 4u * uint(bitCount(edges)); }

// What a step along an edge adds to the index of a vertex that lies at these ends.
uint index_step(uint edge, uint ends) {
    uint axis = min(edge, 5u - edge), stride = axis == 0u ? nx * ny : axis == 1u ? nx : 1u;
    uint around = stride * ((axis == 0u ? nz : axis == 1u ? ny : nx) - 1u);
    bool wraps = (ends >> edge & 1u) != 0u;
    return edge < 3u != wraps ? 0u - (wraps ? around : stride) : wraps ? around : stride;
}

// Returns the key and the vertex that square number i of these goes on to, and its direction there; no direction: it stays.
uvec3 send(uint v, uint star, uint edges, uint i) {
    for (uint rest = i >> 2; rest != 0u; rest--) edges &= edges - 1u;
    uint edge = uint(findLSB(edges)) / 3u, axis = min(edge, 5u - edge), side = i & 3u, ends = ends_of(star);
    side += side >= axis ? 1u : 0u;
    side += side >= 5u - axis ? 1u : 0u;
    int along = step_of(edge), across = step_of(side);
    bool outside = (ends >> side & 1u) != 0u && (periodic >> 2u - min(side, 5u - side) & 1u) == 0u;
    if (outside || (star & bit_of(along + across)) != 0u) return uvec3(0u);
    uint near = v + index_step(side, ends), near_key = key(near);
    uint far = near + index_step(edge, ends), far_key = key(far);
    bool to_far = lower(near_key, near, far_key, far);
    return uvec3(to_far ? far_key : near_key, to_far ? far : near, bit_of((to_far ? -along : along) - across));
}
