// Edges that are left become columns, at each vertex of `left` by direction, one after the other. Those of the outside, whose
// key is 0, do not.
//   LISTS 0: `amounts`: how many each vertex has; 1: `edges`: {vertex, direction}, those of a vertex from starts on
#if LISTS < 0 || LISTS > 1
#error LISTS must be 0 or 1
#endif
void kernel(uint group) {
    uint e = group * LOCAL + gl_LocalInvocationIndex;
    if (e >= count) return;
    uvec4 here = left(e, 0u);
    uint rest = outside != 0u && key(here.x) == 0u ? 0u : here.z & 63u;
#if LISTS
    for (uint at = starts(e, 0u); rest != 0u && at < room; rest &= rest - 1u)
        edges_store(at++, 0u, uvec2(here.x, uint(findLSB(rest))));
#else
    amounts_store(e, 0u, uint(bitCount(rest)));
#endif
}
