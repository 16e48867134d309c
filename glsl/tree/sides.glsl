// What each edge of a round brings into its chain: the elder of the cluster at the end where a component picked the edge. At the
// first edge of a chain both ends are such: the older of the two, and in w the number of the younger, which ends there; w is
// 0xffffffff at all others.
// birth: of each component {key, vertex}; elder: of each edge's cluster {key, vertex, number, -}
#include "tree/older.glsl"

uvec4 elder_of(uint cluster) {
    return cluster < n ? uvec4(birth(cluster).xy, cluster, 0xffffffffu) : uvec4(elder(cluster - n).xyz, 0xffffffffu);
}

void kernel(uint group) {
    uint e = group * LOCAL + gl_LocalInvocationIndex;
    if (e >= count) return;
    uint rank = chains(first + e).z, sides = picked(rank);
    uvec4 one = elder_of(child(rank, sides == 2u ? 1u : 0u));
    if (sides == 3u) {
        uvec4 other = elder_of(child(rank, 1u));
        bool first_is = is_older(one, other);
        uint younger = first_is ? other.z : one.z;
        one = first_is ? one : other;
        one.w = younger;
    }
    brought_store(e, 0u, one);
}
