// Lists the edges between basins: for a candidate and its lower neighbors in other basins (vertex, its key, the number of
// its own minimum, that of the other basin). A neighbor needs no edge if lower vertices around the candidate connect it
// to the candidate's own basin. state[0] counts the edges, also those that there is no room for. The edges come in no
// order, and some more than once. Vertices before order_start come after all others in the order.
#include "mergetree/grid.glsl"
#include "mergetree/around.glsl"

void kernel(uint group) {
    uint e = group * LOCAL + gl_LocalInvocationIndex;
    if (e >= count) return;
    uint v = candidates(e), own = basin(v), k = key(v), below = 0u, others = 0u;
    ivec3 p = place(v);
    bool inside = inner(p);
#define DESCEND(dx, dy, dz)                                                                            \
    {                                                                                                  \
        uint w = neighbor(v, p, inside, dx, dy, dz);                                                   \
        if (w != NONE && lower(key(w), w - order_start, k, v - order_start)) below |= BIT(dx, dy, dz); \
    }
    AROUND(DESCEND)
#define COMPARE(dx, dy, dz) \
    if ((below & BIT(dx, dy, dz)) != 0u && basin(neighbor(v, p, inside, dx, dy, dz)) != own) others |= BIT(dx, dy, dz);
    ALL(COMPARE)
    others &= ~reachable(below & neighbor_set() & ~others, below);
    uint last = own;
#define JOIN(dx, dy, dz)                                                                     \
    if ((others & BIT(dx, dy, dz)) != 0u) {                                                  \
        uint other = basin(neighbor(v, p, inside, dx, dy, dz));                              \
        if (other != last) {                                                                 \
            last = other;                                                                    \
            uint at = state_atomic_add(0u, 1u);                                              \
            if (at < room) edges_store(at, 0u, uvec4(v, k, own ^ ARRIVED, other ^ ARRIVED)); \
        }                                                                                    \
    }
    if (others != 0u) { ALL(JOIN) }
}
