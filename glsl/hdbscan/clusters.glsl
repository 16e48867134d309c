// Stores for each cluster {its first merge, its last, its parent, the merge above it}, and its stability.
void kernel(uint group) {
    uint c = group * LOCAL + gl_LocalInvocationIndex;
    if (c >= clusters) return;
    uint first = firsts(c), above = up(n + first);
    facts_store(c, 0u, uvec4(first, lasts(c), c == 0u ? 0u : of(above), above));
    facts_store(c, 1u, uvec4(terms(starts(c)), 0u, 0u));
}
