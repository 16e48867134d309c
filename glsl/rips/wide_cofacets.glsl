// The cofacets of a simplex of vertices - 1 vertices, made by a group.
#include "rips/wide.glsl"

uvec4 cofacet(uvec4 facet, uint coefficient, uint w, float diameter) {
    uvec4 simplex = uvec4(0u, 0u, 0u, floatBitsToUint(diameter));
    uint above = 0u;
    for (uint k = 0u; k < vertices - 1u; k++) above += vertex(facet, k) > w ? 1u : 0u;
    for (uint k = 0u; k < vertices - 1u; k++) put(simplex, k < above ? k : k + 1u, vertex(facet, k));
    put(simplex, above, w);
    simplex.z |= ((vertices - 1u - above) & 1u) != 0u ? negative(coefficient) : coefficient;
    return simplex;
}

// The greatest of `least` and the distances of the points 4q … 4q + 3 to all vertices of the facet.
vec4 distances_to_all(uvec4 facet, uint q, float least) {
    vec4 most = vec4(least);
    for (uint k = 0u; k < vertices - 1u; k++) most = max(most, dist(vertex(facet, k), q));
    return most;
}

bool is_vertex(uvec4 facet, uint w) {
    bool is = false;
    for (uint k = 0u; k < vertices - 1u; k++) is = is || vertex(facet, k) == w;
    return is;
}

// Which of the points 4q … 4q + 3 make cofacets that are wanted.
uint wanted(uvec4 facet, uint q, uint without) {
    vec4 most = distances_to_all(facet, q, uintBitsToFloat(facet.w));
    uint hits = 0u;
    for (uint c = 0u; c < 4u; c++) {
        uint w = 4u * q + c;
        if (w < n && w != without && most[c] > from && most[c] <= bound && !is_vertex(facet, w)) hits |= 1u << c;
    }
    return hits;
}

// Appends the cofacets whose diameters are above `from` and up to `bound`, but for the one with vertex `without`. An invocation
// looks at 32 points before the group shares out places. Returns whether there was room, which is the same for the whole group.
bool make_cofacets(uvec4 facet, uint coefficient, uint without) {
    uint quads = (n + 3u) / 4u;
    for (uint begin = 0u; begin < quads; begin += 8u * LOCAL) {
        uint q = begin + gl_LocalInvocationIndex, hits = 0u;
        for (uint k = 0u; k < 8u && q + k * LOCAL < quads; k++) hits |= wanted(facet, q + k * LOCAL, without) << 4u * k;
        uint at = reserve(uint(bitCount(hits)), CELLS);
        for (; hits != 0u; hits &= hits - 1u, at++) {
            uint bit = uint(findLSB(hits)), of = q + bit / 4u * LOCAL;
            if (at >= room) continue;
            float diameter = distances_to_all(facet, of, uintBitsToFloat(facet.w))[bit & 3u];
            cells_store(at, 0u, cofacet(facet, coefficient, 4u * of + (bit & 3u), diameter));
            sums_store(at, 0u);
        }
        if (place_of_group >= room) return false;
    }
    return true;
}
