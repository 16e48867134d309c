// The order of vertices: by (key, index).
const uint NONE = 0xffffffffu;
// basin[v] of a vertex whose pointer has arrived: ARRIVED | the number of the minimum; or ARRIVED | OUTSIDE | the number
// of a vertex in the planes beside the slab.
const uint ARRIVED = 0x80000000u, OUTSIDE = 0x40000000u;

bool lower(uint ka, uint a, uint kb, uint b) { return ka < kb || (ka == kb && a < b); }
