// Finds the arc of each regular vertex, between the node below it in the join tree and the one above it in the split tree;
// below gets its row, and NONE at a node. guide(node, side) = (row, branch, first branch, branch beyond): the arc that was
// made when the edge between vertex and node went, the branch of its end that is to be looked at in the other tree, and the
// branches below the node in its own tree. above is numbered from the last vertex on. state[0]: some vertex has no arc.
// An invocation takes some vertices, as those side by side are mostly on one arc.
#define RUN 8u
#include "field/order.glsl"

bool within(uvec4 node, uint branch) { return node.z <= branch && branch < node.w; }

uint row_between(uint low, uint high) {
    uvec4 rising = guide(low, 0u), falling = guide(high, 1u);
    if (rising.x != NONE && within(falling, rising.y)) return rising.x;
    if (falling.x != NONE && within(rising, falling.y)) return falling.x;
    state_atomic_max(0u, 1u);
    return NONE;
}

void kernel(uint group) {
    uint first = (group * LOCAL + gl_LocalInvocationIndex) * RUN, same = NONE, found = 0u;
    for (uint v = first; v < first + RUN && v < n; v++) {
        uint row = number(v) != 0u ? NONE : row_between(below_load(v), above(n - 1u - v));
        below_store(v, row);
        if (row != same && found != 0u) {
            regular_atomic_add(same, found);
            found = 0u;
        }
        same = row;
        if (row != NONE) found++;
    }
    if (found != 0u) regular_atomic_add(same, found);
}
