// Looks at the cells that the round before listed, a group each. One that is in an apparent pair is cancelled: its facet becomes
// a term, whose cofacets are made. Others settle.
#include "rips/wide_cofacets.glsl"

shared uint blocked;

float length_of(uint a, uint b) { return dist(a, b / 4u)[b % 4u]; }

// The first vertex, by its place, without which the diameter is the same; `vertices`: there is none.
uint vertex_to_leave(uvec4 cell) {
    float diameter = uintBitsToFloat(cell.w);
    uint keeps = 0u; // a bit for each vertex without which some distance of this length is left
    for (uint i = 1u; i < vertices; i++)
        for (uint j = 0u; j < i; j++)
            if (length_of(vertex(cell, i), vertex(cell, j)) == diameter) keeps |= ~(1u << i | 1u << j);
    return min(uint(findLSB(keeps)), vertices);
}

uvec4 without_vertex(uvec4 cell, uint place) {
    uvec4 facet = uvec4(0u, 0u, 0u, cell.w);
    for (uint k = 0u; k < vertices; k++)
        if (k != place) put(facet, k < place ? k : k - 1u, vertex(cell, k));
    return facet;
}

// Whether a point greater than w has a distance of at most the diameter to all vertices of the facet: then its cofacet
// comes before that of w.
bool comes_later(uvec4 facet, uint w) {
    uint quads = (n + 3u) / 4u;
    if (gl_LocalInvocationIndex == 0u) blocked = 0u;
    group_barrier();
    for (uint begin = w / 4u; begin < quads && blocked == 0u; begin += LOCAL) {
        uint q = begin + gl_LocalInvocationIndex;
        bool found = false;
        if (q < quads) {
            vec4 most = distances_to_all(facet, q, uintBitsToFloat(facet.w));
            for (uint c = 0u; c < 4u; c++) {
                uint x = 4u * q + c;
                found = found || (x > w && x < n && most[c] <= uintBitsToFloat(facet.w) && !is_vertex(facet, x));
            }
        }
        group_barrier();
        if (found) blocked = 1u;
        group_barrier();
    }
    return blocked != 0u;
}

void settle(uint cell, uint sum) {
    if (gl_LocalInvocationIndex != 0u) return;
    uint at = state_atomic_add(SETTLES, 1u);
    if (at < room) settled_store(at, 0u, cell);
    sums_store(cell, 0u, sum | SETTLED);
}

// Returns whether there was room for the cofacets.
bool cancel(uint cell, uvec4 simplex, uint sum) {
    uint place = vertex_to_leave(simplex);
    bool apparent = place < vertices;
    uvec4 facet = without_vertex(simplex, place);
    uint w = apparent ? vertex(simplex, place) : 0u;
    if (apparent) apparent = !comes_later(facet, w);
    if (!apparent) {
        settle(cell, sum);
        return true;
    }
    uint coefficient = ((vertices - 1u - place) & 1u) != 0u ? sum : negative(sum);
    if (gl_LocalInvocationIndex == 0u) {
        uint at = state_atomic_add(TERMS, 1u);
        if (at < room_of_terms) terms_store(at, 0u, uvec4(facet.xy, facet.z | coefficient, facet.w));
        sums_store(cell, 0u, 0u);
    }
    return make_cofacets(facet, coefficient, w);
}

void kernel(uint group) {
    uint count = min(state_load(ROUNDS + round % LISTS), room);
    for (uint k = group; k < count; k += all_groups) {
        uint cell = touched(round % 2u * room + k, 0u), sum = sums_load(cell) & COEFFICIENT;
        group_barrier();
        bool fits = true;
        if (sum != 0u) fits = cancel(cell, cells_load(cell, 0u), sum);
        else if (gl_LocalInvocationIndex == 0u) sums_store(cell, 0u, 0u);
        group_barrier();
        if (!fits) break;
    }
    if (group == 0u && gl_LocalInvocationIndex == 0u) state_atomic_exchange(ROUNDS + (round + 2u) % LISTS, 0u);
}
