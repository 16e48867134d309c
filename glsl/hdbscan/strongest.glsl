// To which clusters a row belongs most, and how much. An invocation has a row.
//   apart      the distance of each row and cluster; on the way, what they weigh
//   facts      of each row: the line of its weights, 0, what its own clusters weigh; then its share, and troubles
//   weights    of each line, of each cluster; a cluster that weighs as the row's own has the sign bit
//   strongest  TOP clusters of each row: strength, cluster, and whether the row is left to threads
#include "hdbscan/rounded.glsl"
#define NONE 0xffffffffu
uvec3 best[TOP]; // strength, cluster; the greatest first

#define EMPTY(i) best[i] = uvec3(0u, 0u, NONE);
void empty_best() {
#repeat TOP EMPTY(@)
}

bool is_before(uvec3 a, uvec2 strength) { return a.z == NONE || is_less(a.xy, strength); }

#define PUSH(i)                                        \
    {                                                  \
        moves = moves || is_before(best[i], entry.xy); \
        uvec3 was = best[i];                           \
        best[i] = moves ? entry : was;                 \
        entry = moves ? was : entry;                   \
    }
void offer(uvec3 entry) {
    bool moves = false;
    if (!is_before(best[TOP - 1], entry.xy)) return;
#repeat TOP PUSH(@)
}

#define STORE(i) strongest_store(row, uint(i), uvec4(best[i], troubles(row)));
void kernel(uint group) {
    uint row = group * LOCAL + gl_LocalInvocationIndex;
    if (row >= rows) return;
    uvec4 own = facts(row, 0u);
    uvec2 least = INFINITE;
    for (uint c = 0u; c < clusters; c++) {
        uvec2 x = apart_load(c * rows + row);
        if (is_less(x, least)) least = x;
    }
    double sum = 0.0lf, nearest = packDouble2x32(least);
    for (uint c = 0u; c < clusters; c++) {
        uvec2 weight = weights(own.x * clusters + c);
        if (int(weight.y) < 0) weight = own.zw;
        precise double term = packDouble2x32(weight) * quotient(nearest, packDouble2x32(apart_load(c * rows + row)));
        apart_store(c * rows + row, unpackDouble2x32(term));
        precise double more = sum + term;
        sum = more;
    }
    double share = packDouble2x32(facts(row, 1u).xy);
    empty_best();
    for (uint c = 0u; c < clusters; c++) {
        precise double strength = quotient(packDouble2x32(apart_load(c * rows + row)), sum) * share;
        offer(uvec3(unpackDouble2x32(strength), c));
    }
#repeat TOP STORE(@)
}
