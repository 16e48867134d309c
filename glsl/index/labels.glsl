// The component that all points below nodes first … first + count - 1 are of; 0xffffffff: they are of several, or there are
// none.
//   LEAVES 1: the nodes are leaves; 0: their halves have labels
// labels: the component of the point at a position
#define SEVERAL 0xffffffffu

#if LEAVES
#include "index/leaf.glsl"

uint label_of(uint v) {
    uint at = leaf_start(v - first), end = leaf_start(v - first + 1u), own = at < end ? labels(at) : SEVERAL;
    bool several = false;
    for (at++; at < end; at++) several = several || labels(at) != own;
    return several ? SEVERAL : own;
}
#else
uint label_of(uint v) {
    uint a = node_label_load(2u * v, 0u), b = node_label_load(2u * v + 1u, 0u);
    return a == b ? a : SEVERAL;
}
#endif

void kernel(uint group) {
    uint e = group * LOCAL + gl_LocalInvocationIndex;
    if (e < count) node_label_store(first + e, 0u, label_of(first + e));
}
