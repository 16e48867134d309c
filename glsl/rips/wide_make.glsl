// Makes the cofacets of `count` terms, which become terms from place `first` on; SUMMED: of all terms whose sum is not 0, each
// times that.
#include "rips/wide_cofacets.glsl"

void kernel(uint group) {
#if SUMMED
    uint end = min(state_load(TERMS), room_of_terms);
#else
    uint end = count;
#endif
    for (uint k = group; k < end; k += all_groups) {
#if SUMMED
        uvec4 term = terms_load(k, 0u);
        uint sum = term_sums(k, 0u), coefficient = (sum & FIRST) != 0u ? sum & COEFFICIENT : 0u;
#else
        uvec4 term = added(k, 0u);
        uint coefficient = term.z & COEFFICIENT;
        if (gl_LocalInvocationIndex == 0u) terms_store(first + k, 0u, term);
#endif
        if (coefficient != 0u && !make_cofacets(term, coefficient, NONE)) break;
    }
    if (group != 0u || gl_LocalInvocationIndex != 0u) return;
    state_atomic_exchange(ROUNDS + (round + 2u) % ROUND_LISTS, 0u);
#if !SUMMED
    state_atomic_exchange(TERMS, first + count);
#endif
}
