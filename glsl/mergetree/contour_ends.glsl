// Hangs branch j of the list on the node where it ends: head is, of a node, the first of the branches that end there, next
// the one behind a branch. Those that do not end hang on node `nodes`. ends(j) = nodes where the branch begins and ends; row
// is the branch that begins at a node, ending how many end at one.
void kernel(uint group) {
    uint j = group * LOCAL + gl_LocalInvocationIndex;
    if (j >= count) return;
    uvec2 own = branch(j);
    uint from = number(own.x) - 1u, to = own.y == 0xffffffffu ? nodes : number(own.y) - 1u;
    ends_store(j, 0u, uvec2(from, to));
    row_store(from, j);
    ending_atomic_add(to, 1u);
    next_store(j, head_atomic_exchange(to, j));
}
