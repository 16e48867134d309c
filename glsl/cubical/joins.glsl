// Lists the edges that are left and may join components, at each vertex v of `left` by direction, one after the other: those
// whose two ends lie in different basins. The basins of edge (v, direction) are that of v's first lower neighbor, whose component
// v joins, and that of the neighbor in the direction. state[0] counts the edges, also those that there is no room for.
//   KEYS 0: {the number of v in `left`, direction, basin, basin}; 1: {v, key of v, basin, basin}
#if KEYS < 0 || KEYS > 1
#error KEYS must be 0 or 1
#endif
#include "cubical/basins.glsl"
#include "lib/reserve.glsl"

void kernel(uint group) {
    uint e = group * LOCAL + gl_LocalInvocationIndex;
    uvec4 here = e < count ? left(e, 0u) : uvec4(0u);
    uint v = here.x, joins = 0u, others[6], own = 0u;
    ivec3 p = place(v);
    bool inside = inner(p);
    if (e < count) own = basin_at(v, p, inside, here.w);
    for (uint rest = here.z & 63u; rest != 0u; rest &= rest - 1u) {
        uint i = uint(findLSB(rest));
        others[i] = basin_at(v, p, inside, i);
        if (others[i] != own) joins |= 1u << i;
    }
    uint at = reserve(uint(bitCount(joins)), 0u);
    for (; joins != 0u && at < room; joins &= joins - 1u) {
        uint i = uint(findLSB(joins));
#if KEYS
        uvec2 name = uvec2(v, key(v));
#else
        uvec2 name = uvec2(e, i);
#endif
        edges_store(at++, 0u, uvec4(name, own ^ ARRIVED, others[i] ^ ARRIVED));
    }
}
