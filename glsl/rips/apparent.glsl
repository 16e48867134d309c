// Whether a simplex of `vertices` vertices is in an apparent pair with one of its facets: a group finds out.
#include "lib/barrier.glsl"
#include "rips/cofacet.glsl"

shared uint blocked;

#if LISTS == 2
float length_of(uint a, uint b) { return edge_length(a, b); }
#else
float length_of(uint a, uint b) { return dist(a, b / 4u)[b % 4u]; }
#endif

// The first vertex, by its place, without which the diameter is the same; `vertices`: there is none.
uint vertex_to_leave(uvec4 cell) {
    float diameter = uintBitsToFloat(cell.w);
    uint keeps = 0u; // a bit for each vertex without which some distance of this length is left
    for (uint i = 1u; i <= MOST; i++)
        for (uint j = 0u; j < i; j++)
            if (i < vertices && length_of(vertex(cell, i), vertex(cell, j)) == diameter) keeps |= ~(1u << i | 1u << j);
    return min(uint(findLSB(keeps)), vertices);
}

uvec4 without_vertex(uvec4 cell, uint place) {
    uvec4 facet = uvec4(0u, 0u, 0u, cell.w);
    for (uint k = 0u; k <= MOST; k++)
        if (k < vertices && k != place) put(facet, k < place ? k : k - 1u, vertex(cell, k));
    return facet;
}

// Whether a point greater than w has a distance of at most the diameter to all vertices of the facet: then its cofacet
// comes before that of w.
bool comes_later(uvec4 facet, uint w) {
    points_around all = around(facet);
    if (gl_LocalInvocationIndex == 0u) blocked = 0u;
    group_barrier();
    for (uint begin = LISTS != 0 ? 0u : w / 4u; begin < all.looks && blocked == 0u; begin += LOCAL) {
        uint q = begin + gl_LocalInvocationIndex;
        bool found = false;
        if (q < all.looks) {
            vec4 most = distances_to_all(facet, all, q, uintBitsToFloat(facet.w));
            for (uint c = 0u; c < AT_ONCE; c++) {
                uint x = point_of(all, q, c);
                found = found || (x > w && x < n && most[c] <= uintBitsToFloat(facet.w) && !is_vertex(facet, x));
            }
        }
        group_barrier();
        if (found) blocked = 1u;
        group_barrier();
    }
    return blocked != 0u;
}
