// The cofacets of a simplex of vertices - 1 vertices, at most MOST. Loops take MOST turns, because compilers then know how long they
// are, and loads wait less for one another; of a simplex that has fewer, the last vertex is taken more than once.
#include "rips/packed.glsl"
#include "rips/around.glsl"

const uint MOST = 4u;

uint vertex_of_facet(uvec4 facet, uint k) { return vertex(facet, min(k, vertices - 2u)); }

uvec4 cofacet(uvec4 facet, uint coefficient, uint w, float diameter) {
    uvec4 simplex = uvec4(0u, 0u, 0u, floatBitsToUint(diameter));
    uint above = 0u;
    for (uint k = 0u; k < MOST; k++) above += k < vertices - 1u && vertex(facet, k) > w ? 1u : 0u;
    for (uint k = 0u; k < MOST; k++)
        if (k < vertices - 1u) put(simplex, k < above ? k : k + 1u, vertex(facet, k));
    put(simplex, above, w);
    simplex.z |= ((vertices - 1u - above) & 1u) != 0u ? negative(coefficient) : coefficient;
    return simplex;
}

// The points that are looked at around a facet.
points_around around(uvec4 facet) {
    points_around all = around_point(vertex(facet, 0u));
    for (uint k = 1u; k < MOST; k++) all = fewer(all, around_point(vertex_of_facet(facet, k)));
    return all;
}

// The greatest of `least` and the distances of some points to all vertices of the facet.
vec4 distances_to_all(uvec4 facet, points_around all, uint q, float least) {
    vec4 most = vec4(least);
    for (uint k = 0u; k < MOST; k++) {
        if (LISTS == 2 && k >= vertices - 1u) break; // a distance is searched for
        most = max(most, distances(vertex_of_facet(facet, k), all, q));
    }
    return most;
}

bool is_vertex(uvec4 facet, uint w) {
    bool is = false;
    for (uint k = 0u; k < MOST; k++) is = is || vertex_of_facet(facet, k) == w;
    return is;
}
