// The sizes of the clusters of a round's edges: sums along their chains.
//   STEP 0: base gets, of each chain, the sum before its first edge; 1: size gets the sizes
// sums: of all weights before those of e
void kernel(uint group) {
    uint e = group * LOCAL + gl_LocalInvocationIndex;
    if (e >= count) return;
    uvec4 own = chains(first + e);
#if STEP == 0
    bool is_first = e == 0u || chains(first + e - 1u).y != own.y;
    if (is_first) base_store(own.y, 0u, sums(e));
#else
    size_store(own.z, 0u, sums(e) + weights(e) - base(own.y));
#endif
}
