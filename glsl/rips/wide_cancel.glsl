// Looks at the cells that the round before listed, a group each. One that is in an apparent pair is cancelled: its facet becomes
// a term, whose cofacets are made. Others settle.
#include "rips/wide_cofacets.glsl"
#include "rips/apparent.glsl"

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
    uint count = min(state_load(ROUNDS + round % ROUND_LISTS), room);
    for (uint k = group; k < count; k += all_groups) {
        uint cell = touched(round % 2u * room + k, 0u), sum = sums_load(cell) & COEFFICIENT;
        group_barrier();
        bool fits = true;
        if (sum != 0u) fits = cancel(cell, cells_load(cell, 0u), sum);
        else if (gl_LocalInvocationIndex == 0u) sums_store(cell, 0u, 0u);
        group_barrier();
        if (!fits) break;
    }
    if (group == 0u && gl_LocalInvocationIndex == 0u) state_atomic_exchange(ROUNDS + (round + 2u) % ROUND_LISTS, 0u);
}
