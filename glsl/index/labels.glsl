// The component that all points below nodes first … first + count - 1 are of; 0xffffffff: they are of several, or there are
// none.
//   LEAVES 1: the nodes are leaves
//          0: their halves have labels; nodes of some levels above them get theirs, too
// labels: the component of the point at a position
// first: the number of nodes of a level, which is a power of two: so each group has the halves of its nodes.
#define SEVERAL 0xffffffffu

#if LEAVES
#include "index/leaf.glsl"

void kernel(uint group) {
    uint e = group * LOCAL + gl_LocalInvocationIndex;
    if (e >= count) return;
    uint at = leaf_start(e), end = leaf_start(e + 1u), own = at < end ? labels(at) : SEVERAL;
    bool several = false;
    for (at++; at < end; at++) several = several || labels(at) != own;
    node_label_store(first + e, 0u, several ? SEVERAL : own);
}
#else
#include "lib/barrier.glsl"

shared uint here[LOCAL]; // the label of each node of the last level, at the place of the first below it

uint both(uint a, uint b) { return a == b ? a : SEVERAL; }

void kernel(uint group) {
    uint lane = gl_LocalInvocationIndex, e = group * LOCAL + lane, v = first + e;
    if (e < count) {
        here[lane] = both(node_label_load(2u * v, 0u), node_label_load(2u * v + 1u, 0u));
        node_label_store(v, 0u, here[lane]);
    }
    for (uint apart = 1u; apart < LOCAL && apart < count; apart *= 2u) {
        group_barrier();
        uint at = 2u * apart * lane;
        e = group * LOCAL + at;
        if (at >= LOCAL || e >= count) continue;
        here[at] = both(here[at], here[at + apart]);
        node_label_store((first + e) / (2u * apart), 0u, here[at]);
    }
}
#endif
