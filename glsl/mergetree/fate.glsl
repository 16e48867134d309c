#include "mergetree/order.glsl"
// depth[m]: NONE while branch m may live on; ENDED and the round in which it ended; at last its depth in the forest.
const uint ENDED = 0x80000000u;
