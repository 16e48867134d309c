// Puts edges that were contracted into chains. One that comes before the first edge out of its component belongs to the
// chain below that; the others wait for a later round.
// chains: of each rank {round, component, rank, where its chain ends}: at twice the rank of the edge above it, and 1 more if
// it is on that one's larger end's side; 0xffffffff: at the root.
#include "tree/append.glsl"

void kernel(uint group) {
    uint e = group * LOCAL + gl_LocalInvocationIndex, rank = 0u, component = 0u, above = 0u;
    if (e < count) {
        rank = waiting(e);
        component = label(items(rank).z);
        above = best(component);
    }
    bool waits = e < count && rank > above;
    uint at = reserve(waits, 1u);
    if (waits) next_waiting_store(at, 0u, rank);
    if (e >= count || waits) return;
    uint side = above != 0xffffffffu && label(items(above).z) != component ? 1u : 0u;
    chains_store(rank, 0u, uvec4(round, component, rank, above == 0xffffffffu ? above : 2u * above + side));
}
