// Brings what queries first … first + count - 1 have found to the places of their indices: the points' indices and their
// distances.
// found, sums: as index/nearest.glsl leaves them; rows, queries: as src/index/textures.c lays them out.
uint index_in(uvec4 texel) { return columns % 2u == 0u ? texel.x : texel.z; }

#include "index/root.glsl"

void kernel(uint group) {
    uint i = group * LOCAL + gl_LocalInvocationIndex, e = i / keep, a = i % keep;
    if (e >= count) return;
    uint query = index_in(queries(first + e, columns / 2u));
    index_store(query, a, index_in(rows(found(e, a), columns / 2u)));
    distances_store(query, a, distance_of(sums(e, a)));
}
