// The lune of an edge (a, b), a > b, of length `reach`: the points within reach of both its ends. A group works on one
// edge at a time and keeps the lune as bits in shared memory.
//
// A simplex belongs to the edge with the smallest index among its longest. `fair` points can be added to the
// edge and leave it that one. Let w be the greatest point of the lune. A simplex of this edge that holds w is the
// apparent cofacet of its facet without w; one that does not, but whose points are all within reach of w, has
// the simplex with w as its apparent cofacet. So only simplices with at least one fair point *far* from w need
// to be looked at. (Ties: if w lies below a or b, "within reach" has to be strict, or the facet without a, or b,
// would be as long.) fair points that are near come first in `place`, then far ones, each ascending.
#include "rips/gap.glsl"

shared uint lune[WORDS], near_bits[WORDS], far_bits[WORDS], near_before[WORDS], far_before[WORDS];
shared uint place[ROOM];

struct edge {
    uint a, b;
    float reach;
};

// Of the pairs (i, j) and (a, b) with a > b: has the first the greater index?
bool later(uint i, uint j, edge e) {
    uint high = max(i, j), low = min(i, j);
    return high > e.a || (high == e.a && low > e.b);
}

// The greatest point of the lune; -1 if it is empty.
int lune_greatest() {
    for (int k = int(WORDS) - 1; k >= 0; k--)
        if (lune[k] != 0u) return 32 * k + findMSB(lune[k]);
    return -1;
}

bool within(uint i, uint j, edge e) {
    float d = gap(i, j);
    return d < e.reach || (d == e.reach && later(i, j, e));
}

void sync() {
    memoryBarrierShared();
    barrier();
}

// Finds lune and place, and how many fair points are near and far. Called by the whole group.
uvec2 lune_find(edge e) {
    uint lane = gl_LocalInvocationIndex;
    for (uint k = lane; k < WORDS; k += LOCAL) lune[k] = near_bits[k] = far_bits[k] = 0u;
    sync();
    for (uint w = lane; w < n; w += LOCAL)
        if (w != e.a && w != e.b && gap(e.a, w) <= e.reach && gap(e.b, w) <= e.reach)
            atomicOr(lune[w / 32u], 1u << (w & 31u));
    sync();
    int greatest = lune_greatest();
    if (greatest >= 0) {
        uint top = uint(greatest);
        bool above_a = top > e.a, above_b = top > e.b;
        bool prunes = (above_a || gap(e.b, top) < e.reach) && (above_b || gap(e.a, top) < e.reach);
        for (uint w = lane; w < top; w += LOCAL) {
            bool inside = (lune[w / 32u] >> (w & 31u) & 1u) != 0u;
            if (inside && within(e.a, w, e) && within(e.b, w, e)) {
                float d = gap(w, top);
                bool near = prunes && (above_a ? d <= e.reach : d < e.reach);
                if (near) atomicOr(near_bits[w / 32u], 1u << (w & 31u));
                else atomicOr(far_bits[w / 32u], 1u << (w & 31u));
            }
        }
    }
    sync();
    uvec2 sums = uvec2(0);
    for (uint k = lane; k < WORDS; k += LOCAL) {
        sums = uvec2(0);
        for (uint i = 0u; i < k; i++) sums += uvec2(bitCount(near_bits[i]), bitCount(far_bits[i]));
        near_before[k] = sums.x;
        far_before[k] = sums.y;
    }
    sync();
    uint last = WORDS - 1u;
    return uvec2(near_before[last] + bitCount(near_bits[last]), far_before[last] + bitCount(far_bits[last]));
}

// Fills place. Called by the whole group after lune_find, whose answer is `counts`.
void lune_order(uvec2 counts) {
    for (uint w = gl_LocalInvocationIndex; w < n; w += LOCAL) {
        uint k = w / 32u, bit = 1u << (w & 31u), below = bit - 1u;
        if ((near_bits[k] & bit) != 0u) place[near_before[k] + bitCount(near_bits[k] & below)] = w;
        if ((far_bits[k] & bit) != 0u) place[counts.x + far_before[k] + bitCount(far_bits[k] & below)] = w;
    }
    sync();
}
