// How far rows are from clusters: from the nearest exemplar, in double, as threads compute it (src/hdbscan/membership.c). An
// invocation has a row and a cluster. Where single precision was not certain, it looks at all exemplars of a piece.
//   closest    as closest.glsl writes it
//   first      the first piece of each cluster, and the end
//   given      of rows and exemplars: two columns a texel
//   apart      of a cluster, of all rows
//   troubles   1 for rows that are left to threads: with distances of few digits, or too much to look at
#include "hdbscan/rounded.glsl"
#include "lib/norm.glsl"
#define TINY 0xdf00000u // the high word of 2^-800: what is below has lost digits, or its root's rest would

double sum_of(uint row, uint exemplar) {
    double sum = 0.0lf;
    for (uint p = 0u; p < pairs; p++) {
        uvec4 a = points(row, p), b = exemplars(exemplar, p);
        precise double d = packDouble2x32(a.xy) - packDouble2x32(b.xy), e = packDouble2x32(a.zw) - packDouble2x32(b.zw);
        sum = add(add(sum, d), e);
    }
    return sum;
}

void kernel(uint group) {
    uint row = group % row_groups * LOCAL + gl_LocalInvocationIndex, cluster = group / row_groups, left = most_turns;
    if (row >= rows) return;
    uvec2 least = INFINITE;
    for (uint p = first(cluster); p < first(cluster + 1u); p++) {
        uint found = closest(p / 2u * rows + row) >> (p & 1u) * 16u;
        uvec2 piece = pieces(p);
        bool certain = (found & 0x8000u) == 0u;
        uint from = certain ? min(found & 0x7fffu, piece.y - 1u) : 0u, end = certain ? from + 1u : piece.y;
        uint turns = (end - from) * (pairs + 1u) + 1u;
        if (turns > left) {
            troubles_store(row, 1u);
            break;
        }
        left -= turns;
        for (uint e = from; e < end; e++) {
            uvec2 sum = unpackDouble2x32(sum_of(row, 16u * piece.x + e));
            if (is_less(sum, least)) least = sum;
        }
    }
    if (angular == 0u && least != uvec2(0u) && least.y < TINY) troubles_store(row, 1u);
    double distance = packDouble2x32(least) * 0.5lf;
    if (angular == 0u) distance = root(packDouble2x32(least)) * packDouble2x32(uvec2(unit_low, unit_high));
    apart_store(cluster * rows + row, unpackDouble2x32(distance));
}
