// Lists the edges between basins: for a candidate and its lower neighbors in other basins (vertex, its key, the number of
// its own minimum, that of the other basin). A neighbor needs no edge if lower vertices around the candidate connect it
// to the candidate's own basin. state[0] counts the edges, also those that there is no room for. The edges come in no
// order, and some more than once. Vertices before order_start come after all others in the order.
//
// Neighbors are looked at in loops whose ends are no constants: unrolled, this takes NVIDIA's compiler seconds.
#include "field/grid.glsl"
#include "field/around.glsl"
#include "lib/reserve.glsl"

uint around_set() {
    uint set = 0u;
#define NAME_AROUND(dx, dy, dz) set |= BIT(dx, dy, dz);
    AROUND(NAME_AROUND)
    return set;
}

// The neighbor of v whose bit has this number.
uint neighbor_at(uint v, ivec3 p, bool inside, uint bit) {
    int b = int(bit), z = b / 9, y = b / 3 - 3 * z, x = b - 3 * y - 9 * z;
    return neighbor(v, p, inside, x - 1, y - 1, z - 1);
}

// The lower neighbors of v in basins other than `own`, but for those that lower vertices around v connect to it.
uint others_of(uint v, ivec3 p, bool inside, uint k, uint own) {
    uint below = 0u, others = 0u;
    for (uint rest = around_set(); rest != 0u; rest &= rest - 1u) {
        uint w = neighbor_at(v, p, inside, uint(findLSB(rest)));
        if (w != NONE && lower(key(w), w - order_start, k, v - order_start)) below |= rest & (0u - rest);
    }
    for (uint rest = below & neighbor_set(); rest != 0u; rest &= rest - 1u)
        if (basin(neighbor_at(v, p, inside, uint(findLSB(rest)))) != own) others |= rest & (0u - rest);
    return others & ~reachable(below & neighbor_set() & ~others, below);
}

void kernel(uint group) {
    uint e = group * LOCAL + gl_LocalInvocationIndex, v = 0u, own = 0u, k = 0u, others = 0u;
    ivec3 p = ivec3(0);
    bool inside = false;
    if (e < count) {
        v = candidates(e);
        own = basin(v);
        k = key(v);
        p = place(v);
        inside = inner(p);
        others = others_of(v, p, inside, k, own);
    }
    uint last = own, edges_here = 0u;
    for (uint rest = others; rest != 0u; rest &= rest - 1u) { // those that repeat the one before are left out
        uint other = basin(neighbor_at(v, p, inside, uint(findLSB(rest))));
        if (other == last) others ^= rest & (0u - rest);
        else edges_here++;
        last = other;
    }
    uint at = reserve(edges_here, 0u);
    for (; others != 0u && at < room; others &= others - 1u) {
        uint other = basin(neighbor_at(v, p, inside, uint(findLSB(others))));
        edges_store(at++, 0u, uvec4(v, k, own ^ ARRIVED, other ^ ARRIVED));
    }
}
