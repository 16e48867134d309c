// A vertex of the field as the split tree numbers it, and back; in the join tree, the vertex itself.
uint mirror(uint v) { return split != 0u ? n - 1u - v : v; }
