// Edges that have joined two components are left no longer. forest: these edges as joins.glsl lists them with KEYS, in order:
// those of one vertex come one after the other, and the first of them takes them all out of the vertex's set. left: sorted by
// vertex. state[0] is raised where a vertex is not there, or has no such edge.
#include "cubical/basins.glsl"

// Returns the number of v in `left`; `owners` or that of another if it is not there.
uint find(uint v) {
    uint low = 0u, high = owners;
    while (low < high) {
        uint middle = low + (high - low) / 2u;
        if (left_load(middle, 0u).x < v) low = middle + 1u;
        else high = middle;
    }
    return low;
}

void kernel(uint group) {
    uint e = group * LOCAL + gl_LocalInvocationIndex;
    if (e >= count) return;
    uvec4 edge = forest(e);
    uint v = edge.x, at;
    if (e != 0u && forest(e - 1u).x == v) return;
    at = find(v);
    uvec4 own = at < owners ? left_load(at, 0u) : uvec4(0u);
    ivec3 p = place(v);
    bool inside = inner(p), wrong = own.x != v;
    for (uint k = e; !wrong && k < count && k - e < 6u && edge.x == v; k++) {
        uint taken = 0u;
        for (uint rest = own.z & 63u; rest != 0u && taken == 0u; rest &= rest - 1u) {
            uint i = uint(findLSB(rest));
            if ((basin_at(v, p, inside, i) ^ ARRIVED) == edge.w) taken = 1u << i;
        }
        own.z ^= taken;
        wrong = taken == 0u;
        if (k + 1u < count) edge = forest(k + 1u);
    }
    if (wrong) state_atomic_add(0u, 1u);
    else left_store(at, 0u, own);
}
