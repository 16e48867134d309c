// Stores for each merge its lambda, and where jumps begin.
// links: x leads to the lowest large merge that it is or is in, y to the first merge of its cluster; large, split: flags, the
// last merge first.
#include "hdbscan/double.glsl"
#include "hdbscan/stays.glsl"

void kernel(uint group) {
    uint rank = group * LOCAL + gl_LocalInvocationIndex;
    if (rank >= count) return;
    uint above = up(n + rank), place = count - 1u - rank;
    bool is_last = rank + 1u == count, is_large = is_last || stays(n + rank, above),
         is_split = is_large && splits(rank);
    bool is_first = is_last || !is_large || splits(above);
    uvec2 key = items(rank).xy;
    lambdas_store(rank, 0u,
                  rank < zeros ? INFINITE : quotient(uvec2(0u, 0x3ff00000u), uvec2(key.y, key.x ^ 0x80000000u)));
    links_store(rank, 0u, uvec2(is_large ? rank : above, is_first ? rank : above));
    large_store(place, 0u, uint(is_large));
    split_store(place, 0u, uint(is_split));
}
