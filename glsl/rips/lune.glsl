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

shared uint lune[WORDS], near_bits[WORDS], far_bits[WORDS];
shared uint greatest, near_count, far_count;  // greatest: one more than it; 0: the lune is empty
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

// Does (a, b) stay the edge of a simplex that gets the edge (i, j)?
bool within(uint i, uint j, edge e) {
    float d = gap(i, j);
    return d < e.reach || (d == e.reach && later(i, j, e));
}

void sync() {
    memoryBarrierShared();
    barrier();
}

bool inside(uint w) { return (lune[w / 32u] >> (w & 31u) & 1u) != 0u; }

// As bits, in the place that the points 4q … 4q + 3 have in their word.
uint four_bits(bvec4 b, uint q) { return (uint(b.x) | uint(b.y) << 1 | uint(b.z) << 2 | uint(b.w) << 3) << (4u * q & 31u); }

// Of the points 4q … 4q + 3 those that are near and those that are far from `top`.
uvec2 near_and_far(edge e, uint q, uint top, bool prunes) {
    vec4 to_a = dist(e.a, q), to_b = dist(e.b, q), to_top = dist(top, q);
    bvec4 near, far;
    for (uint c = 0u; c < 4u; c++) {
        uint w = 4u * q + c;
        bool fair = w < top && inside(w) && (to_a[c] < e.reach || later(e.a, w, e)) && (to_b[c] < e.reach || later(e.b, w, e));
        bool close = prunes && (to_top[c] < e.reach || (top > e.a && to_top[c] == e.reach));
        near[c] = fair && close;
        far[c] = fair && !close;
    }
    return uvec2(four_bits(near, q), four_bits(far, q));
}

// Finds lune, and how many fair points are near and far. Called by the whole group.
uvec2 lune_find(edge e) {
    uint lane = gl_LocalInvocationIndex, quads = (n + 3u) / 4u;
    for (uint k = lane; k < uint(WORDS); k += LOCAL) lune[k] = near_bits[k] = far_bits[k] = 0u;
    if (lane == 0u) greatest = near_count = far_count = 0u;
    sync();
    for (uint q = lane; q < quads; q += LOCAL) {
        vec4 farther = max(dist(e.a, q), dist(e.b, q));
        uint bits = four_bits(lessThanEqual(farther, vec4(e.reach)), q) & ~(q == e.a / 4u ? 1u << (e.a & 31u) : 0u) &
                    ~(q == e.b / 4u ? 1u << (e.b & 31u) : 0u);
        if (bits != 0u) {
            atomicOr(lune[q / 8u], bits);
            atomicMax(greatest, 32u * (q / 8u) + uint(findMSB(bits)) + 1u);
        }
    }
    sync();
    if (greatest > 0u) {
        uint top = greatest - 1u;
        bool prunes = (top > e.a || gap(e.b, top) < e.reach) && (top > e.b || gap(e.a, top) < e.reach);
        for (uint q = lane; q <= top / 4u; q += LOCAL) {
            if ((lune[q / 8u] >> (4u * q & 31u) & 15u) == 0u) continue;
            uvec2 bits = near_and_far(e, q, top, prunes);
            if (bits.x != 0u) atomicOr(near_bits[q / 8u], bits.x), atomicAdd(near_count, uint(bitCount(bits.x)));
            if (bits.y != 0u) atomicOr(far_bits[q / 8u], bits.y), atomicAdd(far_count, uint(bitCount(bits.y)));
        }
    }
    sync();
    return uvec2(near_count, far_count);
}

// Fills place. Called by the whole group after lune_find, whose answer is `counts`.
void lune_order(uvec2 counts) {
    for (uint k = gl_LocalInvocationIndex; k < uint(WORDS); k += LOCAL) {
        uvec2 at = uvec2(0, counts.x);
        for (uint i = 0u; i < k; i++) at += uvec2(bitCount(near_bits[i]), bitCount(far_bits[i]));
        for (uint bits = near_bits[k]; bits != 0u; bits &= bits - 1u) place[at.x++] = 32u * k + uint(findLSB(bits));
        for (uint bits = far_bits[k]; bits != 0u; bits &= bits - 1u) place[at.y++] = 32u * k + uint(findLSB(bits));
    }
    sync();
}
