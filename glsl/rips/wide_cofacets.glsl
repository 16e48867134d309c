// The cofacets of a simplex, made by a group.
#include "rips/wide.glsl"
#include "rips/cofacet.glsl"

// Which of the points 4q … 4q + 3 make cofacets that are wanted.
uint wanted(uvec4 facet, uint q, uint without) {
    vec4 most = distances_to_all(facet, around(facet), q, uintBitsToFloat(facet.w));
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
            float diameter = distances_to_all(facet, around(facet), of, uintBitsToFloat(facet.w))[bit & 3u];
            cells_store(at, 0u, cofacet(facet, coefficient, 4u * of + (bit & 3u), diameter));
            sums_store(at, 0u);
        }
        if (place_of_group >= room) return false;
    }
    return true;
}
