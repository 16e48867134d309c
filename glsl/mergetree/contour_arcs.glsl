// The arcs of nodes as items that a sort by two words puts into rows: (lower vertex, upper vertex, node, other end); of a node
// without an arc, all bits first. toward: the other end of the arc of each node.
// state[0]: some arc leads to no ancestor in the tree in which its node was no leaf. below, above: reach in both trees.
const uint NONE = 0xffffffffu;

void kernel(uint group) {
    uint k = group * LOCAL + gl_LocalInvocationIndex;
    if (k >= count) return;
    uint far = toward(k);
    if (far == NONE) {
        items_store(k, 0u, uvec4(NONE, NONE, k, NONE));
        return;
    }
    bool rises = far > k;
    uvec2 reach = rises ? above(k) : below(k);
    uint branch = rises ? above(far).x : below(far).x;
    if (branch < reach.x || branch >= reach.y) state_atomic_max(0u, 1u);
    items_store(k, 0u, uvec4(vertex(min(k, far)), vertex(max(k, far)), k, far));
}
