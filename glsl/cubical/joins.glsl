// Lists the edges that are left and may join components: (v, direction, the minimum of v's first lower neighbor, whose
// component v joins, the minimum of the neighbor in that direction), if the minima differ, by their numbers. The edges of
// v come by direction, one after the other. state[0] counts the edges, also those that there is no room for.
#include "mergetree/grid.glsl"
#include "cubical/directions.glsl"

void kernel(uint group) {
    uint e = group * LOCAL + gl_LocalInvocationIndex;
    if (e >= count) return;
    uvec2 here = left(e, 0u);
    uint v = here.x, own = 0u, others[6], joins = 0u;
    ivec3 p = place(v);
    bool inside = inner(p);
#define FIRST(i, dx, dy, dz) \
    if (here.y >> 8 == uint(i)) own = basin(neighbor(v, p, inside, dx, dy, dz));
    DIRECTIONS(FIRST)
#define LOOK(i, dx, dy, dz)                                    \
    if ((here.y & 1u << i) != 0u) {                            \
        others[i] = basin(neighbor(v, p, inside, dx, dy, dz)); \
        if (others[i] != own) joins |= 1u << i;                \
    }
    DIRECTIONS(LOOK)
    if (joins == 0u) return;
    uint at = state_atomic_add(0u, uint(bitCount(joins)));
#define STORE(i, dx, dy, dz) \
    if ((joins & 1u << i) != 0u && at < room) edges_store(at++, 0u, uvec4(v, i, own ^ ARRIVED, others[i] ^ ARRIVED));
    DIRECTIONS(STORE)
}
