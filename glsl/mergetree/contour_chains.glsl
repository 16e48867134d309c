// Leaves of one tree that a round takes away, with the chains behind them. list: the nodes that are left. A node can go if it has
// at most one child in the tree of the round, a parent there, and one child in the other tree.
//   STEP 0: child and other_child get, of a node, one of its children in either tree
//   STEP 1: toward a leaf: of a node that can go, its child, or the leaf itself; all bits of others
const uint NONE = 0xffffffffu;

#if STEP == 1
bool can_go(uint k) { return parent(k) != NONE && others(k) == 1u && children(k) < 2u; }
#endif

void kernel(uint group) {
    uint i = group * LOCAL + gl_LocalInvocationIndex;
    if (i >= count) return;
    uint k = list(i);
#if STEP == 0
    uint up = parent(k), other_up = other_parent(k);
    if (up != NONE) child_store(up, k);
    if (other_up != NONE) other_child_store(other_up, k);
#else
    uint to = NONE;
    if (can_go(k)) to = children(k) == 0u ? k : child(k);
    if (to != NONE && !can_go(to)) to = NONE;
    leaf_store(k, to);
#endif
}
