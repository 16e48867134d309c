// The clusters of large merges, and where points and clusters leave.
// order: the large merges, as places from the last merge on; splits_before: of each place, how many splits are before it.
// of: the cluster of each large merge; ends: of each cluster, its first and last merge; chains: {0, cluster, merge, 0}, in
// order of merges; leavers: {0, place of the merge where it leaves, point or n + cluster, 0}.
#include "hdbscan/stays.glsl"

void number_merge(uint e) {
    uint rank = count - 1u - order(e), first = links(rank).y, above = up(n + first), cluster = 0u;
    if (first + 1u != count)
        cluster =
            1u + 2u * splits_before(count - 1u - above) + uint(max(child(above, 0u), child(above, 1u)) == n + first);
    of_store(rank, 0u, cluster);
    chains_store(e, 0u, uvec4(0u, cluster, rank, 0u));
    if (first == rank) {
        firsts_store(cluster, 0u, rank);
        if (cluster != 0u) leavers_store(n + cluster - 1u, 0u, uvec4(0u, count - 1u - above, n + cluster, 0u));
    }
    if (stays(child(rank, 0u), rank) == stays(child(rank, 1u), rank)) lasts_store(cluster, 0u, rank);
}

void kernel(uint group) {
    uint e = group * LOCAL + gl_LocalInvocationIndex;
    if (e < n) leavers_store(e, 0u, uvec4(0u, count - 1u - links(up(e)).x, e, 0u));
    if (e < large_count) number_merge(e);
}
