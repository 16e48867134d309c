// Where edges between the same two components meet others of their kind: a place in a table of mask + 1, shared by
// chance with other pairs.
uint meeting_place(uint a, uint b) {
    uint h = min(a, b) * 0x9e3779b1u ^ max(a, b) * 0x85ebca6bu;
    return (h ^ h >> 15) & mask;
}
