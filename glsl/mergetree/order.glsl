// The order of vertices: by (key, index).
const uint NONE = 0xffffffffu;
// A basin's value at a vertex that has arrived: this bit, and the number of the minimum. Or this and the next bit,
// and the number of a vertex of a neighbouring slab.
const uint ARRIVED = 0x80000000u, OUTSIDE = 0x40000000u;

bool lower(uint ka, uint a, uint kb, uint b) { return ka < kb || (ka == kb && a < b); }
