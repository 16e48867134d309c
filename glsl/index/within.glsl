// The points within a distance of each query.
//   FILL 0: counts them; a node that is within as a whole is not entered. 1: writes them, in no order.
// reach_low, reach_high: the words of the sum that is the limit. same: queries are the points, and no point is its own.
// taken: of each query how many there are so far; with FILL 0 itself is counted. starts: where those of a query begin in
// found and sums: point and, with_sums, sum (two words, the low one first).
double reach = 0.0lf;
uint own = 0xffffffffu, used = 0u, base = 0u; // own: the index of the query's own point; 0xffffffff: it has none

bool is_before(double s, uint p) { return s <= reach; }

#if FILL
bool leaves_out(uint node) { return false; }
void take(double s, uint position, uint p) {
    if (p == own) return;
    found_store(base + used, 0u, p);
    if (with_sums != 0u) sums_store(base + used, 0u, unpackDouble2x32(s));
    used++;
}
#else
bool leaves_out(uint node);
void take(double s, uint position, uint p) { used++; }
#endif

#include "index/walk.glsl"

#if !FILL
// No less than the sum of the query and any point in the node's box.
double farthest(uint node) {
    double s = 0.0lf;
    for (uint c = 0u; c < uint(COLUMNS); c++) {
        uvec4 texel = boxes(node, c);
        precise double below = packDouble2x32(q[c]) - packDouble2x32(texel.xy),
                       above = packDouble2x32(texel.zw) - packDouble2x32(q[c]);
        s = add(s, max(below, above));
    }
    return s;
}

bool leaves_out(uint node) {
    if (farthest(node) > reach) return false;
    uint shift = uint(findMSB(leaves) - findMSB(node));
    used += leaf_start(((node + 1u) << shift) - leaves) - leaf_start((node << shift) - leaves);
    return true;
}
#endif

void kernel(uint group) {
    uint e = group * LOCAL + gl_LocalInvocationIndex;
    if (e >= count) return;
    uvec2 place = begin != 0u ? uvec2(1u, 0u) : places_load(e);
    if (place.x == 0u) return;
    load_query(first + e);
    own = same == 0u ? 0xffffffffu : index_in(queries(first + e, TEXELS - 1u));
    reach = packDouble2x32(uvec2(reach_low, reach_high));
    used = begin != 0u ? 0u : taken_load(e).x;
#if FILL
    base = starts(e).x;
#endif
    place = walk(place, int(turns));
    taken_store(e, used);
    places_store(e, place);
    if (place.x != 0u) unfinished_atomic_add(0u, 1u);
}
