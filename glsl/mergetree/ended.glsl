#include "field/order.glsl"
// depth[m] is NONE while branch m has not ended, then ENDED | the round in which it ended, at last its depth in the forest.
// SEEN: others than this slab see the component, so that it does not end here.
const uint ENDED = 0x80000000u, SEEN = 0xfffffffeu;
