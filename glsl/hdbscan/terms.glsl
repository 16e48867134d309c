// What each large merge adds to its cluster's stability: (lambda - birth) · points that leave; 0 where lambda is infinite.
// chains: sorted by cluster. starts: of each cluster, its first place in them.
#include "hdbscan/stays.glsl"

void kernel(uint group) {
    uint e = group * LOCAL + gl_LocalInvocationIndex;
    if (e >= large_count) return;
    uint cluster = chains(e).y, rank = chains(e).z, a = child(rank, 0u), b = child(rank, 1u);
    if (e == 0u || chains(e - 1u).y != cluster) starts_store(cluster, 0u, e);
    bool a_stays = stays(a, rank), b_stays = stays(b, rank);
    uint left = size(rank), stay = a_stays ? a : b;
    if (a_stays != b_stays) left -= size(stay - n);
    precise double birth = cluster == 0u ? 0.0lf : packDouble2x32(lambdas(up(n + firsts(cluster))));
    precise double term = rank < zeros ? 0.0lf : (packDouble2x32(lambdas(rank)) - birth) * double(left);
    terms_store(e, 0u, unpackDouble2x32(term));
}
