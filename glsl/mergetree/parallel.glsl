// Parallel edges join the same two components. Returns the slot of the edges between a and b in a table of mask + 1 slots;
// by chance edges between other components may share it.
uint parallel_slot(uint a, uint b) {
    uint h = min(a, b) * 0x9e3779b1u ^ max(a, b) * 0x85ebca6bu;
    return (h ^ h >> 15) & mask;
}
