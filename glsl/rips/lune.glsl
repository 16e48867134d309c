// The lune of an edge (a, b), a > b: the points whose distances to a and to b are at most the edge's length. A group works
// on one edge at a time and keeps the lune in shared memory.
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
//
// LISTS: the distances are lists (rips/lists), else a matrix. The two files that say how a lune is found have the same
// functions: find_lune; place_of(i), the point of bit i; and the points of the lune one after the other, from the greatest
// down: last_of_lune and before_in_lune are numbers, 0 after the least; lune_point(number) is the point.
#include "lib/barrier.glsl"
#if LISTS
#include "rips/lists.glsl"
#else
#include "rips/matrix.glsl"
#endif

#define TOO_MANY 0xffffffffu // near points: the lune has more than ROOM points

shared uint near_bits[WORDS], far_bits[WORDS]; // of the lune, the admissible points
shared uint near_count, far_count;
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

bool admits_length(uint i, uint j, float d, edge e) { return d < e.diameter || (d == e.diameter && later(i, j, e)); }

// Returns true if (a, b) stays the first of the longest edges when (i, j) joins the simplex.
bool admits(uint i, uint j, edge e) { return admits_length(i, j, edge_length(i, j), e); }

// Returns true if points near `top`, the greatest of the lune, are set apart.
bool has_near_points(uint top, edge e) {
    return (top > e.a || edge_length(e.b, top) < e.diameter) && (top > e.b || edge_length(e.a, top) < e.diameter);
}

// Returns true if a point at this distance of `top` is near it.
bool is_near(float d, uint top, edge e) { return d < e.diameter || (top > e.a && d == e.diameter); }

#if LISTS
#include "rips/lune_of_lists.glsl"
#else
#include "rips/lune_of_matrix.glsl"
#endif

// Fills place. Called by the whole group after find_lune, which returned counts.
void order_lune(uvec2 counts) {
    for (uint k = gl_LocalInvocationIndex; k < uint(WORDS); k += LOCAL) {
        uvec2 at = uvec2(0, counts.x);
        for (uint i = 0u; i < k; i++) at += uvec2(bitCount(near_bits[i]), bitCount(far_bits[i]));
        for (uint bits = near_bits[k]; bits != 0u; bits &= bits - 1u)
            place[at.x++] = place_of(32u * k + uint(findLSB(bits)));
        for (uint bits = far_bits[k]; bits != 0u; bits &= bits - 1u)
            place[at.y++] = place_of(32u * k + uint(findLSB(bits)));
    }
    group_barrier();
}
