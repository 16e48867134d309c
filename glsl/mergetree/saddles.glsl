// Where basins meet: for a candidate and its lower neighbours in other basins an edge (vertex, its key, the number
// of its own minimum, that of the other). Neighbours that are joined to its own basin below it, by vertices
// around it, need none. state[0] counts edges, with those that there is no room for. They come in no order, and
// some more than once. Vertices before `turn` come after all others in the order.
#include "mergetree/grid.glsl"
#include "mergetree/link.glsl"

void kernel(uint group) {
    uint e = group * LOCAL + gl_LocalInvocationIndex;
    if (e >= count) return;
    uint v = candidates(e), own = basin(v), k = key(v), below = 0u, others = 0u;
    ivec3 p = place(v);
    bool inside = inner(p);
#define DESCEND(dx, dy, dz)                                                       \
    {                                                                             \
        uint w = near(v, p, inside, dx, dy, dz);                                  \
        if (w != NONE && lower(key(w), w - turn, k, v - turn)) below |= BIT(dx, dy, dz);        \
    }
    AROUND(DESCEND)
#define COMPARE(dx, dy, dz)                                                                            \
    if ((below & BIT(dx, dy, dz)) != 0u && basin(near(v, p, inside, dx, dy, dz)) != own)               \
        others |= BIT(dx, dy, dz);
    ALL(COMPARE)
    others &= ~joined(below & neighbours() & ~others, below);
    uint last = own;
#define JOIN(dx, dy, dz)                                                                         \
    if ((others & BIT(dx, dy, dz)) != 0u) {                                                      \
        uint other = basin(near(v, p, inside, dx, dy, dz));                                      \
        if (other != last) {                                                                     \
            last = other;                                                                        \
            uint at = state_atomic_add(0u, 1u);                                                  \
            if (at < room) edges_store(at, 0u, uvec4(v, k, own ^ ARRIVED, other ^ ARRIVED));     \
        }                                                                                        \
    }
    if (others != 0u) {
        ALL(JOIN)
    }
}
