// The lune of an edge (a, b), a > b: the points whose distances to a and to b are at most the edge's length. A group works
// on one edge at a time and keeps the lune as bits in shared memory.
//
// A simplex belongs to the first of its longest edges: the one with the smallest index. A point of the lune is admissible
// if the edge stays the first of the longest when the point is added.
//
// Few points have to be looked at. Let w be the greatest point of the lune. A simplex of this edge that has w is the
// apparent cofacet of its facet without w. If a simplex of this edge has not w, but all its points are near w, that is,
// within the edge's length of it, then the simplex with w is its apparent cofacet. So the simplices that may be in no
// apparent pair have an admissible point that is *far*, not near w. (Ties: if w lies below a,
// near means less than the edge's length, because the facet without a could be as long. If w lies below a and (w, b) is
// as long as the edge, or w lies below b and (w, a) is, no point counts as near.) `place` has the near admissible points
// first, then the far ones, both ascending.
#include "lib/barrier.glsl"
#include "rips/edge_length.glsl"

shared uint lune[WORDS], near_bits[WORDS], far_bits[WORDS];
shared uint greatest, near_count, far_count; // greatest: one more than the greatest point of the lune; 0: no points
shared uint place[ROOM];

struct edge {
    uint a, b;
    float diameter; // the edge's length: the diameter of its simplices
};

// Returns true if the edge (i, j) has a greater index than (a, b).
bool later(uint i, uint j, edge e) {
    uint high = max(i, j), low = min(i, j);
    return high > e.a || (high == e.a && low > e.b);
}

// Returns true if (a, b) stays the first of the longest edges when (i, j) joins the simplex.
bool admits(uint i, uint j, edge e) {
    float d = edge_length(i, j);
    return d < e.diameter || (d == e.diameter && later(i, j, e));
}

bool inside(uint w) { return (lune[w / 32u] >> (w & 31u) & 1u) != 0u; }

// The four as bits, at the places of the points 4q … 4q + 3 in their word.
uint four_bits(bvec4 b, uint q) {
    return (uint(b.x) | uint(b.y) << 1 | uint(b.z) << 2 | uint(b.w) << 3) << (4u * q & 31u);
}

// The admissible ones of the points 4q … 4q + 3, as bits: those near `top`, the greatest of the lune, and those far from
// it. prunes: whether near points are set apart.
uvec2 near_and_far(edge e, uint q, uint top, bool prunes) {
    vec4 to_a = dist(e.a, q), to_b = dist(e.b, q), to_top = dist(top, q);
    bvec4 near, far;
    for (uint c = 0u; c < 4u; c++) {
        uint w = 4u * q + c;
        bool admissible = w < top && inside(w) && (to_a[c] < e.diameter || later(e.a, w, e)) &&
                          (to_b[c] < e.diameter || later(e.b, w, e));
        bool close = prunes && (to_top[c] < e.diameter || (top > e.a && to_top[c] == e.diameter));
        near[c] = admissible && close;
        far[c] = admissible && !close;
    }
    return uvec2(four_bits(near, q), four_bits(far, q));
}

// Finds the lune. Returns how many admissible points are near and far. Called by the whole group.
uvec2 find_lune(edge e) {
    uint lane = gl_LocalInvocationIndex, quads = (n + 3u) / 4u;
    for (uint k = lane; k < uint(WORDS); k += LOCAL) lune[k] = near_bits[k] = far_bits[k] = 0u;
    if (lane == 0u) greatest = near_count = far_count = 0u;
    group_barrier();
    for (uint q = lane; q < quads; q += LOCAL) {
        vec4 farther = max(dist(e.a, q), dist(e.b, q));
        uint bits = four_bits(lessThanEqual(farther, vec4(e.diameter)), q) & ~(q == e.a / 4u ? 1u << (e.a & 31u) : 0u) &
                    ~(q == e.b / 4u ? 1u << (e.b & 31u) : 0u);
        if (bits != 0u) {
            atomicOr(lune[q / 8u], bits);
            atomicMax(greatest, 32u * (q / 8u) + uint(findMSB(bits)) + 1u);
        }
    }
    group_barrier();
    if (greatest > 0u) {
        uint top = greatest - 1u;
        bool prunes =
            (top > e.a || edge_length(e.b, top) < e.diameter) && (top > e.b || edge_length(e.a, top) < e.diameter);
        for (uint q = lane; q <= top / 4u; q += LOCAL) {
            if ((lune[q / 8u] >> (4u * q & 31u) & 15u) == 0u) continue;
            uvec2 bits = near_and_far(e, q, top, prunes);
            if (bits.x != 0u) atomicOr(near_bits[q / 8u], bits.x), atomicAdd(near_count, uint(bitCount(bits.x)));
            if (bits.y != 0u) atomicOr(far_bits[q / 8u], bits.y), atomicAdd(far_count, uint(bitCount(bits.y)));
        }
    }
    group_barrier();
    return uvec2(near_count, far_count);
}

// Fills place. Called by the whole group after find_lune, which returned counts.
void order_lune(uvec2 counts) {
    for (uint k = gl_LocalInvocationIndex; k < uint(WORDS); k += LOCAL) {
        uvec2 at = uvec2(0, counts.x);
        for (uint i = 0u; i < k; i++) at += uvec2(bitCount(near_bits[i]), bitCount(far_bits[i]));
        for (uint bits = near_bits[k]; bits != 0u; bits &= bits - 1u) place[at.x++] = 32u * k + uint(findLSB(bits));
        for (uint bits = far_bits[k]; bits != 0u; bits &= bits - 1u) place[at.y++] = 32u * k + uint(findLSB(bits));
    }
    group_barrier();
}
