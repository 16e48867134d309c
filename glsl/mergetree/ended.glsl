#include "mergetree/order.glsl"
// depth[m] is NONE while branch m has not ended, then ENDED | the round in which it ended, at last its depth in the forest.
const uint ENDED = 0x80000000u;
