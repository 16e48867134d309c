// Appends those of the edges first … first + count - 1, `span` a group, that have a far admissible point to `columns`: the ends,
// and how many points are near and far (rips/lune). A simplex that may be in no apparent pair has at least one that is far.
// found: how many there are.
#include "rips/lune.glsl"

shared uvec2 ends[LOCAL];
shared uint edge_count;

void kernel(uint group) {
    uint lane = gl_LocalInvocationIndex, k = group * span + lane;
    if (lane == 0u) edge_count = 0u;
    group_barrier();
    if (lane < span && k < count) {
        uvec2 of = ends_of(first + k);
        if (of.x > of.y && edge_length(of.x, of.y) <= threshold) ends[atomicAdd(edge_count, 1u)] = of;
    }
    group_barrier();
    for (uint i = 0u; i < edge_count; i++) {
        uvec2 of = ends[i], counts = find_lune(edge(of.x, of.y, edge_length(of.x, of.y)));
        if (lane == 0u && counts.y > 0u) {
            uint at = found_atomic_add(0u, 1u);
            if (at < room) columns_store(at, 0u, uvec4(of, counts));
        }
    }
}
