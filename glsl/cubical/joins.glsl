// Lists the edges that are left and may join components: (the number of its vertex v in `left`, direction, the
// minimum of v's first lower neighbor, whose component v joins, the minimum of the neighbor in that direction), if the
// minima differ, by their numbers. The edges of v come by direction, one after the other. state[0] counts the edges, also those that there is no room for.
#include "mergetree/grid.glsl"

// Returns the minimum of the neighbor of v in the direction of edge i: -1 along z, y, x, then 1 along x, y, z.
uint minimum_at(uint v, ivec3 p, bool inside, uint i) {
    int step = i < 3u ? -1 : 1;
    uint axis = i < 3u ? 2u - i : i - 3u;
    return basin(neighbor(v, p, inside, axis == 0u ? step : 0, axis == 1u ? step : 0, axis == 2u ? step : 0));
}

void kernel(uint group) {
    uint e = group * LOCAL + gl_LocalInvocationIndex;
    if (e >= count) return;
    uvec2 here = left(e, 0u);
    uint v = here.x, joins = 0u, others[6], own;
    ivec3 p = place(v);
    bool inside = inner(p);
    own = minimum_at(v, p, inside, here.y >> 8);
    for (uint rest = here.y & 63u; rest != 0u; rest &= rest - 1u) {
        uint i = uint(findLSB(rest));
        others[i] = minimum_at(v, p, inside, i);
        if (others[i] != own) joins |= 1u << i;
    }
    if (joins == 0u) return;
    uint at = state_atomic_add(0u, uint(bitCount(joins)));
    for (; joins != 0u && at < room; joins &= joins - 1u) {
        uint i = uint(findLSB(joins));
        edges_store(at++, 0u, uvec4(e, i, own ^ ARRIVED, others[i] ^ ARRIVED));
    }
}
