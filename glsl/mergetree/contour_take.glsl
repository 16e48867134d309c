// Takes away the nodes from which the ways of contour_chains.glsl lead to a leaf: their arcs lead to their parents. edge: in the
// tree of the round, the node; in the other one, the edge of its child goes on. keep: of the list, who is left.
const uint NONE = 0xffffffffu;

void kernel(uint group) {
    uint i = group * LOCAL + gl_LocalInvocationIndex;
    if (i >= count) return;
    uint k = list(i);
    bool goes = leaf(k) != NONE;
    keep_store(i, goes ? 0u : 1u);
    if (!goes) return;
    uint up = parent(k);
    toward_store(k, up);
    edge_store(k, k);
    other_edge_store(k, other_child(k));
    if (leaf(up) == NONE) children_atomic_add(up, 0xffffffffu);
}
