// Core distances: the sums of neighbor `within` of each point, of which one more counts the point itself; 0: they are 0.
// core, sum: of each position the sum, which all edges out of the point reach at least; distance: of each index, what the
// sum becomes.
//   ROOT, factor_low, factor_high: as in index/root.glsl
#include "index/root.glsl"

uint index_of(uint position) {
    uvec4 texel = rows(position, columns / 2u);
    return columns % 2u == 0u ? texel.x : texel.z;
}

void kernel(uint group) {
    uint v = group * LOCAL + gl_LocalInvocationIndex;
    if (v >= n) return;
    uvec2 words = within == 0u ? uvec2(0u) : list_sums(v, within - 1u);
    core_store(v, 0u, words);
    sum_store(v, 0u, words);
    distance_store(index_of(v), 0u, distance_of(words));
}
