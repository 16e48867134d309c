// How many vertices each edge of a round adds to its chain: those of the components that picked it.
void kernel(uint group) {
    uint e = group * LOCAL + gl_LocalInvocationIndex;
    if (e >= count) return;
    uint rank = chains(first + e).z, sides = picked(rank), weight = 0u;
    for (uint side = 0u; side < 2u; side++) {
        if ((sides >> side & 1u) == 0u) continue;
        uint cluster = child(rank, side);
        weight += cluster < n ? 1u : size(cluster - n);
    }
    weights_store(e, 0u, weight);
}
